/* Relative times that keep up, with the exact time on hover. One timer serves the whole page. */

import { useEffect, useReducer } from 'preact/hooks';
import { formatExactTime, formatLongAge, formatShortAge } from '../format/time.ts';

const watchers = new Set<() => void>();
setInterval(() => {
  if (!document.hidden) for (const watcher of [...watchers]) watcher();
}, 1000);

function useTick(on: boolean): void {
  const [, tick] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    if (!on) return;
    const watcher = (): void => tick(undefined);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, [on]);
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
