/* The size of a slice of background work: it shrinks at once after a slow slice, and at most doubles after a quick one. */

type Options = { targetMs: number; initial: number; min: number; max: number };

export function createBatchSize({ targetMs, initial, min, max }: Options) {
  let units = initial;
  return {
    /** How many units the next slice should do. */
    units: () => units,
    /** Records that the last slice did `done` units in `durationMs`, which is undefined if unknown. */
    record: (done: number, durationMs: number | undefined): void => {
      if (durationMs === undefined || done <= 0) return;
      // A quick small slice does not predict a full one.
      if (done < units / 2 && durationMs < targetMs) return;
      const fitting = durationMs > 0 ? (done * targetMs) / durationMs : max;
      units = Math.round(Math.min(max, Math.max(min, Math.min(fitting, units * 2))));
    },
  };
}
