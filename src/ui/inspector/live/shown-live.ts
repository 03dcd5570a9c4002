/* The live updates of the page that is open, for the bar above it, which shows their connection and can pause them. */

import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';
import type { Connection } from './stream.ts';

export type ShownLive = {
  /** Undefined when there is nothing to connect to, because the filter cannot be read. */
  connection: Connection | undefined;
  isPaused: boolean;
  /** How many events have come since the pause. */
  heldCount: number;
  onPause: (isPaused: boolean) => void;
};

let shown: ShownLive | undefined;
const listeners = new Set<() => void>();

const show = (live: ShownLive | undefined): void => {
  shown = live;
  for (const listener of [...listeners]) listener();
};

/** Shows them as long as the page is open. */
export function useShowLive({ connection, isPaused, heldCount, onPause }: ShownLive): void {
  useLayoutEffect(() => show({ connection, isPaused, heldCount, onPause }), [connection, isPaused, heldCount, onPause]);
  useLayoutEffect(() => () => show(undefined), []);
}

/** Undefined on a page without live updates. */
export function useShownLive(): ShownLive | undefined {
  const [, render] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const listener = (): void => render(undefined);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return shown;
}
