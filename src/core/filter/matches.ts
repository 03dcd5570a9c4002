/*
 * Where an event meets a filter: the fields that its terms about contents and texts match, each with its value. A field is written
 * as in a filter. Terms under NOT, in an alternative that does not match, and about columns are left out. Works in steps.
 */
import { bodyField, formField, headerField, queryField } from '../../shared/filter/field-names.ts';
import {
  type ContentTerm,
  type Filter,
  type HasTerm,
  type Node,
  type Step,
  type Term,
  type TextTerm,
  termsOf,
} from '../../shared/filter/filter.ts';
import { excerptOfMatch, foldCase } from '../blocks/search-text.ts';
import { asBuffer } from '../encoding/buffer.ts';
import { lowerName } from '../headers.ts';
import { quote, skipValue, stringAt } from '../json/bytes.ts';
import { type JsonPlace, walkJson } from '../json/walk.ts';
import { maxMatchCharacters, maxMatches } from '../limits.ts';
import { charactersAround, decodeUtf8Leniently, firstCharacters } from '../text.ts';
import { type ContentTest, createContentTest } from './content-test.ts';
import { evaluateInSteps } from './evaluate.ts';
import type { EventContent } from './event-content.ts';
import type { EventFacts } from './event-facts.ts';
import { eachParameter, textOfPart } from './form-fields.ts';
import { countMatches, createJsonPaths } from './json-fields.ts';
import { stepBytes } from './steps.ts';

export type Match = { field: string; text: string };

/** How many hits on whole values, and on parts, are kept until the best are chosen. */
const maxHits = 8;
/** A field with more steps or characters does not fit into a filter beside its value. */
const maxFieldSteps = 40;
const maxFieldCharacters = 1000;

/** `order`: the place in the event. `value`: where a JSON value is, whose key a later one may repeat. */
type Hit = Match & {
  isWhole: boolean;
  order: number;
  value?: { path: Step[]; start: number; isText: boolean };
};
/** The fields of a body come after these. */
const orderOf = { type: -3, header: -2, query: -1 } as const;

type ContentOrHas = Term & (ContentTerm | HasTerm);
type Shown = { texts: { term: TextTerm; folded: string }[]; contents: { term: ContentOrHas; test: ContentTest }[] };
type Facts = Partial<EventFacts> & { content: EventContent };

/** Whether the filter has terms whose matches are shown. */
export const hasMatches = ({ root }: Filter): boolean => termsOf(root).some(({ on }) => on !== 'column');

/**
 * At most `maxMatches` matches of an event that meets the filter: whole values first, then in the order of the event.
 * @param now as for `evaluate`
 */
export function* findMatches({ root }: Filter, facts: Facts, now: number): Generator<undefined, Match[]> {
  const terms = root ? yield* shownTerms(root, facts, now) : [];
  if (terms.length === 0) return [];
  const shown: Shown = {
    texts: terms.flatMap(term => (term.on === 'text' ? [{ term, folded: foldCase(term.text) }] : [])),
    contents: terms.flatMap(term =>
      term.on === 'content' || term.on === 'has' ? [{ term, test: createContentTest(term) }] : [],
    ),
  };
  const hits = createHits();
  const { content, type } = facts;
  for (const { folded } of shown.texts) if (type) hits.addText(folded, type, { field: 'type', order: orderOf.type });
  yield* addNamed(hits, shown, content);
  yield* addBody(hits, shown, content);
  const rest = shown.texts.filter(({ folded }) => !hits.has(folded));
  for (const { term, folded } of rest) {
    const text = yield* excerptOfMatch(term.text, content.body, maxMatchCharacters);
    if (text !== undefined) hits.addToBody(folded, text, content.body.length);
  }
  return yield* bestOf(hits.all(), content);
}

/** The terms about contents and texts of the alternatives that may match. */
function* shownTerms(node: Node, facts: Facts, now: number): Generator<undefined, Term[]> {
  if (node.kind === 'term') return node.on === 'column' ? [] : [node];
  if (node.kind === 'not') return [];
  const terms: Term[] = [];
  for (const one of node.nodes) {
    const isAlternative = node.kind === 'or' && one.kind === 'and';
    if (isAlternative && (yield* evaluateInSteps(filterOf(one), facts, now)) === false) continue;
    terms.push(...(yield* shownTerms(one, facts, now)));
  }
  return terms;
}

const filters = new WeakMap<Node, Filter>();
function filterOf(root: Node): Filter {
  const filter = filters.get(root) ?? { text: '', root, parts: [] };
  filters.set(root, filter);
  return filter;
}

type Hits = ReturnType<typeof createHits>;

