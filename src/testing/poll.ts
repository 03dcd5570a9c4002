/* Waiting for something to become true, with a deadline instead of a sleep. */

/** @throws when `probe` has not returned something truthy within `deadlineMs` */
export async function eventually<T>(probe: () => T | Promise<T>, deadlineMs = 5000): Promise<NonNullable<T>> {
  const until = performance.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > until) throw new Error(`not true after ${deadlineMs} ms: ${probe}`);
    await Bun.sleep(5);
  }
}

/** Waits until a count that only grows is positive and was the same ten times in a row. @returns the count */
export async function stableCount(count: () => number, deadlineMs = 5000): Promise<number> {
  let last = 0;
  let repeats = 0;
  await eventually(() => {
    const now = count();
    repeats = now > 0 && now === last ? repeats + 1 : 0;
    last = now;
    return repeats === 10;
  }, deadlineMs);
  return last;
}
