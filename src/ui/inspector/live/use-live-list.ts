/* The live list and its stream: one of each per endpoint, filter and fold, rendered at most once per animation frame. */

import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { parseFilter } from '../../../shared/filter/parser.ts';
import { api, apiListeners } from '../../kit/api.ts';
import { retryDelayMs, useRetry } from '../../kit/use-query.ts';
import type { Marks } from '../event/use-event.ts';
import { hasWholeMatch } from '../find-in-body/matched.ts';
import { findPattern } from '../find-in-body/pattern.ts';
import { searchOf } from '../find-in-body/search-terms.ts';
import { createLiveList } from './live-list.ts';
import { useShowLive } from './shown-live.ts';
import { type Connection, failedState, openLiveStream } from './stream.ts';

/** After a longer interruption the list is reloaded instead of resumed event by event. */
const maxResumeMs = 10 * 60_000;

const deletionBatchMs = 50;

export type LiveListHandle = ReturnType<typeof useLiveList>;

/** What the page does with changes that were made elsewhere. */
export type LiveListPage = {
  isFolded: boolean;
  onArrival: (event: EventSummary) => void;
  /** The pin or the tags of an event have changed. */
  onMarked: (marks: Marks) => void;
  /** The event is open in the page: it stays in the list when it was deleted, until the page leaves it. */
  isOpen: (id: string) => boolean;
};

/** @param page functions that do the same at every render */
export function useLiveList(endpointId: string, where: string, page: LiveListPage) {
  const { isFolded } = page;
  const [, render] = useReducer((n: number) => n + 1, 0);
  const [connection, setConnection] = useState<Connection>({ state: 'connecting' });
  const [isGone, setIsGone] = useState(false);
  const [restarts, setRestarts] = useState(0);

  const { list, createdAt } = useMemo(() => {
    const pending: { frame?: number } = {};
    const createdAt = Date.now();
    const created = createLiveList({
      isFolded,
      isWhole: wholeTestOf(where),
      fetchPage: async cursor => {
        // The server would refuse a wrong filter, too.
        parseFilter(where);
        return api.events(endpointId, cursor, where, { isFolded });
      },
      onChange: () => {
        // A hidden tab has no animation frames.
        if (document.hidden) return render(undefined);
        pending.frame ??= requestAnimationFrame(() => {
          delete pending.frame;
          render(undefined);
        });
      },
    });
    return { list: created, createdAt };
  }, [endpointId, where, isFolded, restarts]);

  useEffect(() => {
    void list.start();
    return list.close;
  }, [list]);
  const state = list.state();
  useRetry(state.failures, () => void list.start());
  const retryAt = useMemo(() => Date.now() + retryDelayMs(state.failures), [state.failures]);
  const { phase, failures } = state;
  const shown = useMemo((): Connection | undefined => {
    if (phase !== 'failed') return connection;
    return failures > 0 ? { state: failedState(failures), retryAt, lastAt: createdAt } : undefined;
  }, [phase, failures, retryAt, connection, createdAt]);
  const onPause = useCallback((isPaused: boolean) => list.setPaused(isPaused), [list]);
  useShowLive({ connection: shown, isPaused: state.isPaused, heldCount: state.heldCount, onPause });

  const isReady = state.phase === 'ready';
  useEffect(() => {
    if (!isReady) return;
    let lastActivityAt = Date.now();
    let deletedIds: string[] = [];
    let deletionTimer: ReturnType<typeof setTimeout> | undefined;
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    const isTooOldToResume = (): boolean => Date.now() - lastActivityAt > maxResumeMs;
    // With a filter, the newest event of the list can be old, and resuming after it would read all events since then.
    const resumeId = (): string | undefined => (where !== '' || isTooOldToResume() ? undefined : list.newestId());
    const catchUp = async (missedSince: number, failures = 0): Promise<void> => {
      clearTimeout(retryTimer);
      if (await list.refresh(missedSince)) return;
      retryTimer = setTimeout(catchUp, retryDelayMs(failures + 1), missedSince, failures + 1);
    };
    const closeStream = openLiveStream({
      url: api.streamUrl(endpointId, where),
      knownUntil: createdAt,
      lastEventId: resumeId,
      onEvent: event => {
        lastActivityAt = Date.now();
        page.onArrival(event);
        list.push(event);
      },
      onChanged: event => {
        // The stream does not say where an event matches.
        const { matched: _, ...changed } = event;
        const { id, pin, tags } = event;
        list.change(changed);
        page.onMarked({ id, pin, tags });
      },
      onDeleted: id => {
        if (page.isOpen(id)) return;
        // A filter can delete thousands at once.
        deletedIds.push(id);
        deletionTimer ??= setTimeout(() => {
          list.remove(deletedIds);
          deletedIds = [];
          deletionTimer = undefined;
        }, deletionBatchMs);
      },
      onOpen: missedSince => {
        // A stream that did not resume after an event sends only what arrives from now on.
        if (resumeId() === undefined) void catchUp(missedSince);
        // Retry the page of older events that failed while the server was unreachable.
        const { problem, length } = list.state();
        if (problem !== '') void list.loadTo(length + 1);
        lastActivityAt = Date.now();
      },
      onState: setConnection,
      onRefused: status => (status === 401 ? apiListeners.onSignedOut() : setIsGone(true)),
    });
    return () => {
      closeStream();
      clearTimeout(retryTimer);
      clearTimeout(deletionTimer);
    };
  }, [list, isReady, endpointId, where]);

  return {
    list,
    state,
    /** False when there is nothing to connect to, because the filter cannot be read. */
    isConnectable: shown !== undefined,
    isGone,
    restart: (): void => setRestarts(restarts + 1),
  };
}

function wholeTestOf(where: string): ((event: EventSummary) => boolean) | undefined {
  const pattern = findPattern(searchOf(where).words);
  return pattern && (({ matched }) => hasWholeMatch(matched, pattern));
}
