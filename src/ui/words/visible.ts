/*
 * Captured text made honest for the screen: characters that hide, reorder or do nothing visible become signs of their own.
 * For display only; copying and downloading give the original.
 */

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const sign = (char: string, keep: string): string => {
  if (keep.includes(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
};

/** One line: line feeds and tabs become signs too. */
export const visibleLine = (text: string): string => text.replace(HIDDEN, char => sign(char, ''));

/** Several lines: line feeds, tabs and the carriage returns before line feeds stay. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(HIDDEN, char => sign(char, '\n\t'));
