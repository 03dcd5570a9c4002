/* Copies valid JSON and writes its numbers as `JSON.parse` reads them: other parsers read `1e400` or `-0` differently. */
import { asBuffer } from '../../core/encoding/buffer.ts';
import { backslash, endOfNumber, isDigit, minus, quote, zero } from '../../core/json/bytes.ts';
import type { Verbatim } from '../../core/json/output.ts';

/** Small enough for one time slice, even when the text is all numbers. */
const chunkBytes = 16 << 10;

/** Whether a number is an integer of up to 15 digits, which every parser reads and writes the same way. */
function isPlainNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > 15 || (bytes[start] === minus && bytes[start + 1] === zero)) return false;
  for (let i = start + 1; i < end; i++) if (!isDigit(bytes[i])) return false;
  return true;
}

/** More than the longest number that `JSON.stringify` writes, such as `-1.2345678901234567e+100`. */
const maxNumberBytes = 32;

/** @param bytes valid JSON */
export function* normalizeJson(bytes: Uint8Array): Generator<Verbatim> {
  const source = asBuffer(bytes);
  let piece = Buffer.allocUnsafeSlow(chunkBytes);
  let length = 0;
  let inString = false;
  for (let i = 0; i < source.length; ) {
    if (length > chunkBytes - maxNumberBytes) {
      yield { verbatim: piece.subarray(0, length) };
      piece = Buffer.allocUnsafeSlow(chunkBytes);
      length = 0;
    }
    const byte = source[i] ?? 0;
    if (!inString && (byte === minus || isDigit(byte))) {
      const end = endOfNumber(source, i);
      if (isPlainNumber(source, i, end)) while (i < end) piece[length++] = source[i++] ?? 0;
      else length += piece.write(JSON.stringify(Number(source.toString('latin1', i, end))), length, 'latin1');
      i = end;
      continue;
    }
    piece[length++] = byte;
    i++;
    if (byte === quote) inString = !inString;
    else if (byte === backslash) piece[length++] = source[i++] ?? 0;
  }
  if (length > 0) yield { verbatim: piece.subarray(0, length) };
}
