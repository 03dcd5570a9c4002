/* Which row the list shows: the selected event, also where it is so old that its page must be read first. */

import { useEffect, useRef } from 'preact/hooks';
import type { LiveList, LiveListState } from '../live/live-list.ts';

/** Rows that are read at most to get to an event; further down only the reader goes. */
const maxRowsToLoad = 2000;

type RevealOptions = {
  feed: LiveList;
  view: LiveListState;
  q: string;
  selectedId: string;
  /** When the selected event was received, once that is known: below it there is no point in looking. */
  selectedAt: number | undefined;
  isUntouched: () => boolean;
  reveal: (index: number, place?: 'near' | 'middle') => void;
};

/**
 * A step to another event moves the list as little as possible. A list that is new (the page was opened at an event, a search was
 * given up) looks for the selected event and puts it in the middle, unless the reader scrolls meanwhile. The results of a search
 * start at their top.
 */
export function useRevealSelected({ feed, view, q, selectedId, selectedAt, isUntouched, reveal }: RevealOptions): void {
  const sought = useRef({ feed: undefined as LiveList | undefined, id: '' });
  if (sought.current.feed !== feed) {
    const opening = sought.current.feed === undefined;
    sought.current = { feed, id: opening || q === '' ? selectedId : '' };
  }

  useEffect(() => {
    if (selectedId && selectedId !== sought.current.id) reveal(feed.indexOf(selectedId));
  }, [selectedId, feed, reveal]);

  useEffect(() => {
    if (view.phase !== 'ready' || sought.current.id === '') return;
    const found = feed.indexOf(selectedId);
    // The feed may be a page ahead of what is drawn, and the list can only scroll in what is drawn.
    const index = found < view.length ? found : -1;
    const passed = selectedAt !== undefined && (feed.at(view.length - 1)?.receivedAt ?? 0) < selectedAt;
    const ends = index >= 0 || passed || !view.hasMore || view.length >= maxRowsToLoad;
    if (selectedId !== sought.current.id || !isUntouched()) sought.current.id = '';
    else if (ends) {
      sought.current.id = '';
      reveal(index, 'middle');
    } else if (!view.problem) void feed.loadTo(view.length + 1);
  }, [feed, view.phase, view.length, view.hasMore, view.problem, selectedId, selectedAt, isUntouched, reveal]);
}
