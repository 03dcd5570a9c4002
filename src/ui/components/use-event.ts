/* One event in full. Those read last are kept, so that going back to one shows it at once. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { api, isRetryable } from '../api.ts';
import type { EventDetail } from '../wire.ts';
import { useRetry } from './retry.ts';

const maxCachedEvents = 40;
const maxCachedBytes = 64 << 20;
const debounceMs = 90;
const kept = new Map<string, EventDetail>();

type State = { id: string; event: EventDetail | undefined; problem: string; failures: number };

export type EventQuery = Pick<State, 'event' | 'problem'> & { reload: () => void };

/**
 * The event of this id, or of none when it is empty; read again whenever `replayed` changes. Moving fast through the list asks only
 * for the one that the reader stays at.
 */
export function useEvent(id: string, replayed: number): EventQuery {
  const [state, setState] = useState<State>({ id: '', event: undefined, problem: '', failures: 0 });
  const [turn, setTurn] = useState(0);
  const lastMove = useRef(0);
  useEffect(() => {
    if (id === '') return;
    const controller = new AbortController();
    const hurried = performance.now() - lastMove.current < debounceMs * 2;
    lastMove.current = performance.now();
    const load = async (): Promise<void> => {
      try {
        const event = await api.event(id, controller.signal);
        keep(event);
        setState({ id, event, problem: '', failures: 0 });
      } catch (error) {
        if (controller.signal.aborted) return;
        if (!isRetryable(error)) kept.delete(id);
        const problem = error instanceof Error ? error.message : String(error);
        setState(old => {
          const before = old.id === id ? old.failures : 0;
          return { id, event: kept.get(id), problem, failures: isRetryable(error) ? before + 1 : 0 };
        });
      }
    };
    const timer = setTimeout(load, hurried ? debounceMs : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, turn, replayed]);
  const reload = (): void => setTurn(n => n + 1);
  const current = state.id === id ? state : { event: kept.get(id), problem: '', failures: 0 };
  useRetry(current.failures, reload);
  return { event: current.event, problem: current.problem, reload };
}

/** For whoever signs in next. */
export const clearEventCache = (): void => kept.clear();

/** Newest last; the oldest go when there are too many, or too much for a browser tab. */
const keep = (event: EventDetail): void => {
  kept.delete(event.id);
  kept.set(event.id, event);
  let bytes = [...kept.values()].reduce((sum, one) => sum + one.size, 0);
  for (const [id, old] of kept) {
    if (kept.size <= maxCachedEvents && bytes <= maxCachedBytes) break;
    kept.delete(id);
    bytes -= old.size;
  }
};
