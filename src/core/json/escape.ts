/* Escapes bytes for a JSON string without decoding them first: exports of whole histories pass through here. */

import { backslash } from './bytes.ts';

/** The longest escape of one byte: `\u001f`. */
export const maxEscapedBytes = 6;

/** 0: not escaped; 1: as `\u00XX`; else the letter after the backslash. */
const escapes = new Uint8Array(256).fill(1, 0, 0x20);
for (const [byte, letter] of [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x22, '"'],
  [backslash, '\\'],
] as const)
  escapes[byte] = letter.charCodeAt(0);

const hexDigits = Buffer.from('0123456789abcdef');

/** As `JSON.stringify`; a character may be cut at either end. @param to has `maxEscapedBytes` per byte @returns the end */
export function escapeJson(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let out = at;
  for (let i = start; i < end; i++) {
    const byte = from[i] ?? 0;
    const letter = escapes[byte] ?? 0;
    if (letter === 0) {
      to[out++] = byte;
      continue;
    }
    to[out++] = backslash;
    if (letter !== 1) {
      to[out++] = letter;
      continue;
    }
    to[out] = 0x75;
    to[out + 1] = 0x30;
    to[out + 2] = 0x30;
    to[out + 3] = hexDigits[byte >> 4] ?? 0;
    to[out + 4] = hexDigits[byte & 15] ?? 0;
    out += 5;
  }
  return out;
}

export function escapedLength(from: Uint8Array, start: number, end: number): number {
  let length = end - start;
  for (let i = start; i < end; i++) {
    const letter = escapes[from[i] ?? 0] ?? 0;
    if (letter !== 0) length += letter === 1 ? maxEscapedBytes - 1 : 1;
  }
  return length;
}
