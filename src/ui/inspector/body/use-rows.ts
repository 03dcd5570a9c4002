/*
 * Virtual rows that may have different heights: only the visible ones are rendered. Heights are estimated until a row is shown, then
 * measured; the first visible row stays where it is.
 */

import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { VirtualRange } from '../list/use-virtual.ts';
import { evenRows, measuredRows, type RowLayout } from './measured-rows.ts';

const overscan = 8;
/** How often a row is scrolled to again, while rows around it turn out to be higher or lower than estimated. */
const maxReveals = 4;

type RowsOptions = {
  count: number;
  rowHeight: number;
  /** The number of lines that a row takes in a width in pixels; undefined when all take one. Keep the same function. */
  linesOf: ((index: number, width: number) => number) | undefined;
};

type Reveal = { index: number; place: 'near' | 'middle'; left: number };

export function useRows(options: RowsOptions) {
  const { count, rowHeight, linesOf } = options;
  const scroller = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [range, setRange] = useState<VirtualRange>({ from: 0, to: Math.min(count, 40) });
  const [version, update] = useReducer((n: number) => n + 1, 0);
  const pending = useRef<Reveal | undefined>(undefined);
  const layout = useMemo(
    () => (linesOf ? measuredRows(count, at => linesOf(at, width) * rowHeight) : evenRows(count, rowHeight)),
    [count, rowHeight, linesOf, width],
  );

  const look = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    setWidth(element.clientWidth);
    const from = Math.max(0, layout.at(element.scrollTop) - overscan);
    const to = Math.min(count, layout.at(element.scrollTop + element.clientHeight) + 1 + overscan);
    setRange(old => (old.from === from && old.to === to ? old : { from, to }));
  }, [layout, count]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [look]);

  // Measures the rendered rows before they are painted.
  useLayoutEffect(() => {
    if (linesOf && measureRows(scroller, layout)) {
      update(undefined);
      look();
    }
    const reveal = pending.current;
    if (reveal) {
      pending.current = reveal.left > 0 ? { ...reveal, left: reveal.left - 1 } : undefined;
      scrollTo(scroller.current, layout, reveal);
    }
  });

  /** Scrolls a row into view if it is not visible: as little as possible, or to the middle. */
  const reveal = useCallback(
    (index: number, place: 'near' | 'middle' = 'near'): void => {
      if (index < 0) return;
      if (linesOf) pending.current = { index, place, left: maxReveals };
      scrollTo(scroller.current, layout, { index, place });
    },
    [layout, linesOf],
  );

  return { scroller, range, layout, version, reveal };
}

/** @returns whether a height differs from what was assumed */
function measureRows(scroller: RefObject<HTMLElement | null>, layout: RowLayout): boolean {
  const element = scroller.current;
  if (!element) return false;
  const first = layout.at(element.scrollTop);
  const offset = element.scrollTop - layout.top(first);
  const rows = [...element.querySelectorAll<HTMLElement>('[data-at]')];
  const heights = rows.map(row => row.offsetHeight);
  let isChanged = false;
  for (const [at, row] of rows.entries())
    isChanged = layout.measure(Number(row.dataset['at']), heights[at] ?? 0) || isChanged;
  const scrollTop = layout.top(first) + offset;
  if (isChanged && element.scrollTop > 0 && Math.abs(scrollTop - element.scrollTop) >= 1) element.scrollTop = scrollTop;
  return isChanged;
}

function scrollTo(element: HTMLElement | null, layout: RowLayout, { index, place }: Omit<Reveal, 'left'>): void {
  if (!element) return;
  const top = layout.top(index);
  const height = layout.top(index + 1) - top;
  const freeHeight = Math.max(0, element.clientHeight - height);
  const isAbove = top < element.scrollTop;
  if (!isAbove && top <= element.scrollTop + freeHeight) return;
  element.scrollTop = top - (place === 'middle' ? freeHeight / 2 : isAbove ? 0 : freeHeight);
}
