/* Formats times, durations, counts and sizes. Pure: the current time is a parameter. */

const units: [limitMs: number, unitMs: number, short: string, long: string][] = [
  [60_000, 1000, 's', 'second'],
  [3_600_000, 60_000, 'm', 'minute'],
  [86_400_000, 3_600_000, 'h', 'hour'],
  [30 * 86_400_000, 86_400_000, 'd', 'day'],
];

/** `now`, `12s`, `4m`, `3h`, `6d`, then a date. Future times are `now`. */
export function formatShortAge(at: number, now: number): string {
  const age = now - at;
  if (age < 2000) return 'now';
  for (const [limit, unit, short] of units) if (age < limit) return `${Math.floor(age / unit)}${short}`;
  return new Date(at).toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
}

/** `just now`, `12 seconds ago`, …, then `on <date>`. */
export function formatLongAge(at: number, now: number): string {
  const age = now - at;
  if (age < 2000) return 'just now';
  for (const [limit, unit, , long] of units) if (age < limit) return `${formatCount(Math.floor(age / unit), long)} ago`;
  return `on ${formatShortAge(at, now)}`;
}

/** Date and time with milliseconds, in the browser's time zone. */
export const formatExactTime = (at: number): string =>
  new Date(at).toLocaleString(undefined, {
    year: 'numeric',
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'short',
  });

/** Date, hour and minute, in the browser's time zone. */
export const formatMinute = (at: number): string =>
  new Date(at).toLocaleString(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });

/** `14:05`; on another day than today with the date. In the browser's time zone. */
export const formatTimeOfDay = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString()
    ? new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : formatMinute(at);

/** `90 days`, `12 hours`; 0 means forever. */
export function formatSpan(ms: number): string {
  if (ms === 0) return 'forever';
  for (const [, unit, , long] of [...units].reverse()) if (ms % unit === 0) return formatCount(ms / unit, long);
  return formatCount(Math.round(ms / 1000), 'second');
}

/** `1 event`, `2,000 events`. */
export const formatCount = (amount: number, noun: string): string =>
  `${amount.toLocaleString()} ${noun}${amount === 1 ? '' : 's'}`;

/** `0 B`, `934 B`, `1.4 KB`, `12 MB`; powers of 1024. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${['B', 'KB', 'MB', 'GB'][power]}`;
}

/** `840 ms`, `2.4 s`. */
export const formatDuration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
