/*
 * How much of the main thread all exports and other long answers together may have. Deliveries are answered on the same thread: an answer is made in
 * bites short enough that none of them waits long, and while many come in the work rests several times as long as it works.
 */

/** One answer's turns: called after each small piece of work, and to be awaited when there is something to wait for. */
export type Turn = () => Promise<void> | undefined;

export type PaceOptions = {
  monotonic: () => number;
  /** Whether deliveries come in earnest. */
  isCaptureHigh: () => boolean;
  /** Waits for so many milliseconds; for 0 until all else that is ready has had its turn. */
  rest: (ms: number) => Promise<void>;
};

const biteMs = 1.5;
/** A bite that took longer was waiting for its page or its reader, or was put aside by the machine. */
const longestBiteMs = 2 * biteMs;
/** While much is captured: how many times the length of its work an export rests. */
const restFactor = 6;

/** @returns makes the turns of one answer */
export function createStreamPace({ monotonic, isCaptureHigh, rest }: PaceOptions): () => Turn {
  let restUntil = 0;
  return () => {
    let startedAt = monotonic();
    return () => {
      const now = monotonic();
      if (now - startedAt < biteMs) return;
      let pause = 0;
      if (isCaptureHigh()) {
        // After those of the other exports: the share is one for all.
        restUntil = Math.max(now, restUntil) + restFactor * Math.min(now - startedAt, longestBiteMs);
        pause = restUntil - now;
      }
      return rest(pause).then(() => {
        startedAt = monotonic();
      });
    };
  };
}

/** The rest of a process. */
export const realRest = (ms: number): Promise<void> =>
  new Promise(resolve => {
    if (ms > 0) setTimeout(resolve, ms);
    else setImmediate(resolve);
  });
