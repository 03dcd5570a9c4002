/*
 * The part of a block's signature about whole values: a Bloom filter of the texts and numbers of its bodies' fields, and of every five
 * consecutive digits in a searched text. It makes an exact value, or a number in a text, as selective as a rare word.
 *
 * A value is a string or a number of a JSON body, or a field of a form or multipart body, of at least four bytes. The index reads JSON
 * without checking that it is valid, so a body that is not JSON may add values that no filter looks for. Words such as `true` are left out.
 */

import { isUtf8 } from 'node:buffer';
import { type Decimal, parseDecimal } from '../../shared/filter/decimal.ts';
import { boundaryOf, contentsOfParts } from '../../shared/multipart.ts';
import { asBuffer } from '../encoding/buffer.ts';
import { backslash, colon, isDigit, minus, skipSpace } from '../json/bytes.ts';
import { decodeForm, mayBeEncoded } from './encoded-text.ts';
import { resolveEscapes } from './search-text.ts';

/** Bit `bit` of the byte at the fraction `valuePlace / 2 ** 32` of the filter's size. */
export type ValueProbe = { bit: number; valuePlace: number };

/** Shorter values are in most blocks. */
const minBytes = 4;
const pieceDigits = 5;
/** Keeps the number of a piece from being 0. */
const isPiece = 1 << 20;
/** Bits set for a value, and for five digits: a number has several groups of five. */
const valueBits = 6;
const pieceBits = 2;
/** Half of the bits are set in a filter of this many bytes for each set bit. */
const bytesPerBit = 1 / (8 * Math.LN2);
/** Sizes are a multiple of this, which is the unit of bit slices, and at most 2 KiB. */
const minFilterBytes = 4;
const maxFilterBytes = 2048;

/** A filter that excludes nothing. An empty filter means that the block has no filter yet. */
export const everyValue = (): Uint8Array => new Uint8Array(minFilterBytes).fill(0xff);

const [ampersand, equalsSign, point] = [0x26, 0x3d, 0x2e];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Hashes are not 0. A full `list` sets nearly all bits. `latest` is remembered, because neighbouring events share values. */
type Hashes = { list: Uint32Array; count: number; latest: Uint32Array };
const latestHashes = 4096;
const createHashes = (most: number): Hashes => ({
  list: new Uint32Array(most),
  count: 0,
  latest: new Uint32Array(latestHashes),
});
const valueHashes = createHashes(8192);
const pieceHashes = createHashes(16_384);
const isFull = (): boolean => [valueHashes, pieceHashes].some(({ list, count }) => count === list.length);

function addHash(hashes: Hashes, hash: number): void {
  const at = hash & (latestHashes - 1);
  if (hashes.latest[at] === hash || hashes.count === hashes.list.length) return;
  hashes.latest[at] = hash;
  hashes.list[hashes.count++] = hash;
}

const factor = 0x9e3779b1 | 0;

function mix(given: number): number {
  let hash = Math.imul(given ^ (given >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Only the beginning and the end of a longer value are hashed. */
const hashedBytes = 32;

function hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  let at = from;
  if (hash > hashedBytes) {
    for (const middle = from + hashedBytes / 2; at < middle; at++)
      hash = Math.imul(hash ^ (bytes[at] as number), factor);
    at = to - hashedBytes / 2;
  }
  for (; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), factor);
  return hash >>> 0 || 1;
}

const addValue = (bytes: Uint8Array, from: number, to: number): void => {
  if (to - from >= minBytes) addHash(valueHashes, hashOfBytes(bytes, from, to));
};

function addText(text: string): void {
  const bytes = encoder.encode(text);
  addValue(bytes, 0, bytes.length);
}

export function addPieces(text: string): void {
  for (const digits of piecesOf(text)) addHash(pieceHashes, digits);
}

function piecesOf(text: string): number[] {
  const pieces: number[] = [];
  let [digits, run] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) run = 0;
    else {
      digits = (((digits << 4) | digit) & 0xfffff) | isPiece;
      if (++run >= pieceDigits) pieces.push(digits);
    }
  }
  return pieces;
}

