/* Longest common subsequence over two lists of texts, the base of every comparison. Bounded: huge middles fall back to pairing in place. */

export type Match = { left: number; right: number };

const MAX_CELLS = 4_000_000;

/** Pairs of equal entries, in order. */
export function commonPairs(left: string[], right: string[]): Match[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  ) {
    tail++;
  }
  const pairs: Match[] = Array.from({ length: head }, (_, at) => ({ left: at, right: at }));
  pairs.push(...middlePairs(left.slice(head, left.length - tail), right.slice(head, right.length - tail), head));
  for (let at = tail; at > 0; at--) pairs.push({ left: left.length - at, right: right.length - at });
  return pairs;
}

const middlePairs = (left: string[], right: string[], offset: number): Match[] => {
  const width = right.length + 1;
  const pairs: Match[] = [];
  if (left.length * right.length > MAX_CELLS) {
    for (let at = 0; at < Math.min(left.length, right.length); at++) {
      if (left[at] === right[at]) pairs.push({ left: at + offset, right: at + offset });
    }
    return pairs;
  }
  const table = new Uint32Array((left.length + 1) * width);
  const cell = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      table[row * width + column] =
        left[row] === right[column]
          ? cell(row + 1, column + 1) + 1
          : Math.max(cell(row + 1, column), cell(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) {
      pairs.push({ left: row + offset, right: column + offset });
      row++;
      column++;
    } else if (cell(row + 1, column) >= cell(row, column + 1)) row++;
    else column++;
  }
  return pairs;
};
