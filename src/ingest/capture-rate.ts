/* The current capture rate: background work pauses while it is high, before a queue has formed. */

export type CaptureRate = {
  /** Counts deliveries that were stored. */
  stored: (rows: number) => void;
  /** Whether a few hundred deliveries were stored in the last one or two seconds. */
  isHigh: () => boolean;
};

const windowMs = 1000;
const highRows = 200;

export function createCaptureRate(monotonic: () => number): CaptureRate {
  let startedAt = monotonic();
  let previousRows = 0;
  let currentRows = 0;
  const startWindow = (): void => {
    const passed = monotonic() - startedAt;
    if (passed < windowMs) return;
    previousRows = passed < 2 * windowMs ? currentRows : 0;
    currentRows = 0;
    startedAt = monotonic();
  };
  return {
    stored: rows => {
      startWindow();
      currentRows += rows;
    },
    isHigh: () => {
      startWindow();
      return previousRows + currentRows >= highRows;
    },
  };
}
