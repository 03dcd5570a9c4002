/*
 * The texts that a search compares. An event is found by its type or its payload: a valid UTF-8 body as written, and a JSON body
 * also with the escapes in its strings resolved. Text and term are case-folded by the same function, so that the index and the
 * final check agree. Every other character is literal, except white space between the tokens of a search like `"key": value`.
 */
import { betweenTokens, jsonPhraseTokens, literalPattern } from '../../shared/json-phrase.ts';
import { charactersAround, decodeUtf8 } from '../text.ts';

/** It is left out, because `toLowerCase` turns it into two characters. */
const dottedCapitalI = '\u0130';
/**
 * Characters that `toLowerCase` does not fold or, for a capital sigma, folds depending on its neighbours, each with its folded
 * form: all that CaseFolding.txt (statuses C and S) does beyond lower case, except the dotted capital I. They are listed here,
 * because finding them means checking every character, and the program starts often; the tests check all.
 */
const special = new Map<string, string>(
  (
    '\u00b5\u03bc \u017fs \u0345\u03b9 \u03a3\u03c3 \u03c2\u03c3 \u03d0\u03b2 \u03d1\u03b8 \u03d5\u03c6 \u03d6\u03c0 ' +
    '\u03f0\u03ba \u03f1\u03c1 \u03f5\u03b5 \u1c80\u0432 \u1c81\u0434 \u1c82\u043e \u1c83\u0441 \u1c84\u0442 \u1c85\u0442 ' +
    '\u1c86\u044a \u1c87\u0463 \u1c88\ua64b \u1e9b\u1e61 \u1fbe\u03b9'
  )
    .split(' ')
    .map(pair => [pair.charAt(0), pair.charAt(1)]),
);
const specials = new RegExp(`[${[...special.keys()].join('')}]`, 'g');
const notAscii = /[\u0080-\uffff]/;

/** Unicode simple case folding. The result has as many UTF-16 units as the text. */
export function foldCase(text: string): string {
  if (!notAscii.test(text)) return text.toLowerCase();
  const plain = text.replace(specials, character => special.get(character) ?? character);
  if (!plain.includes(dottedCapitalI)) return plain.toLowerCase();
  return plain
    .split(dottedCapitalI)
    .map(part => part.toLowerCase())
    .join(dottedCapitalI);
}

const short: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const escapes = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const looksLikeJson = /^[\ufeff\s]*[[{"]/;

const hasEscapes = (text: string): boolean => text.includes('\\') && looksLikeJson.test(text);

/** JSON text with the escapes of its strings resolved (RFC 8259, section 7). */
export const resolveEscapes = (text: string): string =>
  text.replace(escapes, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (short[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** The searched texts of an event, folded. A term must occur in one of them. */
export function searchTexts(eventType: string | null, body: Uint8Array): string[] {
  const texts = eventType === null ? [] : [foldCase(eventType)];
  const written = decodeUtf8(body);
  if (written === undefined || written === '') return texts;
  texts.push(foldCase(written));
  if (hasEscapes(written)) texts.push(foldCase(resolveEscapes(written)));
  return texts;
}

/** The last position up to `end` that is not inside an escape; `from` is not inside one. */
function beforeEscape(text: string, from: number, end: number): number {
  for (let at = Math.max(from, end - 5); at < end; at++) {
    if (text[at] !== '\\') continue;
    let before = at;
    while (before > from && text[before - 1] === '\\') before--;
    const begins = (at - before) % 2 === 0;
    if (begins && at + (text[at + 1] === 'u' ? 6 : 2) > end && at > from) return at;
  }
  return end;
}

/** A search for a term in text that is read in pieces. Both are folded. */
type Search = {
  /** Shortens long text where that cannot change the result. */
  shorten: (text: string) => string;
  isIn: (text: string) => boolean;
  /** Where the first match is. */
  find: (text: string) => { start: number; end: number } | undefined;
  /** The longest match that can occur, in characters. */
  maxLength: number;
};

const literalSearch = (term: string): Search => ({
  shorten: text => text,
  isIn: text => text.includes(term),
  find: text => found(text.indexOf(term), term.length),
  maxLength: term.length,
});

const found = (start: number, length: number) => (start < 0 ? undefined : { start, end: start + length });

/** Finds the tokens with any white space between them. */
function phraseSearch(term: string, tokens: readonly string[]): Search {
  // White space that is longer than any in the tokens can only be a gap between tokens, so one character more than that has the
  // same effect.
  const mostSpace = Math.max(0, ...(term.match(/[ \t\n\r]+/g) ?? []).map(run => run.length));
  const longSpace = new RegExp(`([ \\t\\n\\r]{${mostSpace + 1}})[ \\t\\n\\r]+`, 'g');
  const pattern = new RegExp(tokens.map(literalPattern).join(betweenTokens));
  return {
    shorten: text => text.replace(longSpace, '$1'),
    isIn: text => pattern.test(text),
    find: text => {
      const match = pattern.exec(text);
      return match ? found(match.index, match[0].length) : undefined;
    },
    maxLength: term.length + tokens.length * (mostSpace + 1),
  };
}

/** Whether the search finds something in the text; yields after every `piece` characters. */
function* contains(text: string, search: Search, piece: number, resolved: boolean): Generator<void, boolean> {
  let tail = '';
  for (let from = 0; from < text.length; ) {
    const end = from + piece < text.length && resolved ? beforeEscape(text, from, from + piece) : from + piece;
    const part = text.slice(from, end);
    const read = search.shorten(foldCase(tail + (resolved ? resolveEscapes(part) : part)));
    if (search.isIn(read)) return true;
    // A match may start at the end of this piece.
    tail = search.maxLength > 1 ? read.slice(1 - search.maxLength) : '';
    from = end;
    yield;
  }
  return false;
}

function searchFor(term: string): Search {
  const tokens = jsonPhraseTokens(term);
  return tokens ? phraseSearch(term, tokens) : literalSearch(term);
}

/** Decides whether a search finds an event. Each step is short, however large the body is. */
export type Matcher = (eventType: string | null, body: Uint8Array) => Generator<void, boolean>;

const pieceCharacters = 1 << 18;

/** Whether an event is found by `q`: a case-insensitive substring, every character literal; or a piece of JSON, however it is spaced. */
export function createMatcher(q: string, piece = pieceCharacters): Matcher {
  const term = foldCase(q);
  const search = searchFor(term);
  return function* (eventType, body) {
    if (eventType !== null && foldCase(eventType).includes(term)) return true;
    const text = decodeUtf8(body);
    if (text === undefined) return false;
    if (yield* contains(text, search, piece, false)) return true;
    return hasEscapes(text) && (yield* contains(text, search, piece, true));
  };
}

/** How much of a text is read again with its next piece, in addition to the length of a match with escapes. */
const marginCharacters = 1024;

/** At most `limit` characters of a payload around its first match with `q`, in steps; undefined without a match. */
export function* excerptOfMatch(q: string, body: Uint8Array, limit: number): Generator<undefined, string | undefined> {
  const text = decodeUtf8(body) ?? '';
  const search = searchFor(foldCase(q));
  const margin = search.maxLength * 6 + marginCharacters;
  for (const resolved of hasEscapes(text) ? [false, true] : [false]) {
    for (let from = 0; from < text.length; from += pieceCharacters) {
      const written = text.slice(Math.max(0, from - margin), from + pieceCharacters);
      const piece = resolved ? resolveEscapes(written) : written;
      const match = search.find(foldCase(piece));
      if (match) return charactersAround(piece, match.start, match.end, limit);
      yield;
    }
  }
  return undefined;
}
