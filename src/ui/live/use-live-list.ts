/* The live list and its stream as a hook: one of each per endpoint and search, rendered at most once per animation frame. */

import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { EventSummary } from '../../features/events/model.ts';
import { api, apiListeners } from '../api.ts';
import { useRetry } from '../components/retry.ts';
import { createLiveList, type LiveList, type LiveListState } from './live-list.ts';
import { type ConnectionState, openLiveStream } from './stream.ts';

const searchRefreshMs = 400;
/** After a longer interruption the list is reloaded instead of resumed event by event. */
const maxResumeMs = 10 * 60_000;

export type LiveListHandle = {
  list: LiveList;
  state: LiveListState;
  connection: ConnectionState;
  /** The endpoint does not exist (any more). */
  isGone: boolean;
  restart: () => void;
};

/** What the page does with changes that were made elsewhere. */
export type LiveListPage = {
  onArrival: (event: EventSummary) => void;
  /** The pin or the tags of an event have changed. */
  onMarked: (marks: Pick<EventSummary, 'id' | 'pin' | 'tags'>) => void;
  /** The event is open in the page: it stays in the list when it was deleted, until the page leaves it. */
  isOpen: (id: string) => boolean;
};

/** @param page functions that do the same at every render */
export function useLiveList(endpointId: string, q: string, page: LiveListPage): LiveListHandle {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const [connection, setConnection] = useState<ConnectionState>('connecting');
  const [isGone, setIsGone] = useState(false);
  const [restarts, setRestarts] = useState(0);

  const list = useMemo(() => {
    const pending: { frame?: number; search?: ReturnType<typeof setTimeout> } = {};
    return createLiveList({
      q,
      fetchPage: (cursor, text) => api.events(endpointId, cursor, text),
      onChange: () => {
        // A hidden tab has no animation frames.
        if (document.hidden) return render(undefined);
        pending.frame ??= requestAnimationFrame(() => {
          delete pending.frame;
          render(undefined);
        });
      },
      debounce: work => {
        pending.search ??= setTimeout(() => {
          delete pending.search;
          work();
        }, searchRefreshMs);
      },
    });
  }, [endpointId, q, restarts]);

  useEffect(() => {
    void list.start();
    return list.close;
  }, [list]);
  const state = list.state();
  useRetry(state.failures, () => void list.start());

  const isReady = state.phase === 'ready';
  useEffect(() => {
    if (!isReady) return;
    let lastActivityAt = Date.now();
    const isTooOldToResume = (): boolean => Date.now() - lastActivityAt > maxResumeMs;
    return openLiveStream({
      url: api.streamUrl(endpointId),
      lastEventId: () => (isTooOldToResume() ? undefined : list.newestId()),
      onEvent: event => {
        lastActivityAt = Date.now();
        page.onArrival(event);
        list.push(event);
      },
      onChanged: event => {
        const { id, pin, tags } = event;
        list.change(event);
        page.onMarked({ id, pin, tags });
      },
      onDeleted: id => {
        if (!page.isOpen(id)) list.remove(id);
      },
      onOpen: () => {
        // The stream cannot resume during a search or without a last event id, so the list fetches what it missed.
        if (q !== '' || list.newestId() === undefined || isTooOldToResume()) void list.refresh();
        // Retry the page of older events that failed while the server was unreachable.
        const { problem, length } = list.state();
        if (problem !== '') void list.loadTo(length + 1);
        lastActivityAt = Date.now();
      },
      onState: setConnection,
      onRefused: status => (status === 401 ? apiListeners.onSignedOut() : setIsGone(true)),
    });
  }, [list, isReady, endpointId]);

  return {
    list,
    state,
    connection: state.phase === 'failed' ? 'retrying' : connection,
    isGone,
    restart: () => setRestarts(restarts + 1),
  };
}
