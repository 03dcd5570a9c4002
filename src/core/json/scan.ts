/* Reads keys, depth and size of JSON, and the value at a path, in one pass without parsing, which costs several times as much. */

import { asBuffer } from '../encoding/buffer.ts';
import {
  closeList,
  closeObject,
  colon,
  comma,
  endOfByteOrderMark,
  endOfString,
  isKey,
  openList,
  openObject,
  quote,
  skipSpace,
  skipValue,
} from './bytes.ts';

/** `members`: number of keys in all objects. `closed`: all brackets and strings are closed. */
export type JsonScan = { keys: string[]; depth: number; members: number; closed: boolean };

/** Long enough for a short key of which every letter is escaped. */
const maxKeyLength = 64;
const maxTextLength = 65_536;
export const maxKeys = 200;

/** Scans a body that starts with `{` or `[`, after white space and a byte order mark; null for any other body. */
export function scanJson(body: Uint8Array): JsonScan | null {
  const start = skipSpace(body, endOfByteOrderMark(body));
  const first = body[start];
  if (first !== openObject && first !== openList) return null;
  const keys: string[] = [];
  // The depth of the keys to collect: in the object, or in the first object of the list.
  const wanted = first === openObject ? 1 : 2;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let closed = true;
  let collecting = true;
  const end = body.length;
  for (let at = start; at < end; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      const from = at + 1;
      at = endOfString(body, from);
      if (at >= end) closed = false;
      if (collecting && depth === wanted && at - from <= maxKeyLength && keys.length < maxKeys) {
        if (body[skipSpace(body, at + 1)] === colon) keys.push(asBuffer(body).toString('latin1', from, at));
      }
    } else if (byte === openObject || byte === openList) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeObject || byte === closeList) {
      depth -= 1;
      if (depth < wanted && keys.length > 0) collecting = false;
    } else if (byte === colon) members += 1;
  }
  return { keys, depth: deepest, members, closed: closed && depth === 0 };
}

/** The text or number at a path; undefined without one. The body after the value is not read, and may not be JSON. */
export function findJsonValue(body: Uint8Array, path: readonly string[]): string | number | undefined {
  let at = skipSpace(body, endOfByteOrderMark(body));
  for (const step of path) {
    at = findMember(body, at, step);
    if (at < 0) return undefined;
  }
  const end = skipValue(body, at);
  if (end - at > maxTextLength || end > body.length) return undefined;
  try {
    const value: unknown = JSON.parse(asBuffer(body).toString('utf8', at, end));
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The texts at some keys of the outermost object; without the keys whose value is no text. Of a repeated key the last value counts,
 * as for `JSON.parse`. Empty for anything but an object. What follows an error in the JSON is not read: check it with `isJson`.
 */
export function textsAtKeys(body: Uint8Array, keys: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = skipSpace(body, endOfByteOrderMark(body));
  if (body[at] !== openObject) return found;
  do {
    at = skipSpace(body, at + 1);
    const endOfKey = body[at] === quote ? endOfString(body, at + 1) : body.length;
    const isShort = endOfKey - at <= maxKeyLength;
    const key = isShort ? textOf(body, at, endOfKey + 1) : undefined;
    at = skipSpace(body, endOfKey + 1);
    if (body[at] !== colon) break;
    at = skipSpace(body, at + 1);
    const end = skipValue(body, at);
    if (key !== undefined && keys.has(key)) {
      const isText = body[at] === quote && end - at <= maxTextLength;
      const text = isText ? textOf(body, at, end) : undefined;
      if (text === undefined) found.delete(key);
      else found.set(key, text);
    }
    at = skipSpace(body, end);
  } while (body[at] === comma);
  return found;
}

/** The text of a string with its quotes; undefined for anything else. */
function textOf(body: Uint8Array, from: number, to: number): string | undefined {
  try {
    return JSON.parse(asBuffer(body).toString('utf8', from, to));
  } catch {
    return undefined;
  }
}

/** Start of the value of a key or list index in the container at `from`; -1 when it has none. */
function findMember(body: Uint8Array, from: number, step: string): number {
  const open = body[from];
  if (open !== openObject && open !== openList) return -1;
  if (open === openList && !/^\d{1,4}$/.test(step)) return -1;
  let left = Number(step);
  let at = skipSpace(body, from + 1);
  while (at < body.length && body[at] !== closeObject && body[at] !== closeList) {
    let found = left === 0;
    if (open === openObject) {
      if (body[at] !== quote) return -1;
      const end = endOfString(body, at + 1);
      found = isKey(body, at + 1, end, step);
      at = skipSpace(body, end + 1);
      if (body[at] !== colon) return -1;
      at = skipSpace(body, at + 1);
    }
    if (found) return at;
    left -= 1;
    at = skipSpace(body, skipValue(body, at));
    if (body[at] !== comma) return -1;
    at = skipSpace(body, at + 1);
  }
  return -1;
}
