/*
 * Looks at JSON without parsing it: which keys the outermost object has (or the first object of the outermost list), and how
 * deep it nests. One pass over the bytes, no recursion, no allocation but the keys; never throws. Parsing costs three times
 * as much and is left for bodies whose keys some rule asks about.
 */

export type JsonOutline = { keys: string[]; depth: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const LONGEST_KEY = 40;
const MOST_KEYS = 200;

/** Outline of a body that starts with `{` or `[` (white space and a byte order mark may come first); null for anything else. */
export function outlineJson(body: Uint8Array): JsonOutline | null {
  const start = skipSpace(body, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  const first = body[start];
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return null;
  const keys: string[] = [];
  // The keys wanted are those at this depth: inside the object, or inside the first object of the list.
  const wanted = first === OPEN_OBJECT ? 1 : 2;
  let depth = 0;
  let deepest = 0;
  let collecting = true;
  const end = body.length;
  for (let at = start; at < end; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) {
      const from = at + 1;
      at = endOfString(body, from);
      if (collecting && depth === wanted && at - from <= LONGEST_KEY && keys.length < MOST_KEYS) {
        if (body[skipSpace(body, at + 1)] === COLON) keys.push(ascii(body, from, at));
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth < wanted && keys.length > 0) collecting = false;
    }
  }
  return { keys, depth: deepest };
}

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
