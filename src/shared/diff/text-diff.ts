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

export type PairChange = { kind: 'added' | 'removed' | 'changed'; name: string; before?: string; after?: string };

type Pair = readonly [name: string, value: string];

/** The differences of two lists of pairs, matched by case-insensitive name and order of occurrence. */
export function diffPairs(left: readonly Pair[], right: readonly Pair[]): PairChange[] {
  const theirs = new Map<string, Pair[]>();
  for (const pair of right) theirs.set(pair[0].toLowerCase(), [...(theirs.get(pair[0].toLowerCase()) ?? []), pair]);
  const changes: PairChange[] = [];
  for (const [name, before] of left) {
    const match = theirs.get(name.toLowerCase())?.shift();
    if (!match) changes.push({ kind: 'removed', name, before });
    else if (match[1] !== before) changes.push({ kind: 'changed', name, before, after: match[1] });
  }
  for (const [name, after] of [...theirs.values()].flat()) changes.push({ kind: 'added', name, after });
  return changes;
}
