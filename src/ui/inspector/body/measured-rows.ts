/*
 * The positions of the rows of a long list with different heights. Heights are estimated, and replaced by measured ones as rows
 * are shown; all positions are computed again from the first change on, which takes less than a millisecond for 100,000 rows.
 */

export type RowLayout = {
  readonly count: number;
  top: (index: number) => number;
  height: () => number;
  /** The row at a height; the last one below all. */
  at: (y: number) => number;
  /** Takes a measured height. @returns whether it differs from what was assumed */
  measure: (index: number, height: number) => boolean;
};

/** All rows are equally high. */
export const evenRows = (count: number, rowHeight: number): RowLayout => ({
  count,
  top: index => index * rowHeight,
  height: () => count * rowHeight,
  at: y => Math.max(0, Math.min(count - 1, Math.floor(y / rowHeight))),
  measure: () => false,
});

export function measuredRows(count: number, estimate: (index: number) => number): RowLayout {
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
    count,
    top: topOf,
    height: () => topOf(count),
    at(y) {
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
    measure(index, height) {
      if (Math.abs((heights[index] ?? 0) - height) < 0.5) return false;
      heights[index] = height;
      known = Math.min(known, index);
      return true;
    },
  };
}
