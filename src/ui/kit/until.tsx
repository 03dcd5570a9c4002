/* A time to come, such as `in 3 days`, with the exact time on hover. */

import { formatCount, formatExactTime } from './format/time.ts';

const units: [unitMs: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** `in 3 days`, `in 30 hours`, `in 5 minutes`, `in less than a minute`. At least two of a unit, so that rounding says little wrong. */
export function formatUntil(at: number, now: number): string {
  const left = at - now;
  for (const [unit, name] of units)
    if (left >= 2 * unit - unit / 100) return `in ${formatCount(Math.round(left / unit), name)}`;
  return left >= 60_000 ? 'in 1 minute' : 'in less than a minute';
}

export const Until = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatExactTime(at)}>
    {formatUntil(at, Date.now())}
  </time>
);
