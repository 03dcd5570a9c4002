/* Compares a text with the value of a term: the whole text, with `*` for any characters in an unquoted value. Takes linear time. */
import type { Value } from '../../shared/filter/filter.ts';

export type TextMatch = (text: string) => boolean;

export function createTextMatch({ text: wanted, isQuoted }: Value): TextMatch {
  const [first = '', ...rest] = isQuoted ? [wanted] : wanted.split('*');
  const last = rest.pop();
  if (last === undefined) return text => text === wanted;
  const between = rest.filter(piece => piece !== '');
  return text => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    // Taking the first match of each piece leaves the most text for the following pieces.
    let at = first.length;
    for (const piece of between) {
      const found = text.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= end;
  };
}
