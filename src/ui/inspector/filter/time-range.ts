/* Periods as terms of a filter: read from any `received` terms, written as one, and in words and local time. */

import { FilterError, type Moment, timeRangeAt } from '../../../shared/filter/filter.ts';
import { formatInstant, formatPeriod, formatSpan } from '../../kit/format/time.ts';
import { instantText } from '../../kit/timeline/axis.ts';
import type { TimePeriod } from '../../kit/timeline/range.ts';
import { parse } from './filter-text.ts';

/** Epoch ms; `to` is excluded, and undefined means no bound. */
export type TimeBounds = { from: number | undefined; to: number | undefined };

/** The term for a period, whose end does not belong to it: the language includes the end of a range. */
export const periodTerm = ({ from, to }: TimePeriod): string =>
  `received:${instantText(from)}..${to === undefined ? '' : instantText(to - 1)}`;

const rangeIn = (term: string) => {
  const filter = parse(term);
  if (filter instanceof FilterError || filter.root?.kind !== 'term') return undefined;
  return filter.root.on === 'column' && filter.root.column === 'received' ? filter.root.range : undefined;
};

/** The time that `received` terms leave together; undefined without such terms. */
export function boundsOf(terms: readonly string[], now: number): TimeBounds | undefined {
  const all = terms.flatMap(term => rangeIn(term) ?? []).map(range => timeRangeAt(range, now));
  if (all.length === 0) return undefined;
  const [starts, ends] = [all.flatMap(({ from }) => from ?? []), all.flatMap(({ to }) => to ?? [])];
  return {
    from: starts.length > 0 ? Math.max(...starts) : undefined,
    to: ends.length > 0 ? Math.min(...ends) : undefined,
  };
}

/** `from` and `to` as a field of the type datetime-local has them (`2026-11-22T14:05`, local time); empty means open. */
export type LocalRange = { from: string; to: string };

export const rangeProblem = ({ from, to }: LocalRange): string | undefined => {
  if (!from && !to) return 'Choose a start, an end, or both.';
  if (from && to && new Date(from) >= new Date(to)) return 'The end must be after the start.';
  return undefined;
};

/** The term for times of the fields: the end is excluded. */
export const localTerm = ({ from, to }: LocalRange): string => {
  const [start, end] = [from, to].map(local => (local ? new Date(local).getTime() : undefined));
  if (start !== undefined) return periodTerm({ from: start, to: end });
  return `received:..${instantText((end ?? 0) - 1)}`;
};

export function localRangeOf(terms: readonly string[], now: number): LocalRange {
  const { from, to } = boundsOf(terms, now) ?? {};
  return { from: from === undefined ? '' : localMinute(from), to: to === undefined ? '' : localMinute(to) };
}

/** `2026-11-22T14:05` in local time. */
export const localMinute = (at: number): string =>
  Math.abs(at) > 8e15 ? '' : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** A `received` term in words and local time: `Received 13:50 – now`, `in the last 5 minutes`. Undefined for other terms. */
export function describeTime(term: string, now: number): string | undefined {
  const range = rangeIn(term);
  if (!range) return undefined;
  const [first, last] = [range.from && roundAgo(range.from), range.to && roundAgo(range.to)];
  const isNow = [first, last].some(moment => moment && 'ago' in moment && moment.ago <= 0);
  if (isNow) return undefined;
  if (first && 'ago' in first && !last) return `in the last ${formatSpan(first.ago).replace(/^1 /, '')}`;
  if (last && 'ago' in last && !first) return `more than ${formatSpan(last.ago)} ago`;
  const { from, to } = timeRangeAt({ from: first, to: last }, now);
  if (from !== undefined) return `Received ${formatPeriod(from, to, now)}`;
  return `Received before ${formatInstant(to ?? now, now)}`;
}

/** `>` and `<=` mean one millisecond later. */
const roundAgo = (moment: Moment): Moment =>
  'ago' in moment ? { ago: Math.round(moment.ago / 1000) * 1000 } : { at: Math.floor(moment.at / 1000) * 1000 };

/** The zone of local times, such as `Europe/Berlin (GMT+1)`. */
export function zoneName(now: number): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const offset = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return offset === undefined || offset === timeZone ? timeZone : `${timeZone} (${offset})`;
}
