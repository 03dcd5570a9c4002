/*
 * Counts the requests that a destination may have seen in the last second: all running ones, and all that ended in that second. A
 * request reaches the destination at some time between its start and its end. As long as this count stays within a limit, the
 * destination never sees more requests in a second than the limit, even when one of the processes stalls.
 */

const windowMs = 1000;

export function createRecentRequests(monotonic: () => number) {
  let underWay = 0;
  /** The ends of requests, in order. */
  let endedMs: number[] = [];
  /** The first of `endedMs` that still counts. */
  let first = 0;

  const forgetOld = (): void => {
    const since = monotonic() - windowMs;
    while (first < endedMs.length && (endedMs[first] ?? 0) <= since) first++;
    if (first < 1000 || first * 2 < endedMs.length) return;
    endedMs = endedMs.slice(first);
    first = 0;
  };

  return {
    started: (): void => void underWay++,
    ended(): void {
      underWay--;
      forgetOld();
      endedMs.push(monotonic());
    },
    underWay: (): number => underWay,

    /** The minimum wait in ms before another request may start without exceeding `most`. */
    waitMs(most: number): number {
      forgetOld();
      const tooMany = underWay + endedMs.length - first + 1 - most;
      if (tooMany <= 0) return 0;
      // A running request counts for another second after its end.
      const last = endedMs[first + tooMany - 1];
      return last === undefined ? windowMs : last + windowMs - monotonic();
    },
  };
}
