/* application/x-www-form-urlencoded and query strings as ordered pairs: repeats stay, and what cannot be decoded is shown as sent. */

export type FormField = { name: string; value: string; raw: string };

/** Pairs in the order sent. Empty pieces between `&` are passed over, as every parser does. */
export const parseForm = (text: string): FormField[] =>
  text
    .split('&')
    .filter(piece => piece !== '')
    .map(piece => {
      const at = piece.indexOf('=');
      const name = at < 0 ? piece : piece.slice(0, at);
      return { name: decodeField(name), value: at < 0 ? '' : decodeField(piece.slice(at + 1)), raw: piece };
    });

/** `+` is a space, `%XX` a byte of UTF-8; malformed escapes leave the piece as it was sent. */
const decodeField = (piece: string): string => {
  try {
    return decodeURIComponent(piece.replaceAll('+', ' '));
  } catch {
    return piece;
  }
};
