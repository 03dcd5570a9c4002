/* Groups items so that few bytes are held at once. */

/** Consecutive items in groups of at most `maxBytes`. An item that is larger is a group of its own. */
export function groupBySize<Sized extends { size: number }>(items: readonly Sized[], maxBytes: number): Sized[][] {
  const groups: Sized[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    bytes += item.size;
    if (bytes > maxBytes) {
      groups.push([]);
      bytes = item.size;
    }
    groups.at(-1)?.push(item);
  }
  return groups;
}