/** Beyond this exponent, a number is not written with zeros. */
const maxZeros = 24;
/** The text of an integer, with its sign, as JSON usually has it; undefined for any other number. */
function integerText({ isNegative, digits, exponent }: Decimal): string | undefined {
  if (exponent < digits.length || exponent > maxZeros) return undefined;
  return (isNegative ? '-' : '') + digits.padEnd(exponent, '0');
}

/** 0.DIGITS × 10^exponent, with `length` digits. */
type NumberParts = Pick<Decimal, 'exponent' | 'isNegative'> & { length: number };

/** The hash of a number that is no integer, or a large one: equal for all spellings of the number. */
function hashOfDecimal({ exponent, isNegative, length }: NumberParts, digits: Uint8Array): number {
  const hash = hashOfBytes(digits, 0, length) ^ Math.imul(exponent | 0, 0x85ebca6b);
  return (isNegative ? ~hash : hash) >>> 0 || 1;
}

function addDecimal(decimal: Decimal): void {
  const text = integerText(decimal);
  const bytes = encoder.encode(text ?? decimal.digits);
  if (text === undefined) addHash(valueHashes, hashOfDecimal({ ...decimal, length: bytes.length }, bytes));
  else {
    addValue(bytes, 0, bytes.length);
    addDigits(bytes);
  }
}

/** The digits of a number, without zeros at both ends. */
const digitsOfNumber = new Uint8Array(32);

/** Adds a number. Most have few digits and no exponent, and need no text. */
function addNumber(body: Uint8Array, from: number, to: number): void {
  const number = to - from <= digitsOfNumber.length ? readFraction(body, from, to) : undefined;
  if (number) addHash(valueHashes, hashOfDecimal(number, digitsOfNumber));
  else {
    const decimal = parseDecimal(asBuffer(body).toString('latin1', from, to));
    if (decimal) addDecimal(decimal);
  }
}

/** Reads a number into `digitsOfNumber`. @returns undefined for an integer, and for a number with an exponent */
function readFraction(body: Uint8Array, from: number, to: number): NumberParts | undefined {
  let length = 0;
  let exponent = 0;
  let hasPoint = false;
  const isNegative = body[from] === minus;
  for (let at = isNegative ? from + 1 : from; at < to; at++) {
    const byte = body[at] as number;
    if (byte === point && !hasPoint) hasPoint = true;
    else if (byte < 0x30 || byte > 0x39) return undefined;
    else {
      const isLeading = byte === 0x30 && length === 0;
      if (!isLeading) digitsOfNumber[length++] = byte;
      if (hasPoint && isLeading) exponent--;
      else if (!hasPoint && !isLeading) exponent++;
    }
  }
  while (digitsOfNumber[length - 1] === 0x30) length--;
  return exponent < length ? { length, exponent, isNegative } : undefined;
}

function addEscaped(body: Uint8Array, from: number, to: number): void {
  try {
    addText(JSON.parse(asBuffer(body).toString('utf8', from - 1, to + 1)) as string);
  } catch {
    // It is not in a body of valid JSON.
  }
}

const isOfNumber = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('0123456789+-.eE'.includes(String.fromCharCode(byte))),
);

/** The positions of quotes in the body whose values are added next. */
export const quotePositions = new Uint32Array(1 << 17);

/** Whether a quote follows an odd number of backslashes. */
function isEscapedAt(body: Uint8Array, at: number): boolean {
  let from = at;
  while (body[from - 1] === backslash) from--;
  return (at - from) % 2 === 1;
}

