/* Loading from the API inside a component: one state for waiting, failed and there. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export type Loaded<T> = { value: T | undefined; problem: string; reload: () => void; set: (value: T) => void };

/** Loads on mount and whenever `key` changes; answers for an older key are dropped. A reload keeps what is shown until the new is there. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value: T | undefined; problem: string }>({
    key,
    value: undefined,
    problem: '',
  });
  const current = useRef({ key, load });
  current.current = { key, load };
  const reload = useCallback((): void => {
    const asked = current.current.key;
    current.current.load().then(
      value => current.current.key === asked && setState({ key: asked, value, problem: '' }),
      (error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        if (current.current.key === asked)
          setState(old => ({ key: asked, value: old.key === asked ? old.value : undefined, problem }));
      },
    );
  }, []);
  useEffect(reload, [key]);
  const set = useCallback((value: T): void => setState({ key: current.current.key, value, problem: '' }), []);
  return state.key === key
    ? { value: state.value, problem: state.problem, reload, set }
    : { value: undefined, problem: '', reload, set };
}