function createHits() {
  const whole: Hit[] = [];
  const parts: Hit[] = [];
  /** The texts that were found, and those that were found outside of values. */
  const found = new Set<string>();
  const inBody = new Set<string>();

  const add = (hit: Hit): void => {
    const list = hit.isWhole ? whole : parts;
    if (list.length < maxHits && !list.some(({ field, text }) => field === hit.field && text === hit.text))
      list.push(hit);
  };
  return {
    has: (folded: string): boolean => found.has(folded),
    all: (): Hit[] => [...whole, ...parts],
    add,

    /** Adds a value that meets a term about it. @param value the decoded value */
    addValue(value: string, { term }: Shown['contents'][number], hit: Pick<Hit, 'field' | 'order' | 'value'>): void {
      const pieces = term.on === 'content' && !term.value.isQuoted ? term.value.text.split('*') : [];
      const piece = pieces.length > 1 ? (pieces.find(one => one !== '') ?? '') : value;
      const at = value.indexOf(piece);
      add({ ...hit, text: charactersAround(value, at, at + piece.length, maxMatchCharacters), isWhole: true });
    },

    /** Adds a value if the text is a part of it, or of how it is written. */
    addText(folded: string, value: string, hit: Pick<Hit, 'field' | 'order' | 'value'>, written = value): void {
      const foldedValue = foldCase(value);
      const at = foldedValue.indexOf(folded);
      if (at < 0 && !foldCase(written).includes(folded)) return;
      found.add(folded);
      const [start, end] = at < 0 ? [0, 0] : [at, at + folded.length];
      const isWhole = foldedValue === folded || foldCase(written) === folded;
      add({ ...hit, text: charactersAround(value, start, end, maxMatchCharacters), isWhole });
    },

    /** Adds the first part of a body where a text is in a key, or not in one value. @param excerpt the body around it */
    addToBody(folded: string, excerpt: string, order: number): void {
      found.add(folded);
      if (!inBody.has(folded)) add({ field: 'body', text: excerpt, isWhole: false, order });
      inBody.add(folded);
    },
  };
}

/** Adds headers and query parameters. */
function* addNamed(hits: Hits, { contents }: Shown, content: EventContent): Generator<undefined, void> {
  for (const one of contents) {
    const { term, test } = one;
    if (term.field === 'header') {
      for (const [name, value] of content.headers)
        if (lowerName(name) === term.key && (test.isPresence || test.matchesText(value)))
          hits.addValue(value, one, { field: headerField(name), order: orderOf.header });
    } else if (term.field === 'query')
      yield* eachParameter(
        content.query,
        ({ name, value }) => {
          if (name === term.key && (test.isPresence || test.matchesText(value)))
            hits.addValue(value, one, { field: queryField(name), order: orderOf.query });
        },
        stepBytes,
      );
  }
}

function* addBody(hits: Hits, { texts, contents }: Shown, content: EventContent): Generator<undefined, void> {
  const ofBody = contents.filter(({ term }) => term.field === 'body');
  const fields = yield* content.bodyFields(stepBytes);
  if (fields.kind === 'json') yield* addJson(hits, { texts, contents: ofBody }, content.body);

  const isNamed = ({ term }: Shown['contents'][number], name: string): boolean =>
    term.field === 'body' && (term.name === name || term.name === `${name}[]`);
  /** Adds a field of a form. */
  const addField = (name: string, value: string, written: string, order: number): void => {
    const hit = { field: formField(name), order };
    for (const { folded } of texts) hits.addText(folded, value, hit, written);
    for (const one of ofBody) {
      const { test } = one;
      if (isNamed(one, name) && (test.isPresence || test.matchesText(value))) hits.addValue(value, one, hit);
    }
  };
  if (fields.kind === 'form')
    yield* eachParameter(
      fields.text,
      ({ name, value, writtenName, writtenValue, start }) => {
        addField(name, value, writtenValue, start);
        for (const { folded } of texts)
          if (foldCase(writtenName).includes(folded))
            hits.addToBody(
              folded,
              charactersAround(fields.text, start, start + writtenName.length, maxMatchCharacters),
              start,
            );
      },
      stepBytes,
    );
  if (fields.kind === 'multipart')
    for (const [order, part] of fields.parts.entries()) {
      const text = textOfPart(part);
      const { name, filename = '' } = part;
      if (name !== undefined && text !== undefined) addField(name, text, text, order);
      // A file is present, but has no text.
      else if (name !== undefined && ofBody.some(one => one.test.isPresence && isNamed(one, name)))
        hits.add({
          field: formField(name),
          text: firstCharacters(filename, maxMatchCharacters),
          isWhole: false,
          order,
        });
      yield;
    }
}

