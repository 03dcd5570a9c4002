/* Limits of filing: how much is filed at once, how long deliveries wait, and how far filing may lag behind capture. */

export type FilingLimits = typeof defaultLimits;

export const defaultLimits = {
  /** Limits of one transaction. */
  maxRows: 1024,
  maxBytes: 4 << 20,
  /**
   * A smaller backlog waits up to `lingerMs` for more, unless a read is waiting. So bursts are faster, and a trickle causes few
   * transactions.
   */
  minRows: 16_384,
  minBytes: 64 << 20,
  lingerMs: 1000,
  /** The maximum backlog; beyond it, capture waits for filing. */
  maxBacklogBytes: 256 << 20,
  maxBacklogRows: 131_072,
  /**
   * The maximum backlog while clients read, because every read waits for it. It applies for `readingMs` after a read that had
   * to wait.
   */
  maxBacklogRowsWhileReading: 32_768,
  readingMs: 10_000,
  retryMs: 500,
};
