/* Loads data from the API in a component: once, or repeatedly while it changes and the page is visible. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isRetryable } from './api.ts';
import { messageOf } from './toasts.tsx';

type State<T> = {
  key: string;
  value: T | undefined;
  problem: string;
  /** Retryable failures in a row. The query is repeated until this is 0. */
  failures: number;
};

export type Query<T> = Omit<State<T>, 'key'> & { reload: () => void; set: (value: T) => void };

/** Loads on mount and whenever `key` changes; a response for an older key is ignored. A reload keeps the old value until it is done. */
export function useQuery<T>(key: string, load: () => Promise<T>): Query<T> {
  const [state, setState] = useState(() => initialState<T>(key));
  const latest = useRef({ key, load });
  latest.current = { key, load };
  const reload = useCallback((): void => {
    const requestedKey = latest.current.key;
    latest.current.load().then(
      value => latest.current.key === requestedKey && setState({ key: requestedKey, value, problem: '', failures: 0 }),
      (error: unknown) => {
        if (latest.current.key !== requestedKey) return;
        const problem = messageOf(error);
        setState(previous => {
          const old = previous.key === requestedKey ? previous : initialState<T>(requestedKey);
          return { ...old, problem, failures: isRetryable(error) ? old.failures + 1 : 0 };
        });
      },
    );
  }, []);
  useEffect(reload, [key]);
  const set = useCallback(
    (value: T): void => setState({ key: latest.current.key, value, problem: '', failures: 0 }),
    [],
  );
  const visible = state.key === key ? state : initialState<T>(key);
  useRetry(visible.failures, reload);
  return { ...visible, reload, set };
}

const initialState = <T>(key: string): State<T> => ({ key, value: undefined, problem: '', failures: 0 });

const oneSecondMs = 1000;

/** Loads repeatedly. @param isChanging whether the loaded value can change @param everyMs the time until the next load */
export function usePolled<T>(
  key: string,
  load: () => Promise<T>,
  isChanging: (value: T) => boolean,
  everyMs: (value: T) => number = () => oneSecondMs,
): Query<T> {
  const query = useQuery(key, load);
  const { value, reload } = query;
  const isOn = value !== undefined && isChanging(value);
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => !document.hidden && reload(), everyMs(value));
    document.addEventListener('visibilitychange', reload);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', reload);
    };
  }, [value, isOn]);
  return query;
}

const firstDelayMs = 500;
const maxDelayMs = 15_000;

/** The delay after `failures` failures in a row (at least 1). */
export const retryDelayMs = (failures: number): number => Math.min(firstDelayMs * 2 ** (failures - 1), maxDelayMs);

/** Calls `retry` after a delay whenever `failures` increases; 0 stops it. */
export function useRetry(failures: number, retry: () => void): void {
  const current = useRef(retry);
  current.current = retry;
  useEffect(() => {
    if (failures === 0) return;
    const timer = setTimeout(() => current.current(), retryDelayMs(failures));
    return () => clearTimeout(timer);
  }, [failures]);
}
