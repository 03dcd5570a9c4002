/* Quoting for POSIX shells: always a single word with the same bytes in bash, zsh and ksh, without control characters, so safe to paste. */

import { toBase64, utf8Text } from '../body/bytes.ts';

/** Control characters, and characters that hide or reorder the text of the command. */
const unsafeChars = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const bareWord = /^[A-Za-z0-9_./:@%+,-]+$/;

/** One shell word. Throws on NUL, which an argument cannot contain: use `shellStdin`. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new RangeError('an argument cannot contain NUL');
  if (bareWord.test(text)) return text;
  return unsafeChars.test(text) ? escapedWord(new TextEncoder().encode(text)) : `'${text.replaceAll("'", "'\\''")}'`;
}

/** `$'…'` with every byte that is not plain ASCII escaped; `!` too, for history expansion. */
const escapedWord = (bytes: Uint8Array): string =>
  `$'${[...bytes]
    .map(byte => {
      if (byte === 0x27 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
      // Always three octal digits: a hexadecimal escape could include the digits after it.
      if (byte < 0x20 || byte > 0x7e || byte === 0x21) return `\\${byte.toString(8).padStart(3, '0')}`;
      return String.fromCharCode(byte);
    })
    .join('')}'`;

/** A header value as one word. The API returns one character per byte; they are converted back to bytes. */
export const headerWord = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text) ? shellWord(text) : escapedWord(Uint8Array.from(text, char => char.charCodeAt(0)));

/** The kernel's limit for one argument on Linux is 128 KiB. */
const maxArgumentBytes = 100_000;

/** The body as one word, or undefined when that would lose bytes. Quoted line feeds are safe. */
export function bodyWord(body: Uint8Array): string | undefined {
  if (body.length > maxArgumentBytes) return undefined;
  const text = utf8Text(body);
  if (text === undefined || unsafeChars.test(text.replaceAll('\n', ''))) return undefined;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A pipe with the bytes as standard input of the next command. `printf` is a builtin, so its argument has no length limit. */
export const shellStdin = (body: Uint8Array): string => `printf %s '${toBase64(body)}' | base64 -d | `;
