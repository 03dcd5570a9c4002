/* The layout of the event list. When it changes above the visible rows, the list scrolls so that these stay where they are. */

import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { createDayBreaks } from '../live/day-breaks.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { rowAt, shownAt, type Unfolded } from './folded-rows.tsx';
import { groupStarts } from './hit-groups.ts';
import { createRowLayout, type RowLayout, type VirtualRange } from './use-virtual.ts';

export const dividerHeight = 28;

type LayoutOptions = { list: LiveList; state: LiveListState; unfolded: Unfolded; count: number; rowHeight: number };

/** @returns the same object while nothing changes */
export function useRowLayout({ list, state, unfolded, count, rowHeight }: LayoutOptions): RowLayout {
  const findBreaks = useMemo(() => createDayBreaks(list), [list]);
  const { length, arrivalCount, revision, wholeCount } = state;
  const attempts = unfolded.attempts.length;
  return useMemo(() => {
    const starts = groupStarts({ arrivalCount, wholeCount }) ?? findBreaks({ length, arrivalCount, revision });
    const gaps = starts.map(at => shownAt(at, unfolded));
    return createRowLayout({ count, rowHeight, gaps, gapHeight: dividerHeight });
  }, [findBreaks, length, arrivalCount, revision, wholeCount, unfolded.index, attempts, count, rowHeight]);
}

type AnchorOptions = {
  scroller: RefObject<HTMLElement | null>;
  list: LiveList;
  state: LiveListState;
  unfolded: Unfolded;
  layout: RowLayout;
  range: VirtualRange;
  onMoved: () => void;
};

/** `at`: the place in the list; -1 for an attempt. */
type Place = { id: string; at: number };

/** What stood at the rows that were rendered. */
type Rendered = {
  list: LiveList;
  layout: RowLayout;
  arrivalCount: number;
  from: number;
  rows: Place[];
};

export function useScrollAnchor(options: AnchorOptions): void {
  const { scroller, list, state, unfolded, layout, range, onMoved } = options;
  const last = useRef<Rendered>(undefined);

  useLayoutEffect(() => {
    const before = last.current;
    const { arrivalCount } = state;
    last.current = { list, layout, arrivalCount, from: range.from, rows: renderedRows(list, unfolded, range) };
    const element = scroller.current;
    if (!element || element.scrollTop === 0 || before?.list !== list || before.layout === layout) return;
    const top = before.layout.rowAt(element.scrollTop);
    for (let row = Math.max(top, before.from); row < before.from + before.rows.length; row++) {
      const place = before.rows[row - before.from];
      const shown = place ? placeOf(place, arrivalCount - before.arrivalCount, list, unfolded) : -1;
      if (shown < 0) continue;
      const moved = layout.topOf(shown) - before.layout.topOf(row);
      if (moved === 0) return;
      element.scrollTop += moved;
      return onMoved();
    }
  });
}

function renderedRows(list: LiveList, unfolded: Unfolded, { from, to }: VirtualRange): Place[] {
  const rows: Place[] = [];
  for (let shown = from; shown < to; shown++) {
    const place = rowAt(shown, unfolded);
    const id = 'attempt' in place ? unfolded.attempts[place.attempt]?.id : list.at(place.at)?.id;
    rows.push({ id: id ?? '', at: 'attempt' in place ? -1 : place.at });
  }
  return rows;
}

/** Where the row is shown now; -1 when it is not. */
function placeOf({ id, at }: Place, added: number, list: LiveList, unfolded: Unfolded): number {
  if (at < 0) {
    const attempt = unfolded.attempts.findIndex(one => one.id === id);
    return attempt < 0 ? -1 : unfolded.index + 1 + attempt;
  }
  // Most rows have moved down by the number of those added above; the others are looked for.
  const index = list.at(at + added)?.id === id ? at + added : list.indexOf(id);
  return index < 0 ? -1 : shownAt(index, unfolded);
}