/** Adds the strings and numbers of JSON. @param quotes how many positions of quotes there are */
function addJson(body: Uint8Array, quotes: number, hasEscapes: boolean): void {
  /** After the last string. */
  let at = 0;
  let nextEscape = hasEscapes ? body.indexOf(backslash) : -1;
  for (let i = 0; i + 1 < quotes; i += 2) {
    const from = (quotePositions[i] as number) + 1;
    addNumbers(body, at, from);
    let close = quotePositions[i + 1] as number;
    let isEscaped = false;
    if (nextEscape >= 0) {
      if (nextEscape < from) nextEscape = body.indexOf(backslash, from);
      isEscaped = nextEscape >= 0 && nextEscape < close;
      while (isEscaped && i + 2 < quotes && isEscapedAt(body, close)) close = quotePositions[++i + 1] as number;
    }
    at = close + 1;
    if (close - from < minBytes || body[at] === colon || body[skipSpace(body, at)] === colon) continue;
    if (isEscaped) addEscaped(body, from, close);
    else addValue(body, from, close);
  }
  addNumbers(body, at, body.length);
}

function addNumbers(body: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const first = body[at] as number;
    if (first > 0x39 || (first < 0x30 && first !== minus)) continue;
    const from = at;
    let isInteger = first > 0x30;
    for (at++; isOfNumber[body[at] as number] === 1; at++) isInteger &&= isDigit(body[at]);
    if (isInteger && at - from <= 20) addValue(body, from, at);
    else addNumber(body, from, at);
  }
}

/** Adds the groups of five digits of a text. Each has a digit at every fifth byte. */
function addDigits(body: Uint8Array): void {
  for (let next = pieceDigits - 1; next < body.length; next += pieceDigits) {
    if (!isDigit(body[next])) continue;
    let at = next;
    while (isDigit(body[at - 1])) at--;
    let digits = 0;
    for (let run = 1; isDigit(body[at]); at++, run++) {
      digits = (((digits << 4) | ((body[at] as number) - 0x30)) & 0xfffff) | isPiece;
      if (run >= pieceDigits) addHash(pieceHashes, digits);
    }
    next = at;
  }
}

const ofForms = /urlencoded|multipart\//i;

function addFields(body: Uint8Array, headersJson: string): void {
  const headers = JSON.parse(headersJson) as [string, string][];
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const boundary = boundaryOf(type);
  if (boundary !== undefined) {
    for (const bytes of contentsOfParts(body, boundary)) {
      if (bytes.length >= minBytes) addValue(bytes, 0, bytes.length);
    }
    return;
  }
  let equals = -1;
  for (let at = 0; at < body.length; ) {
    const next = body.indexOf(ampersand, at);
    const end = next < 0 ? body.length : next;
    // Searched again only behind the last one found: fields without any would each search the whole body.
    if (equals < at) {
      const found = body.indexOf(equalsSign, at);
      equals = found < 0 ? body.length : found;
    }
    if (end - equals > minBytes) addField(body.subarray(equals + 1, end));
    at = end + 1;
  }
}

function addField(written: Uint8Array): void {
  const isEncoded = mayBeEncoded(written);
  const value = isEncoded ? decodeForm(written) : written;
  const bytes = isEncoded && !isUtf8(value) ? encoder.encode(decoder.decode(value)) : value;
  addValue(bytes, 0, bytes.length);
  if (isEncoded) addDigits(bytes);
}

/**
 * Adds the values and digits of a body.
 * @param body in UTF-8
 * @param headersJson the pairs, as JSON; undefined only for JSON bodies
 * @param found `quotes`: how many quotes it has, with their positions in `quotePositions` as far as these have room
 */
export function addValues(
  body: Uint8Array,
  headersJson: string | undefined,
  { quotes, hasEscapes }: { quotes: number; hasEscapes: boolean },
): void {
  if (quotes > quotePositions.length) valueHashes.count = valueHashes.list.length;
  else addJson(body, quotes, hasEscapes);
  addDigits(body);
  if (hasEscapes && asBuffer(body).includes('\\u003')) addPieces(resolveEscapes(decoder.decode(body)));
  if (headersJson !== undefined && ofForms.test(headersJson)) addFields(body, headersJson);
}

