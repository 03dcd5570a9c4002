/* Starts work for the next items while the current one is used, in their order. */

/** @param ahead how many items are worked on beside the current one @returns the results in order; the first failure ends it */
export async function* prefetch<T, R>(
  items: Iterable<T>,
  ahead: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const started: Promise<R>[] = [];
  const start = (item: T): void => {
    const result = work(item);
    // Its turn to be awaited comes later, or never if an earlier one fails.
    result.catch(() => {});
    started.push(result);
  };
  for (const item of items) {
    start(item);
    if (started.length <= ahead) continue;
    const first = started.shift();
    if (first) yield await first;
  }
  for (const result of started) yield await result;
}
