/* Connects the find bar with the views of an event's panel: the bar says what to find, the views show the hits. */

import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useReducer, useRef } from 'preact/hooks';
import { createFinder, type Finder, type Hit, type Source } from './finder.ts';

const later = (run: () => void): (() => void) => {
  const timer = setTimeout(run);
  return () => clearTimeout(timer);
};

/** Undefined outside of an event's panel, such as in a dialog. */
export const FinderContext = createContext<Finder | undefined>(undefined);

export const OpenFindContext = createContext<() => unknown>(() => undefined);

export function useNewFinder(): Finder {
  const finder = useMemo(() => createFinder({ now: () => performance.now(), later }), []);
  useEffect(() => finder.stop, [finder]);
  return finder;
}

/** Renders again when the finder has found something or moved. */
export function useFinderState(finder: Finder | undefined): void {
  const [, update] = useReducer((n: number) => n + 1, 0);
  useEffect(() => finder?.subscribe(() => update(undefined)), [finder]);
}

/**
 * Makes the texts of a view findable. Keep the same `texts` and `accepts` while they are the same.
 * @param reveal is called with the current hit, after it was rendered
 * @returns the hits in the order of the texts, and the one that the reader is at if it is in this view
 */
export function useHits(source: Source, reveal: (hit: Hit) => void) {
  const finder = useContext(FinderContext);
  const { order, texts, isJson = false, isBytes = false, accepts } = source;
  const own = useMemo<Source>(
    () => ({ order, texts, isJson, isBytes, ...(accepts && { accepts }) }),
    [order, texts, isJson, isBytes, accepts],
  );
  useEffect(() => finder?.add(own), [finder, own]);
  useFinderState(finder);
  const current = finder?.currentOf(own);
  const latest = useRef(reveal);
  latest.current = reveal;
  const moves = current && finder?.moves();
  // A move to the same hit shows it again.
  useEffect(() => {
    if (current) latest.current(current);
  }, [current, moves]);
  return { hits: finder?.hitsOf(own) ?? [], current };
}

/** The hits that overlap a part of a text, relative to it. */
export function hitsWithin(hits: readonly Hit[], start: number, end: number): Hit[] {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hits[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  const within: Hit[] = [];
  for (let hit = hits[low]; hit && hit.start < end; hit = hits[++low])
    within.push({ text: hit.text, start: Math.max(0, hit.start - start), end: Math.min(end, hit.end) - start });
  return within;
}

/** Scrolls an element into the middle of what scrolls it, and nothing else. */
export function revealIn(scroller: Element | null | undefined, element: Element | null | undefined): void {
  if (!scroller || !element) return;
  const [outer, inner] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    scroller.scrollTop += inner.top - outer.top - outer.height / 2;
  if (inner.left < outer.left || inner.right > outer.right)
    scroller.scrollLeft += inner.left - outer.left - outer.width / 2;
}
