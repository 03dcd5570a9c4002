/*
 * The search signature of a block: the time range of its events, facts about their columns (block-facts.ts), a filter of the whole
 * values of their bodies (value-filter.ts), and a Bloom filter of the 3-grams and 6-grams of their folded texts (search-text.ts) and paths. It is computed for every block while deliveries are stored, so
 * it must be cheap: one pass over the bytes folds ASCII letters; text is decoded only around escapes and non-ASCII characters.
 *
 * The size of a filter is a power of two in bytes, or 0 if it would exclude almost nothing. The top three bits of a gram's hash select
 * the bit, the next ones the byte, so a filter is halved by merging neighbouring bytes.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { backslash, letterU, openList, openObject, quote } from '../json/bytes.ts';
import { factsOf, unknownFacts } from './block-facts.ts';
import { decodeForm, escapeLength, mayBeEncoded, shortEscapes } from './encoded-text.ts';
import { foldCase, resolveEscapes } from './search-text.ts';
import { addPieces, addValues, everyValue, quotePositions, takeValueFilter } from './value-filter.ts';

/** If `platform`, `method` or `path` is undefined, the signature does not exclude any value of it. `path`: bytes as Latin-1. */
export type SignedEvent = {
  receivedAt: number;
  eventType: string | null;
  body: Uint8Array;
  platform?: string | null;
  method?: string;
  path?: string;
  headersJson?: string;
};

/** `newest`, `oldest`: times of receipt. */
export type BlockSignature = { newest: number; oldest: number } & BlockFilters;

/** `values`: not empty, unless the signature was made before there were filters of values. */
export type BlockFilters = { facts: Uint8Array; filter: Uint8Array; values: Uint8Array };

/** 2^15 bits for a full block of 64 KiB. */
const textBytesPerFilterByte = 16;
const minFilterBytes = 32;
/** Only a block with one large event has more than 4 KiB. */
const maxFilterBytes = 64 << 10;
/** Blocks with more text get no filter, so every search reads them. */
const maxSignedBytes = 1 << 20;
/** A filter with more of its bits set excludes almost nothing. */
const maxFill = 15 / 16;
/** A filter with fewer of its bits set is halved. */
const minFill = 1 / 4;

const shortGram = 3;
const longGram = 6;
const factor = 0x9e3779b1 | 0;
const olderFactor = 0x85ebca6b | 0;

/** Maps ASCII capitals to small letters and every other byte to itself. */
const folded = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

/** The shift that turns a hash into the index of its bit in `bits`. */
const shiftFor = (size: number): number => 29 - Math.log2(size);

/** The filter under construction, one byte per bit, because storing a byte is faster than setting a bit. Bit `b` of byte `i` is at `b * size + i`. */
const bits = new Uint8Array(maxFilterBytes * 8);
const bitWords = new Uint32Array(bits.buffer);

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Folds ASCII letters; all others must be folded already. @returns how many `quotePositions` it has set */
function addGrams(text: Uint8Array, from: number, to: number, shift: number): number {
  let gram = 0;
  // The contributions to the hash of a 6-gram by the 3-grams that end one, two and three bytes earlier.
  let one = 0;
  let two = 0;
  let three = 0;
  let quotes = 0;
  let i = from;
  for (const end = Math.min(to, from + longGram - 1); i < end; i++) {
    const byte = folded[text[i] as number] as number;
    if (byte === quote) quotePositions[quotes++] = i;
    gram = ((gram << 8) | byte) & 0xffffff;
    if (i >= from + shortGram - 1) bits[Math.imul(gram, factor) >>> shift] = 1;
    three = two;
    two = one;
    one = Math.imul(gram, olderFactor);
  }
  for (; i < to; i++) {
    const byte = folded[text[i] as number] as number;
    // Beyond the end of the list nothing is written.
    if (byte === quote) quotePositions[quotes++] = i;
    gram = ((gram << 8) | byte) & 0xffffff;
    const hash = Math.imul(gram, factor);
    bits[hash >>> shift] = 1;
    bits[(hash + three) >>> shift] = 1;
    three = two;
    two = one;
    one = Math.imul(gram, olderFactor);
  }
  return quotes;
}

const resolved = new Uint8Array(4096);

