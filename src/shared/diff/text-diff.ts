/* Compares two texts by line, and two ordered lists of pairs (headers, query parameters) by name. */

import { commonPairs } from './common-pairs.ts';

export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string };

const maxLines = 20_000;

/** The lines of both texts in order; removed lines come before added lines. */
export function diffLines(left: string, right: string): DiffLine[] {
  const mine = left.split('\n').slice(0, maxLines);
  const theirs = right.split('\n').slice(0, maxLines);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  for (const pair of [...commonPairs(mine, theirs), { left: mine.length, right: theirs.length }]) {
    for (const text of mine.slice(i, pair.left)) lines.push({ kind: 'removed', text });
    for (const text of theirs.slice(j, pair.right)) lines.push({ kind: 'added', text });
    const text = mine[pair.left];
    if (text !== undefined) lines.push({ kind: 'same', text });
    i = pair.left + 1;
    j = pair.right + 1;
  }
  return lines;
}

type Pair = readonly [name: string, value: string];

/** A pair of either side or both: without `before` it was added, without `after` removed. */
export type MatchedPair = { name: string; before?: string; after?: string };

/** The pairs of both lists, matched by case-insensitive name and order of occurrence; the added ones are at the end. */
export function matchPairs(left: readonly Pair[], right: readonly Pair[]): MatchedPair[] {
  const theirs = new Map<string, Pair[]>();
  for (const pair of right) theirs.set(pair[0].toLowerCase(), [...(theirs.get(pair[0].toLowerCase()) ?? []), pair]);
  const matched = left.map(([name, before]): MatchedPair => {
    const match = theirs.get(name.toLowerCase())?.shift();
    return match ? { name, before, after: match[1] } : { name, before };
  });
  return [...matched, ...[...theirs.values()].flat().map(([name, after]) => ({ name, after }))];
}

export type PairChange = MatchedPair & { kind: 'added' | 'removed' | 'changed' };

export const diffPairs = (left: readonly Pair[], right: readonly Pair[]): PairChange[] =>
  matchPairs(left, right)
    .filter(({ before, after }) => before !== after)
    .map(pair => ({
      kind: pair.before === undefined ? 'added' : pair.after === undefined ? 'removed' : 'changed',
      ...pair,
    }));
