/* Escapes in the bytes of JSON, and the percent-encoding of forms. */
import { backslash, hexDigit, letterU } from '../json/bytes.ts';

/** Two-character JSON escapes: the character after the backslash, and the character that it means. */
export const shortEscapes = new Map(
  [...'"\\/bfnrt'].map((letter, i) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(i)]),
);

/** The length of the escape at `at` in bytes; 1 if no escape begins there. */
export function escapeLength(text: Uint8Array, at: number): number {
  if (text[at] !== backslash) return 1;
  if (shortEscapes.has(text[at + 1] ?? 0)) return 2;
  return text[at + 1] === letterU && [2, 3, 4, 5].every(i => hexDigit(text[at + i]) >= 0) ? 6 : 1;
}

const percent = 0x25;
const plus = 0x2b;
const hexDigits = Int8Array.from({ length: 256 }, (_, byte) => hexDigit(byte));

/** Whether decoding would change this text of a form. */
export const mayBeEncoded = (text: Uint8Array): boolean => text.includes(percent) || text.includes(plus);

/** The bytes of a form, with plus signs and percent-encoded bytes decoded. */
export function decodeForm(text: Uint8Array): Uint8Array {
  const decoded = new Uint8Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    const high = byte === percent ? (hexDigits[text[i + 1] ?? 0] as number) : -1;
    const low = high >= 0 ? (hexDigits[text[i + 2] ?? 0] as number) : -1;
    const isEncoded = low >= 0;
    decoded[length++] = isEncoded ? high * 16 + low : byte === plus ? 0x20 : byte;
    if (isEncoded) i += 2;
  }
  return decoded.subarray(0, length);
}
