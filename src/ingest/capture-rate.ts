/* The current capture rate: background work pauses while it is high, before a queue has formed. */

export type CaptureRate = {
  /** Counts deliveries that were stored. */
  stored: (rows: number) => void;
  /** Whether a few hundred deliveries were stored in the last one or two seconds. */
  isHigh: () => boolean;
  /** How many deliveries were stored in the last one or two seconds. */
  recent: () => number;
};

/** How busy capture is. Background work pauses for it. */
export type CaptureLoad = Pick<CaptureRate, 'isHigh' | 'recent'> & {
  /** Whether deliveries are waiting for their commit. */
  isWaiting: () => boolean;
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
  const recent = (): number => {
    startWindow();
    return previousRows + currentRows;
  };
  return {
    stored: rows => {
      startWindow();
      currentRows += rows;
    },
    isHigh: () => recent() >= highRows,
    recent,
  };
}
