/* Relative times that update themselves, with the exact time on hover. All share one timer. */

import { useEffect, useReducer } from 'preact/hooks';
import { formatExactTime, formatLongAge, formatShortAge } from '../format/time.ts';

const listeners = new Set<() => void>();
setInterval(() => {
  if (!document.hidden) for (const listener of [...listeners]) listener();
}, 1000);

function useTick(isEnabled: boolean): void {
  const [, tick] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (!isEnabled) return;
    const listener = (): void => tick(undefined);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [isEnabled]);
}

export function Time({ at, long = false }: { at: number; long?: boolean }) {
  useTick(Date.now() - at < 86_400_000);
  const now = Date.now();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExactTime(at)}>
      {long ? formatLongAge(at, now) : formatShortAge(at, now)}
    </time>
  );
}
