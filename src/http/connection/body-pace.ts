/*
 * The minimum speed of a request body. A body that stalls or trickles holds memory that other requests need; one over a poor mobile
 * uplink is legitimate. So the minimum rate is far below any such uplink, over windows longer than its interruptions.
 */

/** Times in milliseconds. */
export type BodyPaceLimits = {
  /** How long nothing may arrive. */
  silence: number;
  /** For how long after the beginning the rate does not matter. */
  grace: number;
  /** The rate is checked once per window. */
  window: number;
  bytesPerSecond: number;
};

export const bodyPaceLimits: BodyPaceLimits = {
  silence: 20_000,
  grace: 10_000,
  window: 30_000,
  bytesPerSecond: 512,
};

/** The progress of one body; times in milliseconds of a monotonic clock. */
export type BodyPace = { bytes: number; lastByteAt: number; windowFrom: number; windowBytes: number };

export const startPace = (bytes: number, now: number, { grace }: BodyPaceLimits): BodyPace => ({
  bytes,
  lastByteAt: now,
  windowFrom: now + grace,
  windowBytes: bytes,
});

/** Call it periodically. @returns false when the body is too slow */
export function keepsPace(pace: BodyPace, bytes: number, now: number, limits: BodyPaceLimits): boolean {
  if (bytes > pace.bytes) {
    pace.bytes = bytes;
    pace.lastByteAt = now;
  } else if (now - pace.lastByteAt > limits.silence) return false;
  const elapsed = now - pace.windowFrom;
  if (elapsed <= 0) pace.windowBytes = bytes;
  if (elapsed < limits.window) return true;
  if ((bytes - pace.windowBytes) * 1000 < limits.bytesPerSecond * elapsed) return false;
  pace.windowFrom = now;
  pace.windowBytes = bytes;
  return true;
}
