/* What can be written at the caret of a filter: names of fields, then values that were seen, which are captured text. */

import { fields } from '../../../shared/filter/fields.ts';
import { toCharacters, tokenize } from '../../../shared/filter/tokens.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { indexAt, positionAt, termFor } from './filter-text.ts';
import type { SeenValues } from './seen-values.ts';

export type Suggestion = {
  /** Is put in the place of the word at the caret. */
  text: string;
  hint: string;
  isWhole: boolean;
};

export type Completion = ReturnType<typeof complete>;

const maxSuggestions = 50;
/** Terms with a seen value that are suggested for a word without a field. */
const maxWordTerms = 6;
const maxSeenValues = 300;
const dayMs = 86_400_000;

/**
 * @param caret an index of the text (UTF-16)
 * @param without fields that are not suggested
 * @returns the word at the caret, as indexes of the text (UTF-16), its part before the caret, and whether it is the value of a field
 */
export function complete(text: string, caret: number, seen: SeenValues, now: number, without: readonly string[] = []) {
  const { start, end } = wordAt(text, caret);
  const prefix = text.slice(start, caret);
  const [, field, operator = ''] = /^((?:"(?:[^"\\]|\\.)*"|[^"<>:=])+)(:|[<>]=?)/.exec(prefix) ?? [];
  const found =
    field === undefined
      ? fieldSuggestions(prefix, seen)
      : matching(valueSuggestions(field, operator, seen, now), prefix.slice(field.length + operator.length), field);
  // A suggestion that is already written is not offered.
  const written = text.slice(start, end);
  const suggestions = found
    .filter(one => one.text !== written && !without.includes(/^\w+(?=[:<>])/.exec(one.text)?.[0] ?? ''))
    .slice(0, maxSuggestions);
  return { start, end, isValue: field !== undefined, prefix, suggestions };
}

/** The word around the caret; empty between words. */
function wordAt(text: string, caret: number): { start: number; end: number } {
  const position = positionAt(text, caret);
  const word = tokenize(toCharacters(text)).find(
    token => token.kind === 'word' && token.start < position && position <= token.end,
  );
  return word ? { start: indexAt(text, word.start), end: indexAt(text, word.end) } : { start: caret, end: caret };
}

