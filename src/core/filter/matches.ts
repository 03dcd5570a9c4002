/* The fields that terms about contents and texts match, with their values. Terms under NOT are left out. Works in steps. */

import { bodyField, formField, headerField, queryField } from '../../shared/filter/field-names.ts';
import {
  type ContentTerm,
  type Filter,
  type HasTerm,
  type Node,
  type Step,
  type Term,
  termsOf,
} from '../../shared/filter/filter.ts';
import type { MultipartPart } from '../../shared/multipart.ts';
import { excerptOfMatch, foldCase } from '../blocks/search-text.ts';
import { lowerName } from '../headers.ts';
import { skipValue, textAt } from '../json/bytes.ts';
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

/** `locate`: called only for hits, because it takes long. `path`: of a JSON value, which begins at `order`. */
type Place = { order: number; locate: () => { field: string; path?: Step[] } | undefined };
type ContentOrHas = Term & (ContentTerm | HasTerm);
type Shown = { texts: readonly string[]; contents: { term: ContentOrHas; test: ContentTest }[] };
type Facts = Partial<EventFacts> & { content: EventContent };

/** Longer values are searched in pieces of this many characters. */
const pieceCharacters = stepBytes;
/** How much is read for one text between two yields: a value takes longer than reading it. */
const textStepBytes = stepBytes / 64;

/** Whether the filter has terms whose matches are shown. */
export const hasMatches = ({ root }: Filter): boolean => termsOf(root).some(({ on }) => on !== 'column');

