/*
 * Looks at JSON without parsing it: which keys the outermost object has (or the first object of the outermost list), how deep and how
 * wide it is, and the one value at a path. Passes over the bytes once, without recursion; allocates only what it returns; never throws.
 * Parsing costs several times as much and is left for bodies whose keys some rule asks about.
 */

/** `members`: keys in all objects together. `closed`: every bracket and string that was opened is closed. */
export type JsonOutline = { keys: string[]; depth: number; members: number; closed: boolean };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
const LONGEST_KEY = 40;
const LONGEST_TEXT = 65_536;
const MOST_KEYS = 200;

/** Outline of a body that starts with `{` or `[` (white space and a byte order mark may come first); null for anything else. */
export function outlineJson(body: Uint8Array): JsonOutline | null {
  const start = skipSpace(body, startOf(body));
  const first = body[start];
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return null;
  const keys: string[] = [];
  // The keys wanted are those at this depth: inside the object, or inside the first object of the list.
  const wanted = first === OPEN_OBJECT ? 1 : 2;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let closed = true;
  let collecting = true;
  const end = body.length;
  for (let at = start; at < end; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      const from = at + 1;
      at = endOfString(body, from);
      if (at >= end) closed = false;
      if (collecting && depth === wanted && at - from <= LONGEST_KEY && keys.length < MOST_KEYS) {
        if (body[skipSpace(body, at + 1)] === COLON) keys.push(ascii(body, from, at));
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth < wanted && keys.length > 0) collecting = false;
    } else if (byte === COLON) members += 1;
  }
  return { keys, depth: deepest, members, closed: closed && depth === 0 };
}

/**
 * The text or number at a path (keys and list indexes) of a JSON body; undefined where there is none, or something else. What comes
 * after the value is not looked at.
 */
export function pickJson(body: Uint8Array, path: readonly string[]): string | number | undefined {
  let at = skipSpace(body, startOf(body));
  for (const step of path) {
    at = enter(body, at, step);
    if (at < 0) return undefined;
  }
  const end = skipValue(body, at);
  if (end - at > LONGEST_TEXT || end > body.length) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset + at, end - at).toString('utf8'));
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Where the value of a key, or of a list index, begins; -1 when the container at `from` has none. */
function enter(body: Uint8Array, from: number, step: string): number {
  const open = body[from];
  if (open !== OPEN_OBJECT && open !== OPEN_LIST) return -1;
  if (open === OPEN_LIST && !/^\d{1,4}$/.test(step)) return -1;
  let left = Number(step);
  let at = skipSpace(body, from + 1);
  while (at < body.length && body[at] !== CLOSE_OBJECT && body[at] !== CLOSE_LIST) {
    let found = left === 0;
    if (open === OPEN_OBJECT) {
      if (body[at] !== QUOTE) return -1;
      const end = endOfString(body, at + 1);
      found = isKey(body, at + 1, end, step);
      at = skipSpace(body, end + 1);
      if (body[at] !== COLON) return -1;
      at = skipSpace(body, at + 1);
    }
    if (found) return at;
    left -= 1;
    at = skipSpace(body, skipValue(body, at));
    if (body[at] !== COMMA) return -1;
    at = skipSpace(body, at + 1);
  }
  return -1;
}

/** Just after the value that begins here. */
function skipValue(body: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      at = endOfString(body, at + 1);
      if (depth === 0) return at + 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && byte === COMMA) return at;
  }
  return body.length;
}

function isKey(body: Uint8Array, from: number, to: number, key: string): boolean {
  if (to - from !== key.length) return false;
  for (let at = 0; at < key.length; at += 1) if (body[from + at] !== key.charCodeAt(at)) return false;
  return true;
}

/** After a byte order mark. */
const startOf = (body: Uint8Array): number => (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);

/** Index of the closing quote (or the end). */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  const end = body.length;
  while (at < end) {
    const byte = body[at];
    if (byte === QUOTE) return at;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return end;
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
  return at;
}

const ascii = (body: Uint8Array, from: number, to: number): string =>
  Buffer.from(body.buffer, body.byteOffset + from, to - from).toString('latin1');
