/* Decides whether bytes are one JSON text (RFC 8259), at once or in slices. Does not check that strings are UTF-8. */
import {
  backslash,
  closeList,
  closeObject,
  colon,
  comma,
  endOfByteOrderMark,
  endOfNumber,
  hexDigit,
  isDigit,
  letterU,
  minus,
  openList,
  openObject,
  quote,
  skipSpace,
} from './bytes.ts';

/** The characters that may follow a backslash, besides `u`. */
const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'));
/** 1 for bytes that need no escape inside a string. */
const plainBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte !== quote && byte !== backslash),
);
const literals = ['true', 'false', 'null'].map(word => Buffer.from(word));

/** Decides at once, after an optional byte order mark and at any depth. */
export const isJson = (bytes: Uint8Array): boolean =>
  validateJson(bytes, { start: endOfByteOrderMark(bytes) }).next().value === true;

export type ValidationOptions = {
  start?: number;
  /** How much is read between two yields, except that runs of white space and digits are not interrupted; default: everything. */
  sliceBytes?: number;
  maxDepth?: number;
};

/** @returns whether the bytes are JSON */
export function* validateJson(
  bytes: Uint8Array,
  { start = 0, sliceBytes = Infinity, maxDepth = Infinity }: ValidationOptions,
): Generator<undefined, boolean> {
  const end = bytes.length;
  let brackets: Uint8Array = new Uint8Array(64);
  let depth = 0;
  let isKey = false;
  let at = skipSpace(bytes, start);
  /** The bytes up to the end of this slice. */
  let slice = sliceBytes < end ? bytes.subarray(0, at + sliceBytes) : bytes;
  for (;;) {
    if (at >= slice.length && at < end) {
      yield;
      slice = bytes.subarray(0, at + sliceBytes);
    }
    // A value begins here, or a key.
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, slice, at + 1);
      while (at >= slice.length && at < end) {
        yield;
        slice = bytes.subarray(0, at + sliceBytes);
        at = endOfString(bytes, slice, at);
      }
      if (at < 0 || at >= end) return false;
      at++;
      if (isKey) {
        isKey = false;
        at = skipSpace(bytes, at);
        if (bytes[at] !== colon) return false;
        at = skipSpace(bytes, at + 1);
        continue;
      }
    } else if (isKey) return false;
    else if (byte === openObject || byte === openList) {
      if (depth === maxDepth) return false;
      if (depth === brackets.length) brackets = doubled(brackets);
      brackets[depth++] = byte;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== byte + 2) {
        isKey = byte === openObject;
        continue;
      }
      depth--;
      at++;
    } else {
      at = byte === minus || isDigit(byte) ? endOfNumber(bytes, at) : endOfLiteral(bytes, at);
      if (at < 0) return false;
    }
    // A value has ended here.
    for (;;) {
      at = skipSpace(bytes, at);
      if (depth === 0) return at === end;
      const next = bytes[at];
      isKey = brackets[depth - 1] === openObject;
      if (next === comma) break;
      if (next !== (isKey ? closeObject : closeList)) return false;
      depth--;
      at++;
    }
    at = skipSpace(bytes, at + 1);
  }
}

/** The position of the closing quote, or the end of the slice; -1 if it is not a string. */
function endOfString(bytes: Uint8Array, slice: Uint8Array, start: number): number {
  let at = start;
  while (at < slice.length) {
    // An index beyond the slice counts as a byte that is not plain.
    while (plainBytes[slice[at] ?? 0] === 1) at++;
    const byte = slice[at];
    if (byte === quote || byte === undefined) return at;
    if (byte !== backslash) return -1;
    const escaped = bytes[++at] ?? 0;
    if (escaped === letterU) {
      for (let digits = 0; digits < 4; digits++) if (hexDigit(bytes[++at]) < 0) return -1;
    } else if (!simpleEscapes.has(escaped)) return -1;
    at++;
  }
  return at;
}

function endOfLiteral(bytes: Uint8Array, start: number): number {
  for (const literal of literals) {
    if (literal[0] !== bytes[start]) continue;
    for (let i = 1; i < literal.length; i++) if (literal[i] !== bytes[start + i]) return -1;
    return start + literal.length;
  }
  return -1;
}

function doubled(stack: Uint8Array): Uint8Array {
  const larger = new Uint8Array(stack.length * 2);
  larger.set(stack);
  return larger;
}
