/*
 * Sending competes with capture for CPU time, most of all when several attempts start at once. While deliveries arrive, a queue
 * therefore starts one attempt at a time, with pauses in between, but at least as many as deliveries arrive, so that a forward of
 * every delivery keeps up.
 */

const maxWaitMs = 50;
/** Fewer deliveries in one or two seconds do not slow down sending. */
const fewDeliveries = 20;
/** At 50 deliveries a second, this adds less than a fifth to their 99th percentile. */
const minPerSecond = 150;
/** Timers are late. A queue makes up for up to this delay. */
const catchUpMs = 10;

/** @returns what to await before each start */
export function createGiveWay(options: {
  monotonic: () => number;
  wait: (ms: number) => Promise<void>;
  /** Whether deliveries wait for their commit. */
  isBusy: () => boolean;
  /** The number of deliveries stored in the last one or two seconds. */
  recentDeliveries: () => number;
}): () => Promise<void> {
  const { monotonic, wait, isBusy, recentDeliveries } = options;
  let turnMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const recent = recentDeliveries();
    const gapMs = recent < fewDeliveries ? 0 : 1000 / Math.max(minPerSecond, recent);
    turnMs = Math.max(turnMs + gapMs, monotonic() - catchUpMs);
    if (gapMs > 0 && turnMs > monotonic()) await wait(turnMs - monotonic());
    const deadline = monotonic() + maxWaitMs;
    while (isBusy() && monotonic() < deadline) await wait(1);
  };
}
