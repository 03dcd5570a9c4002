/* Loading from the API inside a component: one state for waiting, failed and there. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { isRetryable } from '../api.ts';
import { useRetry } from './retry.ts';

type State<T> = {
  key: string;
  value: T | undefined;
  problem: string;
  /** How often in a row it failed for a reason that may pass; it is tried again by itself until that is 0. */
  failures: number;
};

export type Query<T> = Omit<State<T>, 'key'> & { reload: () => void; set: (value: T) => void };

/** Loads on mount and whenever `key` changes; answers for an older key are dropped. A reload keeps what is shown until the new is there. */
export function useQuery<T>(key: string, load: () => Promise<T>): Query<T> {
  const [state, setState] = useState(() => nothing<T>(key));
  const current = useRef({ key, load });
  current.current = { key, load };
  const reload = useCallback((): void => {
    const asked = current.current.key;
    current.current.load().then(
      value => current.current.key === asked && setState({ key: asked, value, problem: '', failures: 0 }),
      (error: unknown) => {
        if (current.current.key !== asked) return;
        const problem = error instanceof Error ? error.message : String(error);
        setState(before => {
          const old = before.key === asked ? before : nothing<T>(asked);
          return { ...old, problem, failures: isRetryable(error) ? old.failures + 1 : 0 };
        });
      },
    );
  }, []);
  useEffect(reload, [key]);
  const set = useCallback(
    (value: T): void => setState({ key: current.current.key, value, problem: '', failures: 0 }),
    [],
  );
  const shown = state.key === key ? state : nothing<T>(key);
  useRetry(shown.failures, reload);
  return { ...shown, reload, set };
}

const nothing = <T>(key: string): State<T> => ({ key, value: undefined, problem: '', failures: 0 });