/** The filter of what was added since the last call. */
export function takeValueFilter(): Uint8Array {
  const bits = valueHashes.count * valueBits + pieceHashes.count * pieceBits;
  const filter = isFull() ? everyValue() : new Uint8Array(sizeFor(bits * bytesPerBit));
  setBits(filter, valueHashes, valueBits);
  setBits(filter, pieceHashes, pieceBits);
  return filter;
}

/** Few different sizes, because the filters of a run of blocks get one size. */
function sizeFor(bytes: number): number {
  if (bytes >= maxFilterBytes) return maxFilterBytes;
  const step = Math.max(minFilterBytes, 2 ** (Math.ceil(Math.log2(bytes)) - 3));
  return Math.max(minFilterBytes, Math.ceil(bytes / step) * step);
}

/** The bits of a hash are this far apart. */
const stepOf = (hash: number): number => Math.imul(hash, 0x297a2d39) | 1;

function setBits(filter: Uint8Array, hashes: Hashes, bits: number): void {
  const { list, count } = hashes;
  const scale = filter.length / 2 ** 29;
  for (let i = 0; i < count; i++) {
    let at = mix(list[i] as number);
    const step = stepOf(at);
    for (let bit = 0; bit < bits; bit++, at = (at + step) | 0) {
      const byte = Math.floor((at & 0x1fffffff) * scale);
      filter[byte] = (filter[byte] as number) | (1 << (at >>> 29));
    }
  }
  hashes.count = 0;
  hashes.latest.fill(0);
}

function probesOfHash(given: number, bits: number): ValueProbe[] {
  const hash = mix(given);
  const step = stepOf(hash);
  return Array.from({ length: bits }, (_, i) => {
    const at = (hash + Math.imul(step, i)) | 0;
    return { bit: at >>> 29, valuePlace: (at << 3) >>> 0 };
  });
}

/** The probes of every block that has this whole text in a field; undefined if the filter does not have such values. */
function probesOfText(text: string): ValueProbe[] | undefined {
  const bytes = encoder.encode(text);
  if (bytes.length < minBytes || /^(?:true|false|null)$/.test(text)) return undefined;
  return [...probesOfHash(hashOfBytes(bytes, 0, bytes.length), valueBits), ...probesOfDigits([text])];
}

/** The probes of every block that has a field with this text or an equal number; empty if the filter lacks such values. */
export function probesOfValue(text: string): ValueProbe[][] {
  const number = parseDecimal(text);
  const probes = [probesOfText(text)];
  const integer = number && integerText(number);
  if (number && integer !== text) probes.push(integer === undefined ? probesOfDecimal(number) : probesOfText(integer));
  return probes.every(one => one !== undefined) ? probes : [];
}

function probesOfDecimal(decimal: Decimal): ValueProbe[] {
  const bytes = encoder.encode(decimal.digits);
  return probesOfHash(hashOfDecimal({ ...decimal, length: bytes.length }, bytes), valueBits);
}

const maxPieces = 4;

/** The probes of every block with a searched text in which these texts occur; few, even for long ones. */
export function probesOfDigits(texts: readonly string[]): ValueProbe[] {
  const pieces = [...new Set(texts.flatMap(piecesOf))];
  const count = Math.min(pieces.length, maxPieces);
  // The digits at both ends are among them.
  const chosen = Array.from(
    { length: count },
    (_, i) => pieces[Math.floor((i * (pieces.length - 1)) / Math.max(1, count - 1))] ?? 0,
  );
  return chosen.flatMap(digits => probesOfHash(digits, pieceBits));
}

export const valueByteOf = ({ valuePlace }: ValueProbe, filterBytes: number): number =>
  Math.floor((valuePlace / 2 ** 32) * filterBytes);

/** Whether the block of the filter may have the value. An empty filter excludes nothing. */
export const mayHaveValue = (filter: Uint8Array, probe: ValueProbe): boolean =>
  filter.length === 0 || (((filter[valueByteOf(probe, filter.length)] as number) >>> probe.bit) & 1) === 1;
