/* The period of a time axis as a URL keeps it: `from` is a duration, a time or `all`. What is not understood is left out. */

import { parseDuration } from '../../../shared/units.ts';
import { formatInstant, formatPeriod, formatSpan } from '../format/time.ts';

/** Empty texts mean the default of the page. */
export type AxisChoice = { readonly from: string; readonly to: string };

/** The times of a request; undefined means from the oldest event, and until now. */
export type AxisTimes = { from: number | undefined; to: number | undefined };

export const noChoice: AxisChoice = { from: '', to: '' };
const allEvents = 'all';

export const spans: readonly { readonly from: string; readonly label: string }[] = [
  { from: '1h', label: '1 hour' },
  { from: '6h', label: '6 hours' },
  { from: '24h', label: '24 hours' },
  { from: '7d', label: '7 days' },
  { from: '30d', label: '30 days' },
  { from: allEvents, label: 'All' },
];

const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** The start of a period is rounded down to one of these, so that its first bar is a whole one. */
const roundings = [second, 10 * second, minute, 10 * minute, 30 * minute, 3 * hour, 12 * hour, 24 * hour, 168 * hour];
const roundingsInSpan = 36;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
const timeOf = (text: string): number | undefined => {
  const at = instant.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? undefined : at;
};
const spanOf = (text: string): number | undefined => parseDuration(text) || undefined;

/** `2026-11-28T13:50Z`; seconds and milliseconds only where there are any. */
export const instantText = (at: number): string => new Date(at).toISOString().replace(/(?::00)?\.000Z$/, 'Z');

export function readAxis(query: URLSearchParams): AxisChoice {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  if (from === allEvents || spanOf(from) !== undefined) return { from, to: '' };
  const [first, last] = [timeOf(from), timeOf(to)];
  if (first === undefined) return noChoice;
  return { from, to: last !== undefined && last > first ? to : '' };
}

export const axisOf = (from: number, to: number | undefined): AxisChoice => ({
  from: instantText(from),
  to: to === undefined ? '' : instantText(to),
});

export function axisTimes({ from, to }: AxisChoice, now: number): AxisTimes {
  const span = spanOf(from);
  if (span === undefined) return { from: timeOf(from), to: timeOf(to) };
  const rounding = roundings.findLast(one => one * roundingsInSpan <= span) ?? second;
  return { from: Math.max(0, Math.floor((now - span) / rounding) * rounding), to: undefined };
}

/** The shortest of the usual periods that reaches back to a time. */
export function spanReaching(at: number, now: number, shortest: string): string {
  const usual = spans.slice(spans.findIndex(({ from }) => from === shortest));
  // What was chosen at the beginning of an axis stays on it for a while.
  const reaches = (from: string): boolean => now - at <= (spanOf(from) ?? Number.POSITIVE_INFINITY) * 1.03;
  return usual.find(({ from }) => reaches(from))?.from ?? allEvents;
}

/** `6 hours`, `All`, `13:50 – now`: what an axis is called. */
export function axisLabel({ from, to }: AxisChoice, now: number): string {
  const usual = spans.find(one => one.from === from);
  const span = spanOf(from);
  return usual?.label ?? (span === undefined ? formatPeriod(timeOf(from) ?? now, timeOf(to), now) : formatSpan(span));
}

/** After a number of events: `in the last 6 hours`, `since 11:35`, `from 13:50 to 14:00`. @param from of the first event, for `all` */
export function axisWords({ from, to }: AxisChoice, first: number, now: number): string {
  const span = spanOf(from);
  const label = spans.find(one => one.from === from)?.label;
  if (span !== undefined) return `in the last ${(label ?? formatSpan(span)).replace(/^1 /, '')}`;
  const start = timeOf(from) ?? first;
  const end = timeOf(to);
  return end === undefined
    ? `since ${formatInstant(start, now)}`
    : `from ${formatPeriod(start, end, now).replace(' – ', ' to ')}`;
}
