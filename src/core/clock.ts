/* Time as a dependency, so that tests can control it. */

export type Clock = {
  /** Wall clock, epoch milliseconds. It may jump in either direction. */
  now: () => number;
  /** Milliseconds since some fixed point; never goes back. For durations and rate limits. */
  monotonic: () => number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
