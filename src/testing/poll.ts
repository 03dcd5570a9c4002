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
