/* Where two values differ, character by character. Pure. */

import { commonPairs } from '../../../shared/diff/common-pairs.ts';

export type Piece = { text: string; isChanged: boolean };

const maxShownCharacters = 2000;
const charactersBefore = 200;
const maxComparedCharacters = 400;
/** A shorter common part between two differences is a coincidence. */
const minCommonCharacters = 3;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** As people count them, so that no joined emoji is torn apart. */
const charactersOf = (text: string): string[] =>
  /^[\0-\x7f]*$/.test(text) ? text.split('') : Array.from(graphemes.segment(text), ({ segment }) => segment);

export function markDifferences(before: string, after: string): { before: Piece[]; after: Piece[] } {
  const start = startOfWindow(before, after);
  const [left, right] = [before, after].map(text => charactersOf(text.slice(start, start + maxShownCharacters)));
  if (!left || !right) return { before: [], after: [] };
  let head = 0;
  while (head < Math.min(left.length, right.length) && left[head] === right[head]) head++;
  let tail = 0;
  const longest = Math.min(left.length, right.length) - head;
  while (tail < longest && left.at(-1 - tail) === right.at(-1 - tail)) tail++;
  const [mine, theirs] = [left.slice(head, left.length - tail), right.slice(head, right.length - tail)];
  const common = longCommonPairs(mine, theirs);
  const pieces = (all: string[], inner: string[], kept: Set<number>): Piece[] =>
    joined([
      ...(start > 0 ? ['…'] : []).map(text => ({ text, isChanged: false })),
      ...all.slice(0, head).map(text => ({ text, isChanged: false })),
      ...inner.map((text, at) => ({ text, isChanged: !kept.has(at) })),
      ...all.slice(all.length - tail).map(text => ({ text, isChanged: false })),
    ]);
  return {
    before: pieces(left, mine, new Set(common.map(pair => pair.left))),
    after: pieces(right, theirs, new Set(common.map(pair => pair.right))),
  };
}

function startOfWindow(before: string, after: string): number {
  if (Math.max(before.length, after.length) <= maxShownCharacters) return 0;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  return Math.max(0, same - charactersBefore);
}

function longCommonPairs(left: string[], right: string[]): { left: number; right: number }[] {
  if (Math.max(left.length, right.length) > maxComparedCharacters) return [];
  const pairs = commonPairs(left, right);
  return pairs.filter((pair, at) => {
    const follows = (one: number): boolean =>
      pairs[one + 1]?.left === (pairs[one]?.left ?? 0) + 1 && pairs[one + 1]?.right === (pairs[one]?.right ?? 0) + 1;
    let length = 1;
    for (let one = at; follows(one); one++) length++;
    for (let one = at - 1; one >= 0 && follows(one); one--) length++;
    return length >= minCommonCharacters && pair !== undefined;
  });
}

function joined(characters: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { text, isChanged } of characters) {
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else pieces.push({ text, isChanged });
  }
  return pieces;
}
