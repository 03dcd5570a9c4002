/* Virtualization for long lists: only the visible rows are rendered. */

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

type VirtualOptions = {
  count: number;
  rowHeight: number;
  /** For rows with gaps between them, or of different heights; keep the same object while nothing changes. */
  layout?: Pick<RowLayout, 'topOf' | 'rowAt' | 'heightOf'>;
};

/** How many rows are rendered above and below the visible ones. */
const overscan = 8;

export type VirtualRange = { from: number; to: number };

/**
 * Attach `scroller` to the scrolling element, and render the rows `range.from` to `range.to` (exclusive) at `index * rowHeight`, or
 * where the layout has them, inside an element of the height of all. It renders again only when the range changes.
 */
export function useVirtual<E extends HTMLElement>({ count, rowHeight, layout }: VirtualOptions) {
  const scroller = useRef<E>(null);
  const [range, setRange] = useState<VirtualRange>({ from: 0, to: Math.min(count, 40) });
  const rows = useMemo(() => layout ?? createRowLayout({ count, rowHeight }), [layout, count, rowHeight]);

  const latest = useRef(rows);
  latest.current = rows;

  const measure = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    const from = Math.max(0, rows.rowAt(element.scrollTop) - overscan);
    const to = Math.min(count, rows.rowAt(element.scrollTop + element.clientHeight) + 1 + overscan);
    setRange(old => (old.from === from && old.to === to ? old : { from, to }));
  }, [count, rows]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', measure);
      sizes.disconnect();
    };
  }, [measure]);

  /** Scrolls a row into view if it is not visible: as little as possible, or to the middle. */
  const reveal = useCallback((index: number, place: 'near' | 'middle' = 'near'): void => {
    const element = scroller.current;
    if (!element || index < 0) return;
    const top = latest.current.topOf(index);
    const freeHeight = Math.max(0, element.clientHeight - latest.current.heightOf(index));
    const isAbove = top < element.scrollTop;
    if (!isAbove && top <= element.scrollTop + freeHeight) return;
    element.scrollTop = top - (place === 'middle' ? freeHeight / 2 : isAbove ? 0 : freeHeight);
  }, []);

  return { scroller, range, reveal, measure };
}

export type RowLayout = ReturnType<typeof createRowLayout>;

type LayoutOptions = {
  count: number;
  rowHeight: number;
  /** The rows with a gap above them, in ascending order. */
  gaps?: readonly number[];
  gapHeight?: number;
};

/** Where rows of one height are, some with a gap above them, such as a day divider. */
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
