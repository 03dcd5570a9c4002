/*
 * Quoting for POSIX shells. The result is one word whatever the text holds, is safe to paste into a terminal (no control character,
 * so nothing can end a bracketed paste or press Enter), and means the same bytes in bash, zsh and ksh.
 */

import { toBase64, utf8Text } from '../body/bytes.ts';

/** Controls, and characters that reorder or hide what a reader of the command sees. */
const unsafeChars = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const bareWord = /^[A-Za-z0-9_./:@%+,-]+$/;

/** One shell word. NUL cannot be in an argument and is refused: see `shellStdin`. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new RangeError('an argument cannot hold NUL');
  if (bareWord.test(text)) return text;
  return unsafeChars.test(text) ? escapedWord(new TextEncoder().encode(text)) : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `$'…'` with every byte that is not plain ASCII escaped; `!` too, for history expansion. */
const escapedWord = (bytes: Uint8Array): string =>
  `$'${[...bytes]
    .map(byte => {
      if (byte === 0x27 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
      // Always three octal digits: hexadecimal escapes may swallow the digits that follow.
      if (byte < 0x20 || byte > 0x7e || byte === 0x21) return `\\${byte.toString(8).padStart(3, '0')}`;
      return String.fromCharCode(byte);
    })
    .join('')}'`;

/** A header value as one word. The API gives values as they came off the wire, one character a byte, and bytes they become again. */
export const headerWord = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? shellWord(text) : escapedWord(Uint8Array.from(text, char => char.charCodeAt(0)));

/** The kernel's limit for one argument on Linux is 128 KiB. */
const maxArgumentBytes = 100_000;

/** The body as one word when that keeps every byte, else undefined. Line feeds may stay: quoted, they are only text. */
export function bodyWord(body: Uint8Array): string | undefined {
  if (body.length > maxArgumentBytes) return undefined;
  const text = utf8Text(body);
  if (text === undefined || unsafeChars.test(text.replaceAll('\n', ''))) return undefined;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A pipe that feeds any bytes to the command behind it. `printf` is built in, so its argument has no length limit. */
export const shellStdin = (body: Uint8Array): string => `printf %s '${toBase64(body)}' | base64 -d | `;
