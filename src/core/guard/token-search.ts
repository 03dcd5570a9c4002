/*
 * Finds a token in a text that may have encoded it: percent-encoded, with `+` for spaces, escaped as in JSON, in base64 of either
 * alphabet, beside other text, and in up to three of these encodings one inside the other. Each step of decoding reads the bytes of
 * a text once and makes one new text, however many escapes and pieces of base64 it has, so a crafted head costs little more than any
 * other.
 */

/** Shorter tokens may be in a text by chance. */
export const minTokenCharacters = 8;

const maxSteps = 3;
/** The characters that may begin a group of base64: other text can come before it without a gap. */
const groupStarts = [0, 1, 2, 3];

const byteOf = (character: string): number => character.charCodeAt(0);
const [percent, backslash, quote, slash] = [byteOf('%'), byteOf('\\'), byteOf('"'), byteOf('/')];
const [plus, space, zero, letterU, lineFeed] = [byteOf('+'), byteOf(' '), byteOf('0'), byteOf('u'), byteOf('\n')];

/** The value of each byte as a digit; -1 if it is not a digit. */
const hexValues = valuesOf('0123456789abcdef', '0123456789ABCDEF');
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64Values = valuesOf(`${base64Alphabet}+/`, `${base64Alphabet}-_`);

/** @param token visible ASCII and spaces @returns whether a text, one character a byte, holds it */
export function createTokenSearch(token: string): (text: string) => boolean {
  const targets = targetsOf(token);
  const hasSpaces = targets.some(target => target.includes(space));
  const shortest = Math.min(...targets.map(({ length }) => length));
  const shortestRun = Math.ceil((shortest * 4) / 3);

  const isIn = (text: Buffer): boolean => {
    const read = hasSpaces ? withSpaces(text) : text;
    return targets.some(target => read.includes(target));
  };
  const holdsToken = (text: Buffer, stepsLeft: number): boolean => {
    if (text.length < shortest) return false;
    if (isIn(text)) return true;
    if (stepsLeft === 0) return false;
    const plain = unescaped(text);
    if (plain !== text && holdsToken(plain, stepsLeft - 1)) return true;
    return holdsToken(decodedRuns(text, shortestRun), stepsLeft - 1);
  };
  return text => holdsToken(Buffer.from(text, 'latin1'), maxSteps);
}

/** The token, and as it reads when something in it that looks like an escape is decoded together with the text around it. */
function targetsOf(token: string): Buffer[] {
  const readings: Buffer[] = [Buffer.from(token, 'latin1')];
  for (let step = 0; step < maxSteps; step++) readings.push(unescaped(readings[step] as Buffer));
  const different = new Set(readings.map(reading => withSpaces(reading).toString('latin1')));
  return [...different].filter(({ length }) => length >= minTokenCharacters).map(text => Buffer.from(text, 'latin1'));
}

function withSpaces(text: Buffer): Buffer {
  if (!text.includes(plus)) return text;
  const read = Buffer.from(text);
  for (let at = 0; at < read.length; at++) if (read[at] === plus) read[at] = space;
  return read;
}

/** @returns the same text if it has no escapes */
function unescaped(text: Buffer): Buffer {
  if (!text.includes(percent) && !text.includes(backslash)) return text;
  const read = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const byte = text[at] as number;
    const size = byte === percent || byte === backslash ? escapeSize(text, at) : 1;
    if (size === 1) read[length] = byte;
    // A backslash and the character that it escapes.
    else if (size === 2) read[length] = text[at + 1] as number;
    else read[length] = hexByte(text, at + size - 2);
    at += size;
  }
  return length === text.length ? text : read.subarray(0, length);
}

/** The number of bytes of an escape: `%2f`, `\u002f`, or `\/`, `\"` and `\\`; 1 for any other byte. */
function escapeSize(text: Buffer, at: number): number {
  if (text[at] === percent) return hexByte(text, at + 1) < 0 ? 1 : 3;
  const next = text[at + 1] ?? 0;
  if (next === quote || next === slash || next === backslash) return 2;
  const isUnicode = (next | 0x20) === letterU && text[at + 2] === zero && text[at + 3] === zero;
  return isUnicode && hexByte(text, at + 4) >= 0 ? 6 : 1;
}

/** The value of two hexadecimal digits; negative for other bytes. */
function hexByte(text: Buffer, at: number): number {
  const high = hexValues[text[at] ?? 0] as number;
  const low = hexValues[text[at + 1] ?? 0] as number;
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** All long enough runs of base64, decoded from each character that may begin a group, on lines of their own. */
function decodedRuns(text: Buffer, shortestRun: number): Buffer {
  // A run becomes at most three quarters of itself and a line feed for each of the four starts.
  const decoded = Buffer.allocUnsafe(4 * text.length);
  let length = 0;
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    for (to = from; to < text.length && (base64Values[text[to] as number] as number) >= 0; to++);
    if (to - from < shortestRun) continue;
    for (const start of groupStarts) {
      length = decodeBase64(text, from + start, to, decoded, length);
      decoded[length++] = lineFeed;
    }
  }
  return decoded.subarray(0, length);
}

/** Writes the decoded bytes to `into`. @returns the position after them */
function decodeBase64(text: Buffer, from: number, to: number, into: Buffer, at: number): number {
  let end = at;
  let bits = 0;
  let bitCount = 0;
  for (let i = from; i < to; i++) {
    bits = (bits << 6) | (base64Values[text[i] as number] as number);
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    into[end++] = bits >> bitCount;
    bits &= (1 << bitCount) - 1;
  }
  return end;
}

function valuesOf(...alphabets: string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const alphabet of alphabets) for (const [value, byte] of Buffer.from(alphabet).entries()) values[byte] = value;
  return values;
}
