/*
 * Captured text made honest for the screen: characters that hide, reorder or do nothing visible become signs of their own.
 * For display only; copying and downloading give the original.
 */

const hiddenChars = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const sign = (char: string, keep: string): string => {
  if (keep.includes(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
};

/** One line: line feeds and tabs become signs too. */
export const visibleLine = (text: string): string => text.replace(hiddenChars, char => sign(char, ''));

/** A name that somebody of the team chose: only what would turn the words around it is shown as a sign; joined emoji stay whole. */
export const visibleName = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, char => sign(char, ''));

/**
 * The text that a header value spells. Values come as one character a byte; where those beyond ASCII are UTF-8, as most senders mean
 * them, they are read as that.
 */
export const headerText = (value: string): string => {
  if (/^[ -~]*$/.test(value) || /[^\p{ASCII}\u0080-\u00ff]/u.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(value, char => char.charCodeAt(0)));
  } catch {
    return value;
  }
};

/** Several lines: line feeds, tabs and the carriage returns before line feeds stay. */
export const visibleText = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(hiddenChars, char => sign(char, '\n\t'));
