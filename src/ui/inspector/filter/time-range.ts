/* Time ranges as terms of a filter: presets, and two times of this machine's clock that are written in UTC. */

import { formatMinute } from '../../kit/format/time.ts';

export type TimePreset = { label: string; term: string };

export const timePresets: readonly TimePreset[] = [
  { label: 'Last 15 minutes', term: 'received>15m' },
  { label: 'Last hour', term: 'received>1h' },
  { label: 'Last 24 hours', term: 'received>24h' },
  { label: 'Last 7 days', term: 'received>7d' },
];

/** `from` and `to` as a field of the type datetime-local has them (`2026-11-22T14:05`, local time); empty means open. */
export type LocalRange = { from: string; to: string };

const isoMinute = /^(received(?:>=?|<))(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))$/i;

/** `2026-11-22T13:05:00Z` */
const utc = (local: string): string => `${new Date(local).toISOString().slice(0, 19)}Z`;

/** The terms for a range: `from` belongs to it, `to` does not. */
export const rangeTerms = ({ from, to }: LocalRange): string[] => [
  ...(from ? [`received>=${utc(from)}`] : []),
  ...(to ? [`received<${utc(to)}`] : []),
];

/** What is wrong with a range; undefined when nothing is. */
export const rangeProblem = ({ from, to }: LocalRange): string | undefined => {
  if (!from && !to) return 'Choose a start, an end, or both.';
  if (from && to && new Date(from) >= new Date(to)) return 'The end must be after the start.';
  return undefined;
};

/** The times in terms that `rangeTerms` writes, for the fields; empty without such a term. */
export function localRangeOf(terms: readonly string[]): LocalRange {
  const range: LocalRange = { from: '', to: '' };
  for (const term of terms) {
    const [, start = '', time = ''] = isoMinute.exec(term) ?? [];
    const at = Date.parse(time);
    if (Number.isNaN(at)) continue;
    range[start.includes('<') ? 'to' : 'from'] = localMinute(at);
  }
  return range;
}

/** `2026-11-22T14:05` in local time. */
export const localMinute = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** A term with a point in time, in words and local time: `received from 22 Nov 2026, 14:05`. */
export function describeTime(term: string): string | undefined {
  const [, start = '', time = ''] = isoMinute.exec(term) ?? [];
  const at = Date.parse(time);
  if (Number.isNaN(at)) return undefined;
  const relation = start.endsWith('<') ? 'before' : start.endsWith('=') ? 'from' : 'after';
  return `received ${relation} ${formatMinute(at)}`;
}

/** The name of the range that the received terms of a filter make together. */
export function describeRange(terms: readonly string[]): string {
  if (terms.length === 0) return 'any time';
  const preset = timePresets.find(({ term }) => terms.length === 1 && term === terms[0]);
  return (
    preset?.label.toLowerCase() ?? terms.map(term => describeTime(term)?.replace(/^received /, '') ?? term).join(', ')
  );
}

/** The zone of local times, such as `Europe/Berlin (GMT+1)`. */
export function zoneName(now: number): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const offset = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return offset === undefined || offset === timeZone ? timeZone : `${timeZone} (${offset})`;
}
