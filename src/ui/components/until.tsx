/* A time to come, such as `in 3 days`, with the exact time on hover. */

import { formatCount, formatExactTime } from '../format/time.ts';

const units: [unitMs: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** `in 3 days`, `in 20 hours`, `in 5 minutes`, `in less than a minute`. Rounded down, so that nobody counts on too much. */
export function formatUntil(at: number, now: number): string {
  const left = at - now;
  for (const [unit, name] of units) if (left >= unit) return `in ${formatCount(Math.floor(left / unit), name)}`;
  return 'in less than a minute';
}

export const Until = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatExactTime(at)}>
    {formatUntil(at, Date.now())}
  </time>
);
