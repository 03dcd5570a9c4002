/* Names, email addresses and excerpts. A character is a Unicode code point, never half a surrogate pair. */
import { maxNameCharacters } from '../shared/limits.ts';
import { invalid } from './errors.ts';
import { payloadPreviewCharacters } from './limits.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing control characters is the purpose
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const loneSurrogate = /\p{Surrogate}/u;
/** Anything but spaces and what is drawn as nothing: joiners, fillers, variation selectors, an empty Braille cell. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]/u;
/** Embeddings, overrides and isolates also reorder the text beside a name. */
const bidiControls = /[\u202a-\u202e\u2066-\u2069]/;

/** Valid Unicode on one line, without what reorders the text beside it. */
export const isPlainText = (text: string): boolean =>
  ![controls, bidiControls, loneSurrogate].some(unfit => unfit.test(text));

/** At most `limit` characters from the start; never half a character. */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  for (let taken = 0; taken < limit && end < text.length; taken++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

/** The text, or at most `limit` characters of it around the part from `start` up to `end`. */
export function charactersAround(text: string, start: number, end: number, limit: number): string {
  if (text.length <= limit) return text;
  const part = firstCharacters(text.slice(start, end), limit);
  const left = limit - [...part].length;
  const before = [...text.slice(Math.max(0, start - 2 * limit), start)];
  const after = [...text.slice(end, end + 2 * limit)];
  const taken = Math.min(before.length, Math.max(Math.floor(left / 2), left - after.length));
  return before.slice(before.length - taken).join('') + part + after.slice(0, left - taken).join('');
}

/** Making it takes some 2 ms, so it is made when a text is cut for the first time. */
let graphemes: Intl.Segmenter | undefined;
/** A cluster that is longer is cut like any text. */
const maxClusterUnits = 64;

/** Like `firstCharacters`, without a character cluster that the limit would cut: a joined emoji stays whole or is left out. */
export function firstGraphemes(text: string, limit: number): string {
  const start = firstCharacters(text, limit);
  if (start === text || /^[ -~]*$/.test(start.slice(-1) + text.slice(start.length, start.length + 1))) return start;
  const from = Math.max(0, start.length - maxClusterUnits);
  const part = text.slice(from, start.length + maxClusterUnits);
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const cut = graphemes.segment(part).containing(start.length - from);
  return cut && cut.index > 0 ? text.slice(0, from + cut.index) : start;
}

/** Trimmed, 1 to 100 characters, one of them visible, no control characters. @throws invalid, without the field (`inField`) */
export function readName(given: string): string {
  const name = given.trim();
  if (name === '') throw invalid('must not be empty');
  if (controls.test(name) || bidiControls.test(name)) throw invalid('must not contain control characters');
  if (loneSurrogate.test(name)) throw invalid('must be valid Unicode');
  if (!visible.test(name)) throw invalid('must have a character that can be seen');
  if (firstCharacters(name, maxNameCharacters) !== name)
    throw invalid(`must be at most ${maxNameCharacters} characters`);
  return name;
}

/** Direction controls, joiners, fillers: with them one address looks like another. */
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb\u2800]/u;
/** The kelvin sign: its lower case is the letter k, so one address would become another. */
const kelvin = /\u212a/;
/** Local part, `@` and domain. */
export const maxEmailCharacters = 64 + 1 + 190;
const email = /^[^\s@"(),:;<>[\\\]]{1,64}@[^\s@"(),:;<>[\\\]]{1,190}$/;

/** An email address as stored: trimmed, in lower case. Quoted and other rare forms are refused. @throws invalid, without the name of the field */
export function readEmail(given: string): string {
  const address = given.trim().toLowerCase();
  if (
    kelvin.test(given) ||
    !email.test(address) ||
    [controls, hidden, loneSurrogate].some(unfit => unfit.test(address))
  )
    throw invalid('must be an address like name@example.com');
  return address;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 as text, with its byte order mark; undefined when the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Like `decodeUtf8`, with U+FFFD instead of bytes that are not UTF-8. */
export const decodeUtf8Leniently = (bytes: Uint8Array): string => lenient.decode(bytes);

/** At most that many bytes, without a UTF-8 character that the limit cuts. */
export function firstBytes(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  // A character has up to three continuation bytes; more of them are no text.
  while (end > limit - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** The bytes of the body's first 200 characters; a character that is cut at the end is left out. */
export function previewOf(body: Uint8Array): Uint8Array {
  let characters = 0;
  const limit = Math.min(body.length, payloadPreviewCharacters * 4);
  for (let i = 0; i < limit; i++) {
    // Every byte except a continuation byte begins a character.
    if (((body[i] ?? 0) & 0xc0) !== 0x80 && ++characters > payloadPreviewCharacters) return body.subarray(0, i);
  }
  return body.subarray(0, limit);
}
