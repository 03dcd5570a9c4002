/*
 * Whether bytes are JSON (RFC 8259), decided in slices so that a large body does not hold up the main thread, and the same JSON as
 * pieces of text. Agrees with `JSON.parse` but for a depth limit. The bytes must be valid UTF-8.
 */
import { asBuffer } from './buffer.ts';
import type { Verbatim } from './json-output.ts';

const sliceBytes = 64 << 10;

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
const isHexDigit = (byte = 0): boolean => isDigit(byte) || ((byte | SPACE) >= 0x61 && (byte | SPACE) <= 0x66);
const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'));
const literals = ['true', 'false', 'null'].map(text => Buffer.from(text));

/** What may come next. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end';

/** -1 when there is no number. */
function endOfNumber(bytes: Uint8Array, start: number): number {
  let i = bytes[start] === MINUS ? start + 1 : start;
  if (!isDigit(bytes[i])) return -1;
  if (bytes[i] === ZERO) i++;
  else while (isDigit(bytes[i])) i++;
  if (bytes[i] === DOT) {
    if (!isDigit(bytes[++i])) return -1;
    while (isDigit(bytes[i])) i++;
  }
  if (((bytes[i] ?? 0) | SPACE) !== 0x65) return i;
  i++;
  if (bytes[i] === PLUS || bytes[i] === MINUS) i++;
  if (!isDigit(bytes[i])) return -1;
  while (isDigit(bytes[i])) i++;
  return i;
}

/** -1 when there is none that JSON knows. */
function endOfEscape(bytes: Uint8Array, start: number): number {
  const letter = bytes[start + 1] ?? 0;
  if (simpleEscapes.has(letter)) return start + 2;
  if (letter !== 0x75) return -1;
  for (let i = start + 2; i < start + 6; i++) if (!isHexDigit(bytes[i])) return -1;
  return start + 6;
}

function endOfLiteral(bytes: Uint8Array, start: number): number {
  const literal = literals.find(one => one[0] === bytes[start]);
  return literal?.every((byte, i) => bytes[start + i] === byte) ? start + literal.length : -1;
}

/** @returns looks at the next slice; undefined while there is more to look at */
export function createJsonCheck(bytes: Uint8Array, maxDepth: number): () => boolean | undefined {
  const isObject = new Uint8Array(maxDepth + 1);
  let at = 0;
  let depth = 0;
  let expected: Expected = 'value';
  let inString: 'key' | 'value' | undefined;

  /** Where the string goes on after this slice, or where what follows it begins; -1 when it is none. */
  const passString = (start: number, stop: number): number => {
    for (let i = start; i < stop; ) {
      const byte = bytes[i] ?? 0;
      if (byte === QUOTE) {
        expected = inString === 'key' ? 'colon' : 'comma or end';
        inString = undefined;
        return i + 1;
      }
      if (byte < SPACE) return -1;
      i = byte === BACKSLASH ? endOfEscape(bytes, i) : i + 1;
      if (i < 0 || i >= stop) return i;
    }
    return stop;
  };

  const open = (object: 0 | 1, i: number): number => {
    if (++depth > maxDepth) return -1;
    isObject[depth] = object;
    expected = object ? 'key or end' : 'value or end';
    return i + 1;
  };
  const close = (object: 0 | 1, i: number): number => {
    if (depth === 0 || isObject[depth] !== object) return -1;
    depth--;
    expected = 'comma or end';
    return i + 1;
  };
  const beginString = (kind: 'key' | 'value', i: number): number => {
    inString = kind;
    return i + 1;
  };

  const passValue = (byte: number, i: number): number => {
    if (byte === QUOTE) return beginString('value', i);
    if (byte === OPEN_OBJECT) return open(1, i);
    if (byte === OPEN_LIST) return open(0, i);
    expected = 'comma or end';
    return byte === MINUS || isDigit(byte) ? endOfNumber(bytes, i) : endOfLiteral(bytes, i);
  };

  /** @returns where the next token begins; -1 when this one may not stand here */
  const passToken = (byte: number, i: number): number => {
    switch (expected) {
      case 'value or end':
        return byte === CLOSE_LIST ? close(0, i) : passValue(byte, i);
      case 'value':
        return passValue(byte, i);
      case 'key or end':
        if (byte === CLOSE_OBJECT) return close(1, i);
        return byte === QUOTE ? beginString('key', i) : -1;
      case 'key':
        return byte === QUOTE ? beginString('key', i) : -1;
      case 'colon':
        expected = 'value';
        return byte === COLON ? i + 1 : -1;
      case 'comma or end':
        if (byte === CLOSE_OBJECT) return close(1, i);
        if (byte === CLOSE_LIST) return close(0, i);
        expected = isObject[depth] === 1 ? 'key' : 'value';
        return byte === COMMA && depth > 0 ? i + 1 : -1;
    }
  };

  return () => {
    const stop = Math.min(bytes.length, at + sliceBytes);
    while (at < stop) {
      const byte = bytes[at] ?? 0;
      if (inString) at = passString(at, stop);
      else if (isSpace(byte)) at++;
      else at = passToken(byte, at);
      if (at < 0) return false;
    }
    if (at < bytes.length) return undefined;
    return at === bytes.length && !inString && depth === 0 && expected === 'comma or end';
  };
}

/** A whole number of up to 15 digits: the same to every parser, and written the same. */
function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > 15 || (bytes[start] === MINUS && bytes[start + 1] === ZERO)) return false;
  for (let i = start + 1; i < end; i++) if (!isDigit(bytes[i])) return false;
  return true;
}

/** The longest that a number can become: `-1.2345678901234567e+100`. */
const numberBytes = 32;
/** Made in a bite of the main thread's time, even when all of it is numbers. */
const pieceBytes = 16 << 10;

/**
 * Valid JSON as it stands, but for numbers, which are those that `JSON.parse` makes of them: `1e400` and `-0` would be others to
 * other parsers.
 */
export function* jsonPieces(bytes: Uint8Array): Generator<Verbatim> {
  const source = asBuffer(bytes);
  let piece = Buffer.allocUnsafeSlow(pieceBytes);
  let length = 0;
  let inString = false;
  for (let i = 0; i < source.length; ) {
    if (length > pieceBytes - numberBytes) {
      yield { verbatim: piece.subarray(0, length) };
      piece = Buffer.allocUnsafeSlow(pieceBytes);
      length = 0;
    }
    const byte = source[i] ?? 0;
    if (!inString && (byte === MINUS || isDigit(byte))) {
      const end = endOfNumber(source, i);
      if (isPlainNumber(source, i, end)) while (i < end) piece[length++] = source[i++] ?? 0;
      else length += piece.write(JSON.stringify(Number(source.toString('latin1', i, end))), length, 'latin1');
      i = end;
      continue;
    }
    piece[length++] = byte;
    i++;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH) piece[length++] = source[i++] ?? 0;
  }
  if (length > 0) yield { verbatim: piece.subarray(0, length) };
}
