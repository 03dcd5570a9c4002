/** The first items, at least one, as long as they fit into `maxBytes` together. */
export function withinBytes<Sized extends { size: number }>(items: readonly Sized[], maxBytes: number): Sized[] {
  let bytes = 0;
  return items.filter(({ size }, i) => {
    bytes += size;
    return i === 0 || bytes <= maxBytes;
  });
}

/** Consecutive items in groups of at most `maxBytes`, and `maxItems`. An item that is larger is a group of its own. */
export function groupBySize<Sized extends { size: number }>(
  items: readonly Sized[],
  maxBytes: number,
  maxItems = Number.POSITIVE_INFINITY,
): Sized[][] {
  const groups: Sized[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    bytes += item.size;
    if (bytes > maxBytes || groups.at(-1)?.length === maxItems) {
      groups.push([]);
      bytes = item.size;
    }
    groups.at(-1)?.push(item);
  }
  return groups;
}
