/* How much is filed at once, how long deliveries wait for it, and how far it may lag behind capture. */

export type FilingLimits = typeof defaultLimits;

export const defaultLimits = {
  /** Limits of one transaction. */
  maxRows: 1024,
  maxBytes: 4 << 20,
  /** Less than this waits up to `lingerMs` for more, unless a read is waiting: bursts are faster, and a trickle makes few transactions. */
  minRows: 16_384,
  minBytes: 64 << 20,
  lingerMs: 1000,
  /** Beyond this backlog capture waits for filing. */
  maxBacklogBytes: 256 << 20,
  maxBacklogRows: 131_072,
  /** The same while clients read, because each read waits for the backlog: for `readingMs` after a read that had to wait. */
  maxBacklogRowsWhileReading: 32_768,
  readingMs: 10_000,
  retryMs: 500,
};
