/*
 * The amount of work for one slice of background work, learned from the duration of the last slices. It shrinks at once after a
 * slow slice and at most doubles after a quick one, so that one lucky slice does not make the next one too long.
 */

export type BatchSize = {
  /** How many units the next slice should do. */
  units: () => number;
  /** Records that the last slice did `done` units in `durationMs`, which is undefined if unknown. */
  record: (done: number, durationMs: number | undefined) => void;
};

export type BatchSizeOptions = { targetMs: number; initial: number; min: number; max: number };

export function createBatchSize({ targetMs, initial, min, max }: BatchSizeOptions): BatchSize {
  let units = initial;
  return {
    units: () => units,
    record: (done, durationMs) => {
      if (durationMs === undefined || done <= 0) return;
      // A quick small slice does not predict a full one.
      if (done < units / 2 && durationMs < targetMs) return;
      const fitting = durationMs > 0 ? (done * targetMs) / durationMs : max;
      units = Math.round(Math.min(max, Math.max(min, Math.min(fitting, units * 2))));
    },
  };
}
