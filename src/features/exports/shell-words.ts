/*
 * Words of a POSIX shell, in plain ASCII without control characters: nothing in captured text can end a word, be expanded, or reach
 * the terminal of a person who reads the script.
 */

const printable = /^[\x20-\x7e]*$/;

/** One word. @param text one character for each byte, without NUL; must not end with a line feed */
export function shellWord(text: string): string {
  if (printable.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `"$(printf %b '${text.replace(/[^ !#&(-[\]-_a-~]/g, escapeByte)}')"`;
}

/** Always three octal digits: fewer would take a digit that follows. */
const escapeByte = (character: string): string => `\\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;

/** Text for people, with everything that is not printable percent-encoded, cut to `maxCharacters`. */
export function label(text: string, maxCharacters: number): string {
  const start = text.slice(0, maxCharacters);
  const shown = start.replace(
    /[^\x20-\x7e]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return start === text ? shown : `${shown}...`;
}
