/* Times by the clock or relative, as the reader has chosen, with the exact time on hover. They update themselves with one timer. */

import { useEffect, useReducer } from 'preact/hooks';
import {
  formatClock,
  formatCount,
  formatExactTime,
  formatLongAge,
  formatLongMoment,
  formatMoment,
  formatShortAge,
} from './format/time.ts';
import { createSwitch } from './preferences.ts';

export const relativeTimes = createSwitch('relative-times');

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

type TimeProps = {
  at: number;
  /** For a sentence. */
  long?: boolean;
  /** The day is shown beside it. */
  isDayShown?: boolean;
  /** Always relative, regardless of the preference, because the exact time is shown next to it. */
  isMomentShown?: boolean;
};

export function Time({ at, long = false, isDayShown = false, isMomentShown = false }: TimeProps) {
  const isRelative = relativeTimes.useValue() || isMomentShown;
  const now = Date.now();
  useTick(isRelative ? now - at < 86_400_000 : !isDayShown && now - at < 2 * 86_400_000);
  const age = long ? formatLongAge(at, now) : formatShortAge(at, now);
  const moment = long ? formatLongMoment(at, now) : isDayShown ? formatClock(at) : formatMoment(at, now);
  return (
    <time dateTime={new Date(at).toISOString()} title={`${formatExactTime(at)} · ${formatLongAge(at, now)}`}>
      {isRelative ? age : moment}
    </time>
  );
}

/** For a sentence. */
export const LastUsed = ({ at }: { at: number | null }) =>
  at === null ? (
    <>never used</>
  ) : (
    <>
      last used <Time at={at} long />
    </>
  );

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

/** A time to come. It does not update itself. */
export const Until = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()} title={formatExactTime(at)}>
    {formatUntil(at, Date.now())}
  </time>
);
