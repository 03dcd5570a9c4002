/* Makes invisible and reordering characters of captured text visible. For display only: copies and downloads are unchanged. */

import { attempt } from '../attempt.ts';

/**
 * Hidden characters, and before them the emoji that need some: pictures joined by zero-width joiners, and the flags of England,
 * Scotland and Wales, whose letters are invisible tags. Anywhere else both are hidden characters.
 */
const hiddenChars =
  /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)+|\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const isEmoji = (text: string): boolean => text.length > 2;

const toVisible = (char: string, keep: string): string => {
  if (keep.includes(char) || isEmoji(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
};

/** For a single line: line feeds and tabs are made visible too. */
export const visibleLine = (text: string): string => text.replace(hiddenChars, char => toVisible(char, ''));

/** Longer lines are never visible in a row. */
const maxLineUnits = 400;

/** For the line of a list: line breaks, with the indentation around them, and tabs are one space. */
export const visiblePreview = (text: string): string =>
  visibleLine(
    text
      .slice(0, maxLineUnits)
      .replace(/[\t ]*[\r\n\u2028\u2029\t]\s*/g, ' ')
      // A beginning that was cut may end inside an emoji.
      .replace(/[\ud800-\udbff\u200d]+$/, ''),
  );

export const cut = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
/** Keeps the end of a long path, its most specific part. */
export const cutPath = (path: string, limit: number): string => (path.length > limit ? `…${path.slice(-limit)}` : path);

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** At most `limit` characters as people count them: a joined emoji is one. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  let count = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (count++ === limit) return text.slice(0, end);
    end += segment.length;
  }
  return text;
}

/** For names chosen by team members: only control and bidi characters are made visible; joined emoji are kept. */
export const visibleName = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, char => toVisible(char, ''));

/** The text of a header value. The API returns one character per byte; bytes that are valid UTF-8 are decoded as UTF-8. */
export const headerText = (value: string): string => {
  if (/^[ -~]*$/.test(value) || /[^\p{ASCII}\u0080-\u00ff]/u.test(value)) return value;
  const bytes = Uint8Array.from(value, char => char.charCodeAt(0));
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? value;
};

/** For multi-line text: line feeds and tabs are kept, and CRLF becomes a line feed. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(hiddenChars, char => toVisible(char, '\n\t'));