/** At most `maxMatches` matches: whole values first, then in the order of the event. @param now as for `evaluate` */
export function* findMatches({ root }: Filter, facts: Facts, now: number): Generator<undefined, Match[]> {
  const terms = root ? yield* shownTerms(root, facts, now) : [];
  if (terms.length === 0) return [];
  const texts = new Map(terms.flatMap(term => (term.on === 'text' ? [[foldCase(term.text), term.text]] : [])));
  const shown: Shown = {
    texts: [...texts.keys()],
    contents: terms.flatMap(term =>
      term.on === 'content' || term.on === 'has' ? [{ term, test: createContentTest(term) }] : [],
    ),
  };
  const hits = createHits(shown.texts);
  const { content, type } = facts;
  if (type) hits.addTexts(type, { order: orderOf.type, locate: () => ({ field: 'type' }) });
  yield* addNamed(hits, shown, content);
  yield* addBody(hits, shown, content);
  for (const [folded, text] of texts) {
    if (hits.has(folded) || hits.isDone()) continue;
    const excerpt = yield* excerptOfMatch(text, content.body, maxMatchCharacters);
    if (excerpt !== undefined) hits.addToBody(folded, () => excerpt, content.body.length);
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

function createHits(texts: readonly string[]) {
  const whole: Hit[] = [];
  const parts: Hit[] = [];
  /** The texts that were found, and the texts among them that were found outside of values. */
  const found = new Set<string>();
  const inBody = new Set<string>();
  const long: { text: string; use: Use }[] = [];
  /** Gets a text, folded, and where it begins. */
  type Use = (folded: string, at: number) => void;

  const listOf = (isWhole: boolean): Hit[] => (isWhole ? whole : parts);
  const isFull = (isWhole: boolean): boolean => listOf(isWhole).length >= maxHits;
  const isDone = (): boolean => isFull(true) && isFull(false);
  const add = (hit: Hit): void => {
    const list = listOf(hit.isWhole);
    if (!isFull(hit.isWhole) && !list.some(({ field, text }) => field === hit.field && text === hit.text))
      list.push(hit);
  };
  /** Adds a part of a value. Returns whether the value has a field. */
  const addPart = (
    value: string,
    part: { start: number; end: number; isWhole: boolean; isText: boolean },
    { order, locate }: Place,
  ): boolean => {
    const { start, end, isWhole, isText } = part;
    if (isFull(isWhole)) return true;
    const { field, path } = locate() ?? {};
    if (field === undefined) return false;
    const text = charactersAround(value, start, end, maxMatchCharacters);
    add({ field, text, isWhole, order, ...(path && { value: { path, start: order, isText } }) });
    return true;
  };

  /** Looks for all texts in one text; in a long one not before `searchLong`. */
  const search = (text: string, use: Use): void => {
    if (text.length > pieceCharacters) {
      long.push({ text, use });
      return;
    }
    const foldedText = foldCase(text);
    for (const folded of texts) {
      const at = foldedText.indexOf(folded);
      if (at >= 0) use(folded, at);
    }
  };
  /** A match is inside one piece, without the character at its start, of which there may be half. */
  const overlap = 1 + Math.max(0, ...texts.map(folded => folded.length));
  function* searchLong(): Generator<undefined, void> {
    for (const { text, use } of long.splice(0)) {
      const left = new Set(texts);
      for (let from = 0; from < text.length && left.size > 0 && !isDone(); from += pieceCharacters) {
        const start = Math.max(0, from - overlap);
        const piece = foldCase(text.slice(start, from + pieceCharacters));
        for (const folded of left) {
          const at = piece.indexOf(folded);
          if (at < 0) continue;
          left.delete(folded);
          use(folded, start + at);
        }
        yield;
      }
    }
  }

  /** Adds the first part of a body where a text is in a key, or not in one value. @param excerpt the body around it */
  const addToBody = (folded: string, excerpt: () => string, order: number): void => {
    found.add(folded);
    if (!inBody.has(folded) && !isFull(false)) add({ field: 'body', text: excerpt(), isWhole: false, order });
    inBody.add(folded);
  };

  return {
    has: (folded: string): boolean => found.has(folded),
    all: (): Hit[] => [...whole, ...parts],
    add,
    addToBody,
    isDone,

    /** Adds a value that meets a term about it. @param value the decoded value */
    addValue(value: string, { term }: Shown['contents'][number], place: Place): void {
      const pieces = term.on === 'content' && !term.value.isQuoted ? term.value.text.split('*') : [];
      const piece = pieces.length > 1 ? (pieces.find(one => one !== '') ?? '') : value;
      const start = value.indexOf(piece);
      addPart(value, { start, end: start + piece.length, isWhole: true, isText: false }, place);
    },

    /** Adds a value if a text is a part of it, or of how it is written. */
    addTexts(value: string, place: Place, written = value): void {
      const inValue = new Set<string>();
      search(value, (folded, at) => {
        inValue.add(folded);
        const part = { start: at, end: at + folded.length, isWhole: value.length === folded.length, isText: true };
        if (addPart(value, part, place)) found.add(folded);
      });
      if (written === value) return;
      search(written, folded => {
        const part = { start: 0, end: 0, isWhole: written.length === folded.length, isText: true };
        if (!inValue.has(folded) && addPart(value, part, place)) found.add(folded);
      });
    },

    /** Adds the part of a body around each text that a key has. @param excerpt the body around a part of the key */
    addKey(key: string, excerpt: (at: number, end: number) => string, order: number): void {
      search(key, (folded, at) => addToBody(folded, () => excerpt(at, at + folded.length), order));
    },

    /** Does all steps of reading a body, or those until there are enough hits. */
    *read(steps: Generator<undefined, void>): Generator<undefined, void> {
      for (;;) {
        const { done } = steps.next();
        yield* searchLong();
        if (done || isDone()) return;
        yield;
      }
    },
  };
}

function* addNamed(hits: Hits, { contents }: Shown, content: EventContent): Generator<undefined, void> {
  for (const one of contents) {
    const { term, test } = one;
    if (term.field === 'header') {
      for (const [name, value] of content.headers)
        if (lowerName(name) === term.key && (test.isPresence || test.matchesText(value)))
          hits.addValue(value, one, { order: orderOf.header, locate: () => ({ field: headerField(name) }) });
    } else if (term.field === 'query')
      yield* eachParameter(
        content.query,
        ({ name, value }) => {
          if (name === term.key && (test.isPresence || test.matchesText(value)))
            hits.addValue(value, one, { order: orderOf.query, locate: () => ({ field: queryField(name) }) });
        },
        stepBytes,
      );
  }
}

function* addBody(hits: Hits, { texts, contents }: Shown, content: EventContent): Generator<undefined, void> {
  const ofBody = contents.filter(({ term }) => term.field === 'body');
  const step = texts.length === 0 ? stepBytes : Math.ceil(textStepBytes / texts.length);
  const fields = yield* content.bodyFields(stepBytes);
  if (fields.kind === 'json') yield* hits.read(addJson(hits, { texts, contents: ofBody }, content.body, step));

  const isNamed = ({ term }: Shown['contents'][number], name: string): boolean =>
    term.field === 'body' && (term.name === name || term.name === `${name}[]`);
  const addField = (name: string, value: string, written: string, order: number): void => {
    const place = { order, locate: () => ({ field: formField(name) }) };
    hits.addTexts(value, place, written);
    for (const one of ofBody) {
      const { test } = one;
      if (isNamed(one, name) && (test.isPresence || test.matchesText(value))) hits.addValue(value, one, place);
    }
  };
  if (fields.kind === 'form') {
    const { text } = fields;
    const parameters = eachParameter(
      text,
      ({ name, value, writtenName, writtenValue, start }) => {
        addField(name, value, writtenValue, start);
        const excerpt = () => charactersAround(text, start, start + writtenName.length, maxMatchCharacters);
        hits.addKey(writtenName, excerpt, start);
      },
      step,
    );
    yield* hits.read(parameters);
  }
  function* addParts(parts: readonly MultipartPart[]): Generator<undefined, void> {
    for (const [order, part] of parts.entries()) {
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
  if (fields.kind === 'multipart') yield* hits.read(addParts(fields.parts));
}

function addJson(hits: Hits, { texts, contents }: Shown, body: Uint8Array, step: number): Generator<undefined, void> {
  const onKey = (key: string, start: number, end: number): void =>
    hits.addKey(key, (at, to) => excerptOfKey(body, { key, at, to, start, end }), start);
  const locate = createLocate();
  const onValue = (current: JsonPlace, start: number, end: number | undefined): void => {
    const meeting = contents.filter(({ term, test }) => {
      if (term.field !== 'body' || !leadsTo(term.path, current)) return false;
      return test.isPresence || (end !== undefined && test.matchesJson(body, start, end));
    });
    if (end === undefined) {
      // No filter is about the text of a list or an object.
      if (meeting.length > 0)
        hits.add({ field: 'body', text: excerptOfContainer(body, start), isWhole: false, order: start });
      return;
    }
    if (meeting.length === 0 && texts.length === 0) return;
    const value = textAt(body, start, end);
    // A long value is searched when the walk has gone on.
    const path = value.length > pieceCharacters ? [...current] : current;
    const place = { order: start, locate: () => locate(path) };
    for (const one of meeting) hits.addValue(value, one, place);
    hits.addTexts(value, place);
  };
  return walkJson(body, { onKey, onValue }, step);
}

const leadsTo = (path: readonly Step[], place: JsonPlace): boolean =>
  path.length === place.length &&
  path.every((step, i) => ('anyItem' in step ? typeof place[i] === 'number' : step.key === String(place[i])));

/** Finds the field and the path of a JSON value: undefined if the path is too long, and for the whole document. */
function createLocate() {
  let last: { place: JsonPlace; located: { field: string; path: Step[] } | undefined } | undefined;
  return (place: JsonPlace) => {
    // The items of a list have the same field.
    const isSame = (step: string | number, i: number): boolean =>
      step === last?.place[i] || (typeof step === 'number' && typeof last?.place[i] === 'number');
    if (last?.place.length !== place.length || !place.every(isSame))
      last = { place: [...place], located: located(place) };
    return last.located;
  };
}

function located(place: JsonPlace): { field: string; path: Step[] } | undefined {
  if (place.length === 0 || place.length > maxFieldSteps) return undefined;
  const field = bodyField(place.map(step => (typeof step === 'number' ? undefined : step)));
  if (field.length > maxFieldCharacters) return undefined;
  return { field, path: place.map(step => (typeof step === 'number' ? { anyItem: true } : { key: step })) };
}

const maxExcerptBytes = 4 * maxMatchCharacters;

function excerptOfKey(
  body: Uint8Array,
  found: { key: string; at: number; to: number; start: number; end: number },
): string {
  const { key, at, to, start, end } = found;
  const written = decodeUtf8Leniently(body.subarray(start, end));
  if (written.length > maxMatchCharacters) return charactersAround(key, at, to, maxMatchCharacters);
  return excerptOfBytes(body, start, end);
}

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
