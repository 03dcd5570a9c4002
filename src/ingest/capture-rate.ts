/* The current capture rate: background work pauses while it is high, before a queue has formed. */

export type CaptureRate = ReturnType<typeof createCaptureRate>;

/** How busy capture is. Background work pauses for it. */
export type CaptureLoad = Pick<CaptureRate, 'isHigh' | 'recent'> & {
  /** Whether deliveries are waiting for their commit. */
  isWaiting: () => boolean;
};

const windowMs = 1000;
const highRows = 200;

export function createCaptureRate(monotonic: () => number) {
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
  /** How many deliveries were stored in the last one or two seconds. */
  const recent = (): number => {
    startWindow();
    return previousRows + currentRows;
  };
  return {
    stored: (rows: number): void => {
      startWindow();
      currentRows += rows;
    },
    /** Whether a few hundred deliveries were stored in the last one or two seconds. */
    isHigh: (): boolean => recent() >= highRows,
    recent,
  };
}
