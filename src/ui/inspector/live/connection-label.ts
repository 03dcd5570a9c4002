/* The state of the connection in words. They are shown once on a page. */

import { useEffect, useState } from 'preact/hooks';
import type { Connection, ConnectionState } from './stream.ts';

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