/** Adds text with all its escapes resolved. @returns false for text with non-ASCII characters or numeric escapes */
function addResolved(text: Uint8Array, from: number, to: number, shift: number): boolean {
  if (to - from > resolved.length) return false;
  let length = 0;
  for (let i = from; i < to; i++) {
    let byte = text[i] as number;
    if (byte >= 0x80) return false;
    if (byte === backslash) {
      const next = text[i + 1] ?? 0;
      if (next === letterU) return false;
      const stands = shortEscapes.get(next);
      if (stands !== undefined) {
        byte = stands;
        i++;
      }
    }
    resolved[length++] = byte;
  }
  addGrams(resolved, 0, length, shift);
  return true;
}

const addString = (text: string, shift: number): void => {
  const bytes = encoder.encode(text);
  addGrams(bytes, 0, bytes.length, shift);
};

/** Adds the grams around escapes and other characters than ASCII: with up to five bytes of plain text on either side of one. */
function addAroundSpecials(text: Uint8Array, isPlain: boolean, shift: number): void {
  const margin = longGram - 1;
  const flush = (from: number, to: number): void => {
    if (isPlain && addResolved(text, from, to, shift)) return;
    const written = decoder.decode(text.subarray(from, to));
    addString(foldCase(written), shift);
    if (written.includes('\\')) addString(foldCase(resolveEscapes(written)), shift);
  };
  let from = -1;
  let to = 0;
  for (let at = isPlain ? text.indexOf(backslash) : 0; at < text.length && at >= 0; ) {
    const byte = text[at] as number;
    if (byte !== backslash && byte < 0x80) {
      at++;
      continue;
    }
    const end = at + escapeLength(text, at);
    if (from >= 0 && at - margin > to) {
      flush(from, to);
      from = -1;
    }
    if (from < 0) from = Math.max(0, at - margin);
    to = Math.min(text.length, end + margin);
    at = isPlain ? nextBackslash(text, end) : end;
  }
  if (from >= 0) flush(from, to);
}

const nextBackslash = (text: Uint8Array, from: number): number => {
  const at = text.indexOf(backslash, from);
  return at < 0 ? text.length : at;
};

/** @returns false for a body that is not UTF-8: its text is not searched, but it may have fields */
function addBody(event: SignedEvent, shift: number): boolean {
  const { body, headersJson } = event;
  const isPlain = isAscii(body);
  if (!isPlain && !isUtf8(body)) return false;
  const quotes = addGrams(body, 0, body.length, shift);
  const hasEscapes = body.includes(backslash);
  addValues(body, headersJson, { quotes, hasEscapes });
  if (!isPlain || hasEscapes) addAroundSpecials(body, isPlain, shift);
  if (mayBeEncoded(body)) addFormText(body, headersJson, shift);
  return true;
}

/** Adds the fields of a form as text: they are searched decoded. JSON is not a form, unless its sender says so; names in multipart bodies are decoded, too. */
function addFormText(body: Uint8Array, headersJson: string | undefined, shift: number): void {
  const isLikeJson = body[0] === openObject || body[0] === openList;
  if (isLikeJson && headersJson !== undefined && !/urlencoded|multipart/i.test(headersJson)) return;
  addString(foldCase(decoder.decode(decodeForm(body))), shift);
}

/** Turns the bits into a filter and clears them. `set`: the number of set bits. */
function takeFilter(size: number): { filter: Uint8Array; set: number } {
  const filter = new Uint8Array(size);
  const words = new Uint32Array(filter.buffer);
  const step = words.length;
  let set = 0;
  for (let i = 0; i < step; i++) {
    let word = 0;
    for (let bit = 0, at = i; bit < 8; bit++, at += step) word |= (bitWords[at] as number) << bit;
    words[i] = word;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    set += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  bits.fill(0, 0, size * 8);
  return { filter, set };
}

function halve(filter: Uint8Array): Uint8Array {
  const half = new Uint8Array(filter.length / 2);
  for (let i = 0; i < half.length; i++) half[i] = (filter[2 * i] as number) | (filter[2 * i + 1] as number);
  return half;
}

const nothing = new Uint8Array(0);

/** Adds the path. ASCII is added directly. */
function addPath(path: string, shift: number): void {
  const text = enclosedPath(path);
  let i = 0;
  for (; i < text.length && i < resolved.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) break;
    resolved[i] = code;
  }
  if (i < text.length) addString(foldCase(text), shift);
  else addGrams(resolved, 0, i, shift);
}

