/*
 * Paths in a body: `a.b`, `items[].sku` (any item), `items[0]` or `items.0` (the first), `[].x` after `body` for a list at the top,
 * and `"a.b".c` for keys that contain a dot, a space, a quote or an operator.
 */
import { FilterError, type Span, type Step } from './filter.ts';
import { endOfQuoted, unquote } from './tokens.ts';

export type BodyPath = { readonly path: readonly Step[]; readonly name: string };

/** @param span begins at the dot or the bracket after `body` @throws FilterError */
export function readBodyPath(characters: readonly string[], { start, end }: Span): BodyPath {
  const path: Step[] = [];
  let name = '';
  for (let at = start; at < end; ) {
    if (characters[at] === '.') at++;
    else if (at > start) throw new FilterError('a "." is missing here', at);
    const isQuoted = characters[at] === '"';
    const keyEnd = isQuoted ? (endOfQuoted(characters, at) ?? end) : at;
    const segmentEnd = endOfSegment(characters, keyEnd, end);
    const written = characters.slice(keyEnd, segmentEnd).join('');
    const { key, items } = splitItems(written);
    // There must be no text between a quote and brackets, or between `body` and brackets.
    const isWhole = isQuoted || at === start;
    if (isWhole && key !== '') throw new FilterError('a "." is missing here', keyEnd);
    if (!isWhole && key === '') throw new FilterError('a key is missing here', at);
    const whole = isQuoted ? unquote(characters, { start: at, end: keyEnd }) : key;
    if (isQuoted || key !== '') path.push({ key: whole });
    path.push(...items);
    name += `${at > start + 1 ? '.' : ''}${isQuoted ? whole : ''}${written}`;
    at = segmentEnd;
  }
  if (characters[end - 1] === '.') throw new FilterError('a key is missing here', end);
  return { path, name };
}

function endOfSegment(characters: readonly string[], start: number, end: number): number {
  let at = start;
  while (at < end && characters[at] !== '.' && characters[at] !== '"') at++;
  return at;
}

/** `items[][0]` is the key `items` and two steps; other brackets, as in the form field `user[name]`, belong to the key. */
function splitItems(written: string): { key: string; items: Step[] } {
  const items: Step[] = [];
  let key = written;
  for (;;) {
    const [bracket, index] = /\[(\d*)\]$/.exec(key) ?? [];
    if (bracket === undefined) return { key, items };
    items.unshift(index === '' || index === undefined ? { anyItem: true } : { key: index });
    key = key.slice(0, -bracket.length);
  }
}
