/* Loads data from the API in a component. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isRetryable } from './api.ts';
import { useRetry } from './retry.ts';

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
        const problem = error instanceof Error ? error.message : String(error);
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
