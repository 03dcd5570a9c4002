/* The longest common subsequence of two lists, the base of every comparison. */
import { diffArrays } from 'diff';

export type CommonPair = { left: number; right: number };

/** Long lists with little in common would block the page for seconds. */
const timeoutMs = 400;

/** The positions of equal entries, in order. After the timeout it compares position by position instead. */
export function commonPairs(left: string[], right: string[]): CommonPair[] {
  const parts = diffArrays(left, right, { timeout: timeoutMs });
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