/** A path between characters that no path has, so that its beginning and end are grams, too. */
const pathMark = '\u0001';
const enclosedPath = (path: string): string => `${pathMark}${path}${pathMark}`;

function makeFilters(events: readonly SignedEvent[]): { filter: Uint8Array; values: Uint8Array; hasAll: boolean } {
  let textBytes = 0;
  let hasAll = true;
  for (const { eventType, body } of events) textBytes += body.length + (eventType?.length ?? 0);
  if (textBytes > maxSignedBytes) return { filter: nothing, values: everyValue(), hasAll };
  let size = minFilterBytes;
  while (size * textBytesPerFilterByte < textBytes && size < maxFilterBytes) size *= 2;
  const shift = shiftFor(size);
  let last: SignedEvent | undefined;
  for (const event of events) {
    const { eventType, path } = event;
    hasAll = addBody(event, shift) && hasAll;
    if (eventType !== null && eventType !== last?.eventType) {
      addString(foldCase(eventType), shift);
      addPieces(eventType);
    }
    if (path && path !== last?.path) addPath(path, shift);
    last = event;
  }
  const values = takeValueFilter();
  let { filter, set } = takeFilter(size);
  if (set > size * 8 * maxFill) return { filter: nothing, values, hasAll };
  // Repetitive texts leave most of the filter empty.
  for (; set <= filter.length * 8 * minFill && filter.length > minFilterBytes; set *= 2) filter = halve(filter);
  return { filter, values, hasAll };
}

/** The signature of a block with these events, at least one. */
export function signBlock(events: readonly SignedEvent[]): BlockSignature {
  const { hasAll, ...filters } = makeFilters(events);
  return { ...signTimes(events), facts: factsOf(events, !hasAll), ...filters };
}

/** A signature that excludes events only by their time. */
export function signTimes(events: readonly SignedEvent[]): BlockSignature {
  let newest = Number.NEGATIVE_INFINITY;
  let oldest = Number.POSITIVE_INFINITY;
  for (const { receivedAt } of events) {
    if (receivedAt > newest) newest = receivedAt;
    if (receivedAt < oldest) oldest = receivedAt;
  }
  return { newest, oldest, facts: unknownFacts(), filter: nothing, values: everyValue() };
}

/** The position of a gram in a filter: bit `bit` of the byte at the fraction `place / 2 ** 32` of its size. */
export type Gram = { bit: number; place: number };

/** More grams cost more than they exclude. */
const maxGrams = 12;

const toGram = (hash: number): Gram => ({ bit: hash >>> 29, place: (hash << 3) >>> 0 });

/** The grams of every block that has this path. @param part `all`: the whole path; `start`: what it begins with; `any`: a part of it */
export function gramsOfPath(text: string, part: 'all' | 'start' | 'any'): Gram[] {
  const given = { all: enclosedPath(text), start: `${pathMark}${text}`, any: text }[part];
  return gramsOf(foldCase(given));
}

/** The grams of every text that contains the term; empty for a term that signatures cannot narrow. @param term folded */
export function gramsOf(term: string): Gram[] {
  const long = new Set<number>();
  const short = new Set<number>();
  // Half a surrogate pair has no UTF-8 encoding: it may match part of a character of the text.
  for (const part of term.split(/\p{Surrogate}/u)) {
    const bytes = encoder.encode(part);
    const gramAt = (i: number): number =>
      ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    for (let i = 0; i + shortGram <= bytes.length; i++) {
      const hash = Math.imul(gramAt(i), factor);
      short.add(hash);
      if (i >= shortGram) long.add((hash + Math.imul(gramAt(i - shortGram), olderFactor)) | 0);
    }
  }
  const longest = spread([...long], maxGrams);
  return [...longest, ...spread([...short], maxGrams - longest.length)].map(toGram);
}

/** At most `limit` items, spread evenly. */
function spread(all: readonly number[], limit: number): number[] {
  const count = Math.min(all.length, limit);
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)] as number);
}

export const byteOf = ({ place }: Gram, filterBytes: number): number => Math.floor((place / 2 ** 32) * filterBytes);

export const mayContain = (filter: Uint8Array, grams: readonly Gram[]): boolean =>
  filter.length === 0 ||
  grams.every(gram => (((filter[byteOf(gram, filter.length)] as number) >>> gram.bit) & 1) === 1);
