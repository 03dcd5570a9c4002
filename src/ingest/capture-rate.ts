/* How much is being captured just now, for background work that should keep out of the way before a queue has formed. */

export type CaptureRate = {
  /** So many deliveries were stored. */
  stored: (rows: number) => void;
  /** Whether deliveries come in earnest: a few hundred in the last second or two. */
  isHigh: () => boolean;
};

const windowMs = 1000;
const manyRows = 200;

export function createCaptureRate(monotonic: () => number): CaptureRate {
  let startedAt = monotonic();
  let before = 0;
  let now = 0;
  const turn = (): void => {
    const passed = monotonic() - startedAt;
    if (passed < windowMs) return;
    before = passed < 2 * windowMs ? now : 0;
    now = 0;
    startedAt = monotonic();
  };
  return {
    stored: rows => {
      turn();
      now += rows;
    },
    isHigh: () => {
      turn();
      return before + now >= manyRows;
    },
  };
}