function* addJson(hits: Hits, { texts, contents }: Shown, body: Uint8Array): Generator<undefined, void> {
  const onKey = (key: string, start: number, end: number): void => {
    if (texts.length === 0) return;
    const foldedKey = foldCase(key);
    for (const { folded } of texts) {
      const at = foldedKey.indexOf(folded);
      if (at >= 0) hits.addToBody(folded, excerptOfKey(body, { key, at, length: folded.length, start, end }), start);
    }
  };
  const onValue = (place: JsonPlace, start: number, end: number | undefined): void => {
    const meeting = contents.filter(({ term, test }) => {
      if (term.field !== 'body' || !leadsTo(term.path, place)) return false;
      return test.isPresence || (end !== undefined && test.matchesJson(body, start, end));
    });
    if (meeting.length === 0 && texts.length === 0) return;
    const value = end === undefined ? undefined : valueAt(body, start, end);
    const foldedValue = value !== undefined && texts.length > 0 ? foldCase(value) : undefined;
    const contained = texts.filter(({ folded }) => foldedValue?.includes(folded));
    const field = meeting.length + contained.length > 0 ? fieldOf(place) : undefined;
    if (field === undefined) return;
    if (value === undefined) {
      hits.add({ field, text: excerptOfContainer(body, start), isWhole: false, order: start });
      return;
    }
    const path = place.map((step): Step => (typeof step === 'number' ? { anyItem: true } : { key: step }));
    const hit = (isText: boolean) => ({ field, order: start, value: { path, start, isText } });
    for (const one of meeting) hits.addValue(value, one, hit(false));
    for (const { folded } of contained) hits.addText(folded, value, hit(true));
  };
  yield* walkJson(body, { onKey, onValue }, stepBytes);
}

const valueAt = (body: Uint8Array, start: number, end: number): string =>
  body[start] === quote ? stringAt(body, start, end) : asBuffer(body).toString('latin1', start, end);

/** Whether a path of a filter leads to a value. */
const leadsTo = (path: readonly Step[], place: JsonPlace): boolean =>
  path.length === place.length &&
  path.every((step, i) => ('anyItem' in step ? typeof place[i] === 'number' : step.key === String(place[i])));

/** Undefined if it is too long, or the whole document. */
function fieldOf(place: JsonPlace): string | undefined {
  if (place.length === 0 || place.length > maxFieldSteps) return undefined;
  const field = bodyField(place.map(step => (typeof step === 'number' ? undefined : step)));
  return field.length > maxFieldCharacters ? undefined : field;
}

/** A character has at most four bytes. */
const maxExcerptBytes = 4 * maxMatchCharacters;

function excerptOfKey(
  body: Uint8Array,
  found: { key: string; at: number; length: number; start: number; end: number },
): string {
  const { key, at, length, start, end } = found;
  const written = decodeUtf8Leniently(body.subarray(start, end));
  if (written.length > maxMatchCharacters) return charactersAround(key, at, at + length, maxMatchCharacters);
  return excerptOfBytes(body, start, end);
}

/** The body around a part of it. */
function excerptOfBytes(body: Uint8Array, start: number, end: number): string {
  let from = Math.max(0, start - maxExcerptBytes);
  while (((body[from] ?? 0) & 0xc0) === 0x80) from++;
  const before = decodeUtf8Leniently(body.subarray(from, start));
  const part = decodeUtf8Leniently(body.subarray(start, end));
  const after = decodeUtf8Leniently(body.subarray(end, end + maxExcerptBytes));
  return charactersAround(before + part + after, before.length, before.length + part.length, maxMatchCharacters);
}

function excerptOfContainer(body: Uint8Array, start: number): string {
  const beginning = body.subarray(start, start + maxExcerptBytes);
  return firstCharacters(decodeUtf8Leniently(beginning.subarray(0, skipValue(beginning, 0))), maxMatchCharacters);
}

/** The best hits. Of a repeated key only the last value is a field. */
function* bestOf(all: readonly Hit[], { body }: EventContent): Generator<undefined, Match[]> {
  const values = all.flatMap(({ value }) => value ?? []);
  const tests = values.map(({ path, start }) => ({
    path,
    test: { isPresence: false, matchesText: () => false, matchesJson: (_: Uint8Array, from: number) => from === start },
  }));
  const counts = tests.length > 0 ? yield* countMatches(body, createJsonPaths(tests), stepBytes) : [];
  const repeated = new Set(values.filter((_, i) => counts[i] === 0));
  const hits = all.flatMap((hit): Hit[] => {
    if (!hit.value || !repeated.has(hit.value)) return [hit];
    if (!hit.value.isText) return [];
    return [{ ...hit, field: 'body', isWhole: false }];
  });
  return hits
    .sort((a, b) => Number(b.isWhole) - Number(a.isWhole) || a.order - b.order)
    .slice(0, maxMatches)
    .map(({ field, text }) => ({ field, text }));
}
