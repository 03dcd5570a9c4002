/* Scrolls the event list to the selected event, and loads older pages first when the event is not in the list yet. */

import { useEffect, useRef } from 'preact/hooks';
import type { LiveList, LiveListState } from '../live/live-list.ts';

const maxRowsToLoad = 2000;

type RevealOptions = {
  list: LiveList;
  state: LiveListState;
  where: string;
  selectedId: string;
  /** When the selected event was received, once it is loaded: the search stops at older rows. */
  selectedAt: number | undefined;
  isUntouched: () => boolean;
  reveal: (index: number, place?: 'near' | 'middle') => void;
};

/**
 * Selecting another event scrolls as little as possible. A new list (the page was opened at an event, or the filter was cleared)
 * looks for the selected event and puts it in the middle, unless the user scrolls before that. A filtered list starts at the top.
 */
export function useRevealSelected(options: RevealOptions): void {
  const { list, state, where, selectedId, selectedAt, isUntouched, reveal } = options;
  /** The event that a new list still has to scroll to; an empty id when there is nothing to do. */
  const pending = useRef({ list: undefined as LiveList | undefined, id: '' });
  if (pending.current.list !== list) {
    const isFirstList = pending.current.list === undefined;
    pending.current = { list, id: isFirstList || where === '' ? selectedId : '' };
  }

  useEffect(() => {
    if (selectedId && selectedId !== pending.current.id) reveal(list.indexOf(selectedId));
  }, [selectedId, list, reveal]);

  useEffect(() => {
    if (state.phase !== 'ready' || pending.current.id === '') return;
    const found = list.indexOf(selectedId);
    // The list can be a page ahead of what is rendered, and only rendered rows can be scrolled to.
    const index = found < state.length ? found : -1;
    const isPassed = selectedAt !== undefined && (list.at(state.length - 1)?.receivedAt ?? 0) < selectedAt;
    const isDone = index >= 0 || isPassed || !state.hasMore || state.length >= maxRowsToLoad;
    if (selectedId !== pending.current.id || !isUntouched()) pending.current.id = '';
    else if (isDone) {
      pending.current.id = '';
      reveal(index, 'middle');
    } else if (!state.problem) void list.loadTo(state.length + 1);
  }, [list, state.phase, state.length, state.hasMore, state.problem, selectedId, selectedAt, isUntouched, reveal]);
}
