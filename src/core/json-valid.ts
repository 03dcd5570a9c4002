/*
 * Checks that bytes are exactly one JSON text (RFC 8259), after an optional byte order mark. One pass, without recursion, so neither
 * size nor depth matters. Bytes beyond ASCII are accepted in strings without a check that they are UTF-8.
 */

const quote = 0x22;
const backslash = 0x5c;
const openObject = 0x7b;
const closeObject = 0x7d;
const openList = 0x5b;
const closeList = 0x5d;
const colon = 0x3a;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;

/** The characters that may follow a backslash, besides `u`. */
const escapes = new Set([...'"\\/bfnrt'].map(letter => letter.charCodeAt(0)));
/** Bytes that stand for themselves inside a string. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte !== quote && byte !== backslash),
);
const literals = ['true', 'false', 'null'].map(word => Buffer.from(word));

export function isJson(body: Uint8Array): boolean {
  const end = body.length;
  let open: Uint8Array = new Uint8Array(64);
  let depth = 0;
  let at = skipSpace(body, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  for (;;) {
    // A value begins here.
    const byte = body[at];
    if (byte === openObject || byte === openList) {
      if (depth === open.length) open = grown(open);
      open[depth++] = byte;
      at = skipSpace(body, at + 1);
      if (body[at] !== byte + 2) {
        if (byte === openObject) at = afterKey(body, at);
        if (at < 0) return false;
        continue;
      }
      depth--;
      at++;
    } else if (byte === quote) at = afterString(body, at + 1);
    else at = byte === minus || isDigit(byte) ? afterNumber(body, at) : afterLiteral(body, at);
    if (at < 0) return false;
    // A value has ended here.
    for (;;) {
      at = skipSpace(body, at);
      if (depth === 0) return at === end;
      const container = open[depth - 1];
      const next = body[at];
      if (next === comma) break;
      if (next !== (container === openObject ? closeObject : closeList)) return false;
      depth--;
      at++;
    }
    at = skipSpace(body, at + 1);
    if (open[depth - 1] === openObject) at = afterKey(body, at);
    if (at < 0) return false;
  }
}

/** Just after the colon and the space that follow a key; -1 where there is no key. */
function afterKey(body: Uint8Array, from: number): number {
  if (body[from] !== quote) return -1;
  const end = afterString(body, from + 1);
  if (end < 0) return -1;
  const at = skipSpace(body, end);
  return body[at] === colon ? skipSpace(body, at + 1) : -1;
}

/** Just after the closing quote; -1 when the string is not one. */
function afterString(body: Uint8Array, from: number): number {
  const end = body.length;
  for (let at = from; at < end; at++) {
    while (plain[body[at] ?? 0] === 1) at++;
    const byte = body[at];
    if (byte === quote) return at + 1;
    if (byte !== backslash) return -1;
    const escaped = body[++at] ?? 0;
    if (escaped === 0x75) {
      for (let digits = 0; digits < 4; digits++) if (!isHexDigit(body[++at])) return -1;
    } else if (!escapes.has(escaped)) return -1;
  }
  return -1;
}

function afterNumber(body: Uint8Array, from: number): number {
  let at = body[from] === minus ? from + 1 : from;
  if (!isDigit(body[at])) return -1;
  if (body[at] === zero) at++;
  else at = skipDigits(body, at);
  if (body[at] === 0x2e) {
    if (!isDigit(body[++at])) return -1;
    at = skipDigits(body, at);
  }
  if (body[at] === 0x65 || body[at] === 0x45) {
    at++;
    if (body[at] === 0x2b || body[at] === minus) at++;
    if (!isDigit(body[at])) return -1;
    at = skipDigits(body, at);
  }
  return at;
}

function afterLiteral(body: Uint8Array, from: number): number {
  for (const word of literals) if (word.every((byte, i) => body[from + i] === byte)) return from + word.length;
  return -1;
}

function skipDigits(body: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(body[at])) at++;
  return at;
}

function skipSpace(body: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 0x39;

const isHexDigit = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

function grown(stack: Uint8Array): Uint8Array {
  const larger = new Uint8Array(stack.length * 2);
  larger.set(stack);
  return larger;
}
