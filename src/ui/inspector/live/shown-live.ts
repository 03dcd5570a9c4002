/* The live updates of the page that is open, for the bar above it, which shows their connection and can pause them. */

import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { Connection, ConnectionState } from './stream.ts';

export type ShownLive = {
  /** Undefined when there is nothing to connect to, because the filter cannot be read. */
  connection: Connection | undefined;
  isPaused: boolean;
  heldCount: number;
  onPause: (isPaused: boolean) => void;
};

let shown: ShownLive | undefined;
const listeners = new Set<() => void>();

const show = (live: ShownLive | undefined): void => {
  shown = live;
  for (const listener of [...listeners]) listener();
};

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

const labels: Record<ConnectionState, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  retrying: 'Reconnecting',
  off: 'Not connected',
};

/** `Live`, `Not connected`, or `Reconnecting in 4 s`, which counts down. */
export function useConnectionLabel({ state, retryAt }: Connection): string {
  const [, count] = useState(0);
  const isCounting = state === 'retrying' && retryAt !== undefined;
  useEffect(() => {
    if (!isCounting) return;
    const timer = setInterval(() => count(n => n + 1), 500);
    return () => clearInterval(timer);
  }, [isCounting]);
  if (!isCounting) return labels[state];
  return `${labels[state]} in ${Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))} s`;
}
