/* The meaning of JSON escapes and percent encodings, one character a byte, and where it is written. */
import { shortEscapes } from '../blocks/encoded-text.ts';
import { latin1 } from '../encoding/buffer.ts';
import { hexDigit } from '../json/bytes.ts';

/** `starts`: the position in the written text of each character, and of the end; undefined if both are the same. */
export type Layer = { text: string; starts: Uint32Array | undefined };

export type Encodings = { hasEscapes: boolean; hasPercent: boolean; isPlusSpace: boolean };

/** JSON in a field of a form, in a string of a JSON body, or in both has fewer. */
export const maxLayers = 5;

const percentForm = /%[0-9A-Fa-f]{2}/;

export const written = (text: string): Layer => ({ text, starts: undefined });

/** Undoes all JSON escapes and percent encodings; undefined if the text has none. */
export function deeperLayer(layer: Layer): Layer | undefined {
  const hasEscapes = layer.text.includes('\\');
  const hasPercent = layer.text.includes('%') && percentForm.test(layer.text);
  return hasEscapes || hasPercent ? decoded(layer, { hasEscapes, hasPercent, isPlusSpace: false }) : undefined;
}

/** Anything that is no encoding stays as it is. */
export function decoded(layer: Layer, { hasEscapes, hasPercent, isPlusSpace }: Encodings): Layer {
  const { text, starts: outer } = layer;
  const bytes = Buffer.allocUnsafe(text.length);
  const starts = new Uint32Array(text.length + 1);
  let length = 0;
  const put = (byte: number, start: number): void => {
    bytes[length] = byte;
    starts[length++] = outer ? (outer[start] ?? 0) : start;
  };
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const start = at;
    if (hasPercent && code === 0x25) {
      const byte = hexNumber(text, at + 1, 2);
      put(byte < 0 ? code : byte, start);
      at += byte < 0 ? 1 : 3;
    } else if (hasEscapes && code === 0x5c) {
      const { character, next } = escapeAt(text, at);
      if (character < 0x80) put(character, start);
      else for (const byte of Buffer.from(String.fromCodePoint(character), 'utf8')) put(byte, start);
      at = next;
    } else {
      put(isPlusSpace && code === 0x2b ? 0x20 : code, start);
      at++;
    }
  }
  starts[length] = outer ? (outer[text.length] ?? 0) : text.length;
  return { text: latin1(bytes.subarray(0, length)), starts: starts.subarray(0, length + 1) };
}

/** The character of the escape at `at`; the backslash itself if it begins none. */
function escapeAt(text: string, at: number): { character: number; next: number } {
  const simple = shortEscapes.get(text.charCodeAt(at + 1));
  if (simple !== undefined) return { character: simple, next: at + 2 };
  const first = unicodeEscape(text, at);
  if (first < 0) return { character: 0x5c, next: at + 1 };
  const second = first >= 0xd800 && first < 0xdc00 ? unicodeEscape(text, at + 6) : -1;
  if (second < 0xdc00 || second > 0xdfff) return { character: first, next: at + 6 };
  return { character: 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), next: at + 12 };
}

const unicodeEscape = (text: string, at: number): number =>
  text.charCodeAt(at) === 0x5c && text.charCodeAt(at + 1) === 0x75 ? hexNumber(text, at + 2, 4) : -1;

function hexNumber(text: string, at: number, digits: number): number {
  let number = 0;
  for (let i = 0; i < digits; i++) {
    const digit = hexDigit(text.charCodeAt(at + i));
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/** `start`, or the position after the escape in which it is: `na@b.c` in `\na@b.c` begins with the `a`. */
export function afterEscape(text: string, start: number): number {
  for (let back = 1; back <= 5 && back <= start; back++) {
    const at = start - back;
    const code = text.charCodeAt(at);
    if (code === 0x25 && back <= 2 && hexNumber(text, at + 1, 2) >= 0) return at + 3;
    if (code !== 0x5c) continue;
    if (unicodeEscape(text, at) >= 0) return at + 6;
    return back === 1 && shortEscapes.has(text.charCodeAt(at + 1)) ? at + 2 : start;
  }
  return start;
}
