/**
 * Waits for a promise to be rejected. Tests use this instead of `expect(…).rejects`, with which Bun runs the event loop inside of the
 * matcher: on a busy machine, a message from a database thread can then be missed, and the test waits for ever.
 * @returns a function that throws the error, for `expect(…).toThrow()`
 */
export async function thrownBy(promise: PromiseLike<unknown>): Promise<() => void> {
  const [settled] = await Promise.allSettled([promise]);
  return () => {
    if (settled.status === 'rejected') throw settled.reason;
  };
}
