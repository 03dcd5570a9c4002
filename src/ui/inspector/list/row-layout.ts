/* Where the rows of a virtual list are: all of one height, some with a gap above them, such as a day divider. */

export type RowLayout = ReturnType<typeof createRowLayout>;

type LayoutOptions = {
  count: number;
  rowHeight: number;
  /** The rows with a gap above them, in ascending order. */
  gaps?: readonly number[];
  gapHeight?: number;
};

export function createRowLayout({ count, rowHeight, gaps = [], gapHeight = 0 }: LayoutOptions) {
  /** How many gaps fulfil a condition that only the first ones fulfil. */
  const countGaps = (test: (gap: number, index: number) => boolean): number => {
    let [low, high] = [0, gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(gaps[middle] ?? 0, middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    height: count * rowHeight + gaps.length * gapHeight,
    heightOf: (_row: number): number => rowHeight,
    /** The top of a row, below its gap. */
    topOf: (row: number): number => row * rowHeight + countGaps(gap => gap <= row) * gapHeight,
    /** The row at an offset; that below the gap when there is a gap. Not limited to the rows that exist. */
    rowAt(offset: number): number {
      const above = countGaps((gap, index) => gap * rowHeight + index * gapHeight <= offset);
      return Math.max(gaps[above - 1] ?? 0, Math.floor((offset - above * gapHeight) / rowHeight));
    },
    hasGap: (row: number): boolean => gaps[countGaps(gap => gap < row)] === row,
  };
}
