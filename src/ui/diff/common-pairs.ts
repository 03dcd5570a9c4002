/* Which entries two lists have in common, in order: the base of every comparison. */
import { diffArrays } from 'diff';

export type CommonPair = { left: number; right: number };

/** Two long lists with little in common would keep the page busy for seconds, for a result that nobody reads. */
const timeout = 400;

/** Positions of equal entries, in order. Lists with so many differences that it takes too long are compared position by position. */
export function commonPairs(left: string[], right: string[]): CommonPair[] {
  const parts = diffArrays(left, right, { timeout });
  if (!parts) return samePositions(left, right);
  const pairs: CommonPair[] = [];
  let [atLeft, atRight] = [0, 0];
  for (const { added, removed, count } of parts) {
    if (!added && !removed) for (let i = 0; i < count; i++) pairs.push({ left: atLeft + i, right: atRight + i });
    if (!added) atLeft += count;
    if (!removed) atRight += count;
  }
  return pairs;
}

const samePositions = (left: string[], right: string[]): CommonPair[] =>
  left.flatMap((entry, at) => (at < right.length && entry === right[at] ? [{ left: at, right: at }] : []));
