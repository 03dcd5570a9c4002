/* The feed and its stream as a hook: one of each per endpoint and search, redrawn at most once a frame however fast events arrive. */

import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { api, apiListeners } from '../api.ts';
import { useRetry } from '../components/retry.ts';
import type { EventSummary } from '../wire.ts';
import { createLiveList, type LiveList, type LiveListState } from './live-list.ts';
import { type ConnectionState, openLiveStream } from './stream.ts';

const searchRefreshMs = 400;
/** After this long away the list is read anew instead of catching up event by event. */
const maxResumeMs = 10 * 60_000;

export type LiveListHandle = {
  feed: LiveList;
  view: LiveListState;
  live: ConnectionState;
  isGone: boolean;
  restart: () => void;
};

export function useLiveList(endpointId: string, q: string, onArrival: (event: EventSummary) => void): LiveListHandle {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [live, setLive] = useState<ConnectionState>('connecting');
  const [gone, setGone] = useState(false);
  const [turn, setTurn] = useState(0);

  const feed = useMemo(() => {
    const pending: { frame?: number; search?: ReturnType<typeof setTimeout> } = {};
    return createLiveList({
      q,
      fetchPage: (cursor, text) => api.events(endpointId, cursor, text),
      onChange: () => {
        if (document.hidden) return redraw(undefined);
        pending.frame ??= requestAnimationFrame(() => {
          delete pending.frame;
          redraw(undefined);
        });
      },
      debounce: work => {
        pending.search ??= setTimeout(() => {
          delete pending.search;
          work();
        }, searchRefreshMs);
      },
    });
  }, [endpointId, q, turn]);

  useEffect(() => {
    void feed.start();
    return feed.close;
  }, [feed]);
  const view = feed.view();
  useRetry(view.failures, () => void feed.start());

  const ready = view.phase === 'ready';
  useEffect(() => {
    if (!ready) return;
    let lastOpen = Date.now();
    return openLiveStream({
      url: api.streamUrl(endpointId),
      lastEventId: () => (Date.now() - lastOpen > maxResumeMs ? undefined : feed.newestId()),
      onEvent: event => {
        lastOpen = Date.now();
        onArrival(event);
        feed.push(event);
      },
      onOpen: () => {
        // Without an event to resume from (or under a search) only the list knows what came in between.
        if (q !== '' || feed.newestId() === undefined || Date.now() - lastOpen > maxResumeMs) void feed.askAgain();
        // Older events that could not be loaded while the server was away.
        if (feed.view().problem !== '') void feed.loadTo(feed.view().length + 1);
        lastOpen = Date.now();
      },
      onState: setLive,
      onRefused: status => (status === 401 ? apiListeners.onSignedOut() : setGone(true)),
    });
  }, [feed, ready, endpointId]);

  return {
    feed,
    view,
    live: view.phase === 'failed' ? 'retrying' : live,
    isGone: gone,
    restart: () => setTurn(turn + 1),
  };
}
