/* The bytes of JSON's grammar, and the steps that all readers of JSON share. Positions are byte offsets. */

import { asBuffer } from '../encoding/buffer.ts';

export const quote = 0x22;
export const backslash = 0x5c;
export const openObject = 0x7b;
export const closeObject = 0x7d;
export const openList = 0x5b;
export const closeList = 0x5d;
export const colon = 0x3a;
export const comma = 0x2c;
export const minus = 0x2d;
export const zero = 0x30;
export const letterU = 0x75;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 0x39;

/** The value of a hexadecimal digit; -1 for any other byte. */
export function hexDigit(byte = 0): number {
  if (isDigit(byte)) return byte - zero;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

export const endOfByteOrderMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at])) at++;
  return at;
}

/** The position after the number at `start`; -1 if there is no number. */
export function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start;
  if (!isDigit(bytes[at])) return -1;
  at = bytes[at] === zero ? at + 1 : skipDigits(bytes, at);
  if (bytes[at] === 0x2e) {
    if (!isDigit(bytes[++at])) return -1;
    at = skipDigits(bytes, at);
  }
  if (((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  at++;
  if (bytes[at] === 0x2b || bytes[at] === minus) at++;
  return isDigit(bytes[at]) ? skipDigits(bytes, at) : -1;
}

/** The position after the value that starts at `from`. */
export function skipValue(body: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      at = endOfString(body, at + 1);
      if (depth === 0) return at + 1;
    } else if (byte === openObject || byte === openList) depth += 1;
    else if (byte === closeObject || byte === closeList) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && byte === comma) return at;
  }
  return body.length;
}

/** The position after the value at `start`, without the white space that may follow. */
export function endOfValue(body: Uint8Array, start: number): number {
  let end = skipValue(body, start);
  while (end > start && isSpace(body[end - 1])) end--;
  return end;
}

/** Whether the bytes are this ASCII key. */
export function isKey(body: Uint8Array, from: number, to: number, key: string): boolean {
  if (to - from !== key.length) return false;
  for (let at = 0; at < key.length; at += 1) if (body[from + at] !== key.charCodeAt(at)) return false;
  return true;
}

export function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  const end = body.length;
  while (at < end) {
    const byte = body[at];
    if (byte === quote) return at;
    at += byte === backslash ? 2 : 1;
  }
  return end;
}

export function endOfScalar(body: Uint8Array, from: number): number {
  let at = from;
  for (let byte = body[at] ?? 0; byte > 0x20 && byte !== comma && byte !== closeList && byte !== closeObject; ) {
    at++;
    byte = body[at] ?? 0;
  }
  return at;
}

/** The text of a valid string, which is from `start` up to `end` with its quotes. */
export function stringAt(body: Uint8Array, start: number, end: number): string {
  const text = asBuffer(body).toString('utf8', start, end);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** The text of a string, and any other value as it is written. */
export const textAt = (body: Uint8Array, start: number, end: number): string =>
  body[start] === quote ? stringAt(body, start, end) : asBuffer(body).toString('utf8', start, end);
