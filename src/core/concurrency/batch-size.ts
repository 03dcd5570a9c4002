/*
 * How much work fits into a slice of background work: learned from how long the last ones took. Too much is corrected at
 * once, too little by doubling at most, so that one lucky slice does not make the next one too long.
 */

export type BatchSize = {
  /** Units for the next slice. */
  size: () => number;
  /** The last slice did so many units in so many ms; undefined when nobody knows. */
  record: (units: number, ms: number | undefined) => void;
};

export function createBatchSize({
  targetMs,
  first,
  least,
  most,
}: {
  targetMs: number;
  first: number;
  least: number;
  most: number;
}): BatchSize {
  let units = first;
  return {
    size: () => units,
    record: (done, ms) => {
      if (ms === undefined || done <= 0) return;
      // A small slice that was quick says nothing about a whole one.
      if (done < units / 2 && ms < targetMs) return;
      const fitting = ms > 0 ? (done * targetMs) / ms : most;
      units = Math.round(Math.min(most, Math.max(least, Math.min(fitting, units * 2))));
    },
  };
}
