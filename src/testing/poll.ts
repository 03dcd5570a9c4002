/* Waiting for something to become true, with a deadline instead of a sleep. */

/** Long enough for a busy machine; only a failing test waits for the whole time. */
const usualDeadlineMs = 60_000;

/** @throws if `probe` has not returned a truthy value within `deadlineMs` */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  deadlineMs = usualDeadlineMs,
): Promise<NonNullable<T>> {
  const startedAt = performance.now();
  for (;;) {
    const value = await probe();
    if (value) return value;
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > deadlineMs) throw new Error(`not true after ${deadlineMs} ms: ${probe}`);
    // After a longer wait it probes less often, because a probe may be a request.
    await Bun.sleep(Math.min(50, Math.max(5, waitedMs / 20)));
  }
}

/** Waits until a count that only grows is positive and was the same ten times in a row. @returns the count */
export async function stableCount(count: () => number, deadlineMs = usualDeadlineMs): Promise<number> {
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