function fieldSuggestions(prefix: string, seen: SeenValues): Suggestion[] {
  const wanted = prefix.toLowerCase();
  const [, place, rest = ''] = /^(header|query|body)[.[](.*)$/.exec(wanted) ?? [];
  if (place !== undefined) return contentSuggestions(seen, place, rest);
  const names = fields.map(({ name, description, example, isComparable }) => ({
    text: name.endsWith('.') ? name : name + operatorOf(example, isComparable),
    hint: description,
    isWhole: false,
  }));
  if (wanted === '') return names;
  const terms = ['type', 'platform', 'tag', 'path'].flatMap(field => valueSuggestions(field, ':', seen, 0));
  return [
    ...names.filter(({ text }) => text.startsWith(wanted)),
    ...terms.filter(({ text }) => text.toLowerCase().includes(wanted)).slice(0, maxWordTerms),
    ...contentSuggestions(seen, 'body', wanted).slice(0, maxWordTerms),
  ];
}

/** `received>`, but `type:`. */
const operatorOf = (example: string, isComparable: boolean): string =>
  isComparable ? (/[<>]=?|:/.exec(example)?.[0] ?? ':') : ':';

/** The fields of the selected event in a place, `header` or `body`, that contain what is wanted; with the values that they have. */
const contentSuggestions = ({ fields: seen }: SeenValues, place: string, wanted: string): Suggestion[] =>
  seen
    .filter(({ field }) => field.startsWith(place) && field.toLowerCase().includes(wanted, place.length + 1))
    .filter(({ field }) => termFor(field, 'x') !== undefined)
    .map(({ field, value }) => ({ text: `${field}:`, hint: value ?? '', isWhole: false }));

/** Whole terms for a field, the likeliest first. */
function valueSuggestions(field: string, operator: string, seen: SeenValues, now: number): Suggestion[] {
  const name = field.toLowerCase();
  if (name === 'has') {
    const named = seen.fields.filter(one => termFor(one.field, 'x') !== undefined);
    return named.map(one => ({ text: `${field}:${one.field}`, hint: one.value ?? '', isWhole: true }));
  }
  if (name === 'received') return timeSuggestions(operator, now);
  const fixed = fixedValues[name] ?? fields.find(one => one.name === name)?.values.map(value => [value, ''] as const);
  if (fixed?.length) return fixed.map(([value, hint]) => ({ text: field + operator + value, hint, isWhole: true }));
  const values = seenColumn(name, seen) ?? seen.fields.filter(one => one.field === field).map(({ value }) => value);
  const terms = values.slice(0, maxSeenValues).flatMap(value => {
    const term = value === undefined ? undefined : termFor(field, value);
    if (term === undefined) return [];
    const hint = name === 'platform' && value !== undefined ? platformTitle(value) : '';
    return [{ text: field + operator + term.slice(field.length + 1), hint, isWhole: true }];
  });
  return name === 'type' ? [...terms, ...familySuggestions(field, seen.types)] : terms;
}

const fixedValues: Record<string, readonly (readonly [value: string, hint: string])[] | undefined> = {
  size: [
    ['1k', '1 KiB'],
    ['10k', '10 KiB'],
    ['100k', '100 KiB'],
    ['1M', '1 MiB'],
  ],
  attempt: [
    ['1', 'the first'],
    ['2', 'the second'],
    ['3', 'the third'],
  ],
  answered: [
    ['2xx', 'success'],
    ['4xx', 'refused'],
    ['5xx', 'failed'],
    ['200', 'the default'],
    ['429', 'too many requests'],
    ['401', 'credentials missing or wrong'],
  ],
};

const seenColumn = (name: string, seen: SeenValues): readonly string[] | undefined => {
  const { types: type, platforms: platform, methods: method, paths: path, tags: tag, ips: ip } = seen;
  const columns: Record<string, readonly string[]> = { type, platform, method, path, tag, ip };
  return Object.hasOwn(columns, name) ? columns[name] : undefined;
};

/** Of `invoice.paid` and `invoice.voided`: `type:invoice.*`. */
const familySuggestions = (field: string, types: readonly string[]): Suggestion[] => {
  const counts = new Map<string, number>();
  for (const type of types) {
    const family = /^[\w-]+(?=\.)/.exec(type)?.[0];
    if (family) counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([family, count]) => ({ text: `${field}:${family}.*`, hint: `${count} types`, isWhole: true }));
};

/** How long ago after a comparison; days, in UTC, after a colon. */
function timeSuggestions(operator: string, now: number): Suggestion[] {
  const day = (daysAgo: number): string => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
  const isBefore = operator.startsWith('<');
  const values =
    operator === ':'
      ? [
          [day(0), 'today, in UTC'],
          [day(1), 'yesterday, in UTC'],
          [`${day(6)}..${day(0)}`, '7 days, in UTC'],
        ]
      : [
          ['15m', '15 minutes ago'],
          ['1h', 'an hour ago'],
          ['24h', '24 hours ago'],
          ['7d', '7 days ago'],
        ].map(([value = '', hint = '']) => [value, `${isBefore ? 'before' : 'after'} ${hint}`]);
  return values.map(([value = '', hint = '']) => ({ text: `received${operator}${value}`, hint, isWhole: true }));
}

/** The suggestions that contain the written part of the value, the ones that begin with it first. */
function matching(suggestions: Suggestion[], written: string, field: string): Suggestion[] {
  const wanted = written.replace(/^"/, '').toLowerCase();
  const rank = ({ text }: Suggestion): number => {
    const value = text
      .slice(field.length)
      .replace(/^(?::|[<>]=?)"?/, '')
      .toLowerCase();
    return value.startsWith(wanted) ? 0 : value.includes(wanted) ? 1 : 2;
  };
  return suggestions.filter(one => rank(one) < 2).sort((a, b) => rank(a) - rank(b));
}
