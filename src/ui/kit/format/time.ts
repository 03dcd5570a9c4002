/* Formats times, durations, counts and sizes. Pure: the current time is a parameter. */

const units: [limitMs: number, unitMs: number, short: string, long: string][] = [
  [60_000, 1000, 's', 'second'],
  [3_600_000, 60_000, 'm', 'minute'],
  [86_400_000, 3_600_000, 'h', 'hour'],
  [30 * 86_400_000, 86_400_000, 'd', 'day'],
];

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const twoDigits = (amount: number): string => String(amount).padStart(2, '0');

/** `14:03:22`, in the browser's time zone. */
export function formatClock(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
}

/** The beginning of its day, in the browser's time zone. */
export const dayOf = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** The beginning of the day after. A day has 23, 24 or 25 hours. */
export const nextDay = (day: number): number => {
  const date = new Date(day);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
};

/** `Today`, `Yesterday`, else `Fri 20 Nov 2026`, in the browser's time zone. */
export function formatDay(at: number, now: number): string {
  const day = dayOf(at);
  const today = dayOf(now);
  if (day === today) return 'Today';
  if (nextDay(day) === today) return 'Yesterday';
  return `${dayNames[new Date(at).getDay()]} ${formatDate(at)}`;
}

/** `20 Nov 2026`. */
function formatDate(at: number): string {
  const time = new Date(at);
  return `${time.getDate()} ${monthNames[time.getMonth()]} ${time.getFullYear()}`;
}

/** `14:03:22`; on another day than today `20 Nov 14:03`, in another year `20 Nov 2025`. */
export function formatMoment(at: number, now: number): string {
  if (dayOf(at) === dayOf(now)) return formatClock(at);
  const date = formatDate(at);
  return new Date(at).getFullYear() === new Date(now).getFullYear()
    ? `${date.slice(0, -5)} ${formatClock(at).slice(0, -3)}`
    : date;
}

/** In a sentence: `today at 14:03:22`, `yesterday at 14:03:22`, else `on 20 Nov 2026 at 14:03`. */
export function formatLongMoment(at: number, now: number): string {
  const day = formatDay(at, now);
  return day === 'Today' || day === 'Yesterday'
    ? `${day.toLowerCase()} at ${formatClock(at)}`
    : `on ${formatDate(at)} at ${formatClock(at).slice(0, -3)}`;
}

/** `13:50`, with seconds `13:50:05`; on another day than today `20 Nov 13:50`, in another year `20 Nov 2025 13:50`. */
export function formatInstant(at: number, now: number): string {
  const clock = formatClock(at).replace(/:00$/, '');
  if (dayOf(at) === dayOf(now)) return clock;
  const date = formatDate(at);
  return `${new Date(at).getFullYear() === new Date(now).getFullYear() ? date.slice(0, -5) : date} ${clock}`;
}

/** `13:50 – 14:00`, `20 Nov 13:50 – 14:00`; to the present `13:50 – now`. @param to undefined: the present */
export function formatPeriod(from: number, to: number | undefined, now: number): string {
  const start = formatInstant(from, now);
  if (to === undefined) return `${start} – now`;
  return `${start} – ${formatInstant(to, from)}`;
}

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

const minutes = { year: 'numeric', month: 'short', hour: '2-digit', hourCycle: 'h23', minute: '2-digit' } as const;
const millis = { day: '2-digit', second: '2-digit', fractionalSecondDigits: 3, timeZoneName: 'short' } as const;

/** Date and time with milliseconds, in the browser's time zone. */
export const formatExactTime = (at: number): string =>
  new Date(at).toLocaleString(undefined, { ...minutes, ...millis });

/** Date, hour and minute, in the browser's time zone. */
export const formatMinute = (at: number): string =>
  new Date(at).toLocaleString(undefined, { ...minutes, day: 'numeric' });

/** `14:05`; on another day than today with the date. In the browser's time zone. */
export const formatTimeOfDay = (at: number, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString()
    ? new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
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
