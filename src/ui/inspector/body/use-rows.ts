/* Virtual rows that may have different heights, which are estimated, then measured. The first visible row stays where it is. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { createRowLayout } from '../list/row-layout.ts';
import { useVirtual } from '../list/use-virtual.ts';
import { type MeasuredRows, measuredRows } from './measured-rows.ts';

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
