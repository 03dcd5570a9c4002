/* Loads one event in full. Recently loaded events are cached, so that going back to one is instant. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { ApiError, api, isRetryable } from '../../kit/api.ts';
import { messageOf } from '../../kit/toasts.tsx';
import { useRetry } from '../../kit/use-query.ts';

const maxCachedEvents = 40;
const maxCachedBytes = 64 << 20;
const debounceMs = 90;
const cache = new Map<string, EventDetail>();

type State = {
  id: string;
  event: EventDetail | undefined;
  problem: string;
  isMissing: boolean;
  failures: number;
};

const fine = { problem: '', isMissing: false, failures: 0 };

/** An event's other pin or tags. What did not change is left out. */
export type Marks = Pick<EventDetail, 'id'> & Partial<Pick<EventDetail, 'pin' | 'tags'>>;

export type EventQuery = ReturnType<typeof useEvent>;

/**
 * Loads the event, or nothing when `id` is empty, and reloads it when `replayCount` changes. Moving quickly through the list loads only
 * the event where the user stops.
 */
export function useEvent(id: string, replayCount: number) {
  const [state, setState] = useState<State>({ id: '', event: undefined, ...fine });
  const [reloads, setReloads] = useState(0);
  const lastChangeAt = useRef(0);
  useEffect(() => {
    if (id === '') return;
    const controller = new AbortController();
    const isMovingFast = performance.now() - lastChangeAt.current < debounceMs * 2;
    lastChangeAt.current = performance.now();
    const load = async (): Promise<void> => {
      try {
        const event = await api.event(id, controller.signal);
        addToCache(event);
        setState({ id, event, ...fine });
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!isRetryable(error)) cache.delete(id);
        const problem = messageOf(error);
        setState(old => {
          const previous = old.id === id ? old.failures : 0;
          const isMissing = error instanceof ApiError && error.status === 404;
          return { id, event: cache.get(id), problem, isMissing, failures: isRetryable(error) ? previous + 1 : 0 };
        });
      }
    };
    const timer = setTimeout(load, isMovingFast ? debounceMs : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, reloads, replayCount]);
  const reload = (): void => setReloads(n => n + 1);
  useForwarding(state.id === id ? state.event : undefined, reload);
  const current = state.id === id ? state : { event: cache.get(id), ...fine };
  useRetry(current.failures, reload);
  const mark = (marks: Marks): void => {
    const cached = cache.get(marks.id);
    if (cached) cache.set(marks.id, { ...cached, ...marks });
    setState(old => (old.event?.id === marks.id ? { ...old, event: { ...old.event, ...marks } } : old));
  };
  const { event, problem, isMissing } = current;
  /** `mark`: the event has another pin or other tags. `forget`: it was deleted. */
  return { event, problem, isMissing, reload, mark, forget: (deleted: string): unknown => cache.delete(deleted) };
}

export const cachedEvent = (id: string): EventDetail | undefined => cache.get(id);

/** Called on sign-out. */
export const clearEventCache = (): void => cache.clear();

/** The cache is ordered by last use; the least recently used events are evicted above the limits. */
const addToCache = (event: EventDetail): void => {
  cache.delete(event.id);
  cache.set(event.id, event);
  let bytes = [...cache.values()].reduce((sum, one) => sum + one.size, 0);
  for (const [id, old] of cache) {
    if (cache.size <= maxCachedEvents && bytes <= maxCachedBytes) break;
    cache.delete(id);
    bytes -= old.size;
  }
};

/** Loading a large event again and again would cost more than it tells. */
const maxFollowedBytes = 64 << 10;
const minFollowMs = 2000;
const maxFollowMs = 60_000;

/** While forwards still have to send the event, it is loaded again, ever less often. */
function useForwarding(event: EventDetail | undefined, reload: () => void): void {
  const tries = useRef({ id: '', count: 0 });
  useEffect(() => {
    const isUnderWay = event?.forwards.some(({ state }) => state === 'waiting' || state === 'failed');
    if (!event || !isUnderWay || event.size > maxFollowedBytes) return;
    if (tries.current.id !== event.id) tries.current = { id: event.id, count: 0 };
    const delayMs = Math.min(maxFollowMs, minFollowMs * 2 ** tries.current.count);
    const wake = (): void => {
      if (!document.hidden) reload();
    };
    const timer = setTimeout(() => {
      tries.current.count++;
      wake();
    }, delayMs);
    document.addEventListener('visibilitychange', wake);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
    };
  }, [event]);
}
