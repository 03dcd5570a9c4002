/*
 * Makes invisible and reordering characters of captured text visible, so that it cannot deceive the reader. For display only: copies and
 * downloads are unchanged.
 */

const hiddenChars = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const toVisible = (char: string, keep: string): string => {
  if (keep.includes(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
};

/** For a single line: line feeds and tabs are made visible too. */
export const visibleLine = (text: string): string => text.replace(hiddenChars, char => toVisible(char, ''));

/** For names chosen by team members: only control and bidi characters are made visible; joined emoji are kept. */
export const visibleName = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, char => toVisible(char, ''));

/** The text of a header value. The API returns one character per byte; bytes that are valid UTF-8 are decoded as UTF-8. */
export const headerText = (value: string): string => {
  if (/^[ -~]*$/.test(value) || /[^\p{ASCII}\u0080-\u00ff]/u.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, char => char.charCodeAt(0)));
  } catch {
    return value;
  }
};

/** For multi-line text: line feeds and tabs are kept, and CRLF becomes a line feed. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(hiddenChars, char => toVisible(char, '\n\t'));
