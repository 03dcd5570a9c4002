/* Times in a filter, in UTC: a duration before now, a day, an instant of RFC 3339, or a range with `..`. */
import { parseDuration } from '../units.ts';
import type { Moment, Operator, TimeRange } from './filter.ts';

const msPerDay = 86_400_000;

/** Two instants, the second one excluded. A single instant covers the precision in which it is written. */
type Time = { from: Moment; to: Moment; isDay: boolean };

/** Reads a value of `received`. @returns the reason if the text is not a time */
export function parseTimeRange(operator: Operator, text: string): TimeRange | string {
  const ends = text.split('..');
  if (ends.length === 2)
    return operator === ':' ? between(ends) : 'a time range needs ":", as in received:2026-11-20..2026-11-21';
  const time = parseTime(text);
  if (!time) return `${forms}, not ${JSON.stringify(text)}`;
  if (operator !== ':') return compared(operator, time);
  if ('ago' in time.from) return `a duration needs > or <: received>${text} is newer, received<${text} is older`;
  return { from: time.from, to: time.to };
}

const forms = 'received takes a duration (2h), a date (2026-11-20) or a time (2026-11-20T10:00:00Z)';

function between([first = '', last = '']: string[]): TimeRange | string {
  if (first === '' && last === '') return `${forms} before or after the ".."`;
  const [from, to] = [parseTime(first), parseTime(last)];
  const wrong = first !== '' && !from ? first : last !== '' && !to ? last : undefined;
  if (wrong !== undefined) return `${forms} before and after the "..", not ${JSON.stringify(wrong)}`;
  const range = { from: from?.from, to: to && (to.isDay ? to.to : next(to.from)) };
  return isBackwards(range) ? 'the range ends before it starts' : range;
}

function isBackwards({ from, to }: TimeRange): boolean {
  if (!from || !to) return false;
  if ('at' in from && 'at' in to) return from.at >= to.at;
  return 'ago' in from && 'ago' in to && from.ago <= to.ago;
}

/** A day is compared as a whole: `>` is after it, `<=` includes it. */
function compared(operator: Exclude<Operator, ':'>, { from, to, isDay }: Time): TimeRange {
  const end = isDay ? to : next(from);
  if (operator === '>') return { from: end, to: undefined };
  if (operator === '>=') return { from, to: undefined };
  return { from: undefined, to: operator === '<' ? from : end };
}

/** One millisecond later. */
const next = (moment: Moment): Moment => ('at' in moment ? { at: moment.at + 1 } : { ago: moment.ago - 1 });

function parseTime(text: string): Time | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return { from: { ago }, to: { ago }, isDay: false };
  const day = parseDay(text);
  if (day !== undefined) return { from: { at: day }, to: { at: day + msPerDay }, isDay: true };
  return parseInstant(text);
}

function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Some engines read February 30 as March 2.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? undefined : at;
}

/** Epoch ms of an instant; undefined if the text is not an instant. */
export function parseMoment(text: string): number | undefined {
  const from = parseInstant(text)?.from;
  return from && 'at' in from ? from.at : undefined;
}

const instantForm =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):(\d{2}))?$/;

/** RFC 3339; the seconds, and the offset of UTC, may be missing. Digits after the milliseconds have no effect. */
function parseInstant(text: string): Time | undefined {
  const [, date = '', hours = '', minutes = '', seconds, fraction, sign, offsetHours = '0', offsetMinutes = '0'] =
    instantForm.exec(text) ?? [];
  const day = parseDay(date);
  if (day === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 60) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const wholeSeconds = (Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds ?? 0);
  const at = day + wholeSeconds * 1000 + Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const precisionMs = fraction !== undefined ? 1 : seconds !== undefined ? 1000 : 60_000;
  return { from: { at }, to: { at: at + precisionMs }, isDay: false };
}
