/*
 * Counts the requests that a destination may have seen in the last second: all that are under way, and all that ended in that second.
 * A request reaches the destination at some time between its start and its end. As long as this count stays within a limit, the
 * destination never sees more requests in a second than the limit, even when one of the processes stalls.
 */

const windowMs = 1000;

export type RecentRequests = ReturnType<typeof createRecentRequests>;

export function createRecentRequests(monotonic: () => number) {
  let underWay = 0;
  /** Ordered. */
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

    /** How long another request has to wait, in ms, so that there are no more than `most` with it: at least so long. */
    waitMs(most: number): number {
      forgetOld();
      const tooMany = underWay + endedMs.length - first + 1 - most;
      if (tooMany <= 0) return 0;
      // One that is under way counts for a second after its end.
      const last = endedMs[first + tooMany - 1];
      return last === undefined ? windowMs : last + windowMs - monotonic();
    },
  };
}
