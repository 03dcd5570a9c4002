/*
 * Excludes events by their bytes, before anything is parsed: an event that meets `body.a.b>5` has the key `"b"`, written like that
 * or with escapes, before a number above 5. The search for such bytes is native and covers a whole block. Everything here may keep
 * too many events, but never too few, because the filter itself decides in the end.
 */

import type { ContentTerm, Filter, HasTerm, Node, Term } from '../../shared/filter/filter.ts';
import type { RecordPlace } from '../blocks/event-block.ts';
import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  endOfString,
  openList,
  openObject,
  quote,
  skipSpace,
} from '../json/bytes.ts';
import { type ContentTest, createContentTest } from './content-test.ts';
import { isIndex } from './json-fields.ts';

/** Whether an event may match. Events must be given in the order of their block. */
export type MayMatch = (place: RecordPlace) => boolean;
/** @param records an unpacked block */
export type Prefilter = (records: Buffer) => MayMatch;

/** How many values are tested in one block. The events after these are kept. */
const maxTestsPerBlock = 4096;

type ContentOrHas = ContentTerm | HasTerm;
type Block = { records: Buffer; testsLeft: number; isForm: (place: RecordPlace) => boolean };
type CreateTest = (block: Block) => MayMatch;

/** @returns undefined if bytes exclude no event */
export function createPrefilter({ root }: Filter): Prefilter | undefined {
  const create = root && testOf(root);
  return create && (records => create({ records, testsLeft: maxTestsPerBlock, isForm: createFormCheck(records) }));
}

/** Undefined for a part that bytes cannot exclude. */
function testOf(node: Node): CreateTest | undefined {
  if (node.kind === 'term') return testOfTerm(node);
  if (node.kind === 'not') return undefined;
  const tests = node.nodes.map(testOf);
  if (node.kind === 'or' && tests.includes(undefined)) return undefined;
  const known = tests.filter(test => test !== undefined);
  if (known.length === 0) return undefined;
  return block => {
    const parts = known.map(create => create(block));
    return node.kind === 'or' ? place => parts.some(part => part(place)) : place => parts.every(part => part(place));
  };
}

function testOfTerm(term: Term): CreateTest | undefined {
  if (term.on !== 'content' && term.on !== 'has') return undefined;
  if (term.field === 'query')
    return () =>
      ({ hasQuery }) =>
        hasQuery;
  return term.field === 'header' ? headerTest(term) : bodyTest(term, term);
}

/** A whole value also excludes events, because headers are stored as `JSON.stringify` writes them. */
function headerTest(term: ContentOrHas & { field: 'header' }): CreateTest {
  const name = JSON.stringify(term.key);
  const value =
    term.on === 'content' && term.operator === ':' && isExact(term) ? JSON.stringify(term.value.text) : undefined;
  return ({ records }) => {
    const findValue = value === undefined ? undefined : createFind(records, value);
    return ({ headers, body }) => {
      if (findValue && findValue(headers) >= body) return false;
      const text = records.toString('latin1', headers, body).toLowerCase();
      // Some letters beyond ASCII become letters of ASCII in lower case.
      return text.includes(name) || beyondAscii.test(text);
    };
  };
}

const isExact = ({ value: { text, isQuoted } }: ContentTerm): boolean => isQuoted || !text.includes('*');
const beyondAscii = /[\u0080-\u00ff]/;

function bodyTest(term: ContentOrHas, { path, name }: ContentOrHas & { field: 'body' }): CreateTest | undefined {
  // A key that may be a position in a list need not be written.
  const keys = path.map(step => ('key' in step && !isIndex(step.key) ? step.key : undefined));
  const last = keys.findLastIndex(key => key !== undefined);
  const key = keys[last] ?? '';
  const written = JSON.stringify(key);
  // In these cases the key has several spellings, or a body that begins like JSON may be a form that begins with the field.
  if (last < 0 || written.includes('\\') || /^[\s[{]/.test(name)) return undefined;
  const test = last === keys.length - 1 ? createContentTest(term) : undefined;
  const length = Buffer.byteLength(written);
  const escapeStart = /[/\u0100-\uffff]/.test(key) ? '\\' : '\\u00';
  return block => {
    const { records, isForm } = block;
    const findKey = createFind(records, written);
    const findEscape = createFind(records, escapeStart);
    return place => {
      const { body, end } = place;
      let isInside: MayBeAt | undefined;
      for (let at = findKey(body); at < end; at = findKey(at + 1)) {
        if (--block.testsLeft < 0) return true;
        if (!mayMeet(records, at + length, end, test)) continue;
        isInside ??= createDepthCheck(records, body);
        if (isInside(at, last + 1)) return true;
      }
      return findEscape(body) < end || isForm(place);
    };
  };
}

function mayMeet(records: Buffer, start: number, end: number, test: ContentTest | undefined): boolean {
  const before = skipSpace(records, start);
  if (records[before] !== colon) return false;
  if (!test || test.isPresence) return true;
  const from = skipSpace(records, before + 1);
  // Only a value of its own meets such a test.
  if (records[from] === openObject || records[from] === openList) return false;
  const to = endOfShortScalar(records, from);
  return to < 0 || to > end || test.matchesJson(records, from, to);
}

/** A longer value is left to the filter: a hostile body may have the key at every few bytes of it. */
const maxScalarBytes = 1024;

/** The position after the string, number or word; -1 if it is long, or a string with an escape. */
function endOfShortScalar(records: Buffer, start: number): number {
  const limit = Math.min(records.length, start + maxScalarBytes);
  const isString = records[start] === quote;
  for (let at = start + 1; at < limit; at++) {
    const byte = records[at] as number;
    if (isString && byte === backslash) return -1;
    if (isString ? byte === quote : endsScalar(byte)) return isString ? at + 1 : at;
  }
  return -1;
}

/** As `endOfScalar`, and at a quote, which no number or word has. */
const endsScalar = (byte: number): boolean =>
  byte <= 0x20 || byte === comma || byte === closeList || byte === closeObject || byte === quote;

/** Whether an event may have a form or a multipart body. A body that begins like JSON may still be one. */
function createFormCheck(records: Buffer): MayMatch {
  const findSeparator = createFind(records, '&');
  const findBoundary = createFind(records, '\n--');
  return ({ headers, body, end }) => {
    const first = records[skipSpace(records, body)];
    const isLikeJson = first === openObject || first === openList;
    if (isLikeJson && findSeparator(body) >= end && findBoundary(body) >= end) return false;
    return /urlencoded|multipart/i.test(records.toString('latin1', headers, body));
  };
}

type MayBeAt = (position: number, depth: number) => boolean;

/** Whether a string begins at a position of JSON, inside that many objects and lists. Positions must ascend. */
function createDepthCheck(records: Buffer, body: number): MayBeAt {
  let at = body;
  let depth = 0;
  return (position, wanted) => {
    while (at < position) {
      const byte = records[at++];
      if (byte === quote) at = endOfString(records, at) + 1;
      else if (byte === openObject || byte === openList) depth++;
      else if (byte === closeObject || byte === closeList) depth--;
    }
    return at === position && depth === wanted;
  };
}

/** Finds a text from a position on; the length of the block if it is not there. It remembers what it found last. */
function createFind(records: Buffer, text: string): (from: number) => number {
  const wanted = Buffer.from(text);
  let searched = 0;
  let found = -1;
  return from => {
    if (from < searched || from > found) {
      const at = records.indexOf(wanted, from);
      searched = from;
      found = at < 0 ? records.length : at;
    }
    return found;
  };
}
