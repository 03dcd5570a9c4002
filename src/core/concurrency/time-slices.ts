/* Long work on the main thread in small bites: between two bites everything else that waits has its turn. */

const biteMs = 3;

/** @returns to be awaited after each piece of work; it gives way once a bite's time is used up */
export function createTimeSlices(monotonic: () => number): () => Promise<void> | undefined {
  let until = monotonic() + biteMs;
  return () => {
    if (monotonic() < until) return;
    return new Promise(resolve =>
      setImmediate(() => {
        until = monotonic() + biteMs;
        resolve();
      }),
    );
  };
}
