/* Virtual rows that may have different heights, which are estimated, then measured. The first visible row stays where it is. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { createRowLayout, useVirtual } from '../list/use-virtual.ts';

/** How often a row is scrolled to again, while rows around it turn out to be higher or lower than estimated. */
const maxReveals = 4;

type RowsOptions = {
  count: number;
  rowHeight: number;
  /** The number of lines that a row takes in a width in pixels; undefined when all take one. Keep the same function. */
  linesOf: ((index: number, width: number) => number) | undefined;
};

type Reveal = { index: number; place: 'near' | 'middle'; left: number };

export function useRows({ count, rowHeight, linesOf }: RowsOptions) {
  const [width, setWidth] = useState(0);
  const [, update] = useReducer((n: number) => n + 1, 0);
  const pending = useRef<Reveal | undefined>(undefined);
  const measured = useMemo(
    () => linesOf && measuredRows(count, at => linesOf(at, width) * rowHeight),
    [count, rowHeight, linesOf, width],
  );
  const even = useMemo(() => createRowLayout({ count, rowHeight }), [count, rowHeight]);
  const layout = measured ?? even;
  const { scroller, range, reveal: revealOnce, measure } = useVirtual<HTMLDivElement>({ count, rowHeight, layout });

  // Another width is another layout.
  useEffect(() => {
    if (!scroller.current) return;
    const sizes = new ResizeObserver(() => update(undefined));
    sizes.observe(scroller.current);
    return () => sizes.disconnect();
  }, []);

  // Measures the rendered rows before they are painted.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    setWidth(element.clientWidth);
    if (measured && measureRows(element, measured)) {
      update(undefined);
      measure();
    }
    const reveal = pending.current;
    if (!reveal) return;
    pending.current = reveal.left > 0 ? { ...reveal, left: reveal.left - 1 } : undefined;
    revealOnce(reveal.index, reveal.place);
  });

  /** Scrolls a row into view if it is not visible: as little as possible, or to the middle. */
  const reveal = useCallback(
    (index: number, place: 'near' | 'middle' = 'near'): void => {
      if (linesOf && index >= 0) pending.current = { index, place, left: maxReveals };
      revealOnce(index, place);
    },
    [linesOf],
  );

  return { scroller, range, layout, reveal };
}

/** @returns whether a height differs from what was assumed */
function measureRows(element: HTMLElement, layout: MeasuredRows): boolean {
  const first = layout.rowAt(element.scrollTop);
  const offset = element.scrollTop - layout.topOf(first);
  const rows = [...element.querySelectorAll<HTMLElement>('[data-at]')];
  const heights = rows.map(row => row.offsetHeight);
  let isChanged = false;
  for (const [at, row] of rows.entries())
    isChanged = layout.measure(Number(row.dataset['at']), heights[at] ?? 0) || isChanged;
  const scrollTop = layout.topOf(first) + offset;
  if (isChanged && element.scrollTop > 0 && Math.abs(scrollTop - element.scrollTop) >= 1) element.scrollTop = scrollTop;
  return isChanged;
}

export type MeasuredRows = ReturnType<typeof measuredRows>;

/** The positions of rows of different heights. All are computed again from the first change on: under 1 ms for 100,000 rows. */
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
