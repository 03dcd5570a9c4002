/*
 * How fast a body has to arrive. One that stalls, or trickles, holds memory that others need; one that comes over a poor mobile uplink
 * is honest, so the rate is far below what any of those has, and looked at over windows that outlast their interruptions.
 */

export type BodyPaceLimits = {
  /** How long nothing may come. */
  silence: number;
  /** For so long after its beginning the rate does not matter. */
  grace: number;
  /** The rate is looked at once for each of these. */
  window: number;
  bytesPerSecond: number;
};

export const bodyPaceLimits: BodyPaceLimits = {
  silence: 20_000,
  grace: 10_000,
  window: 30_000,
  bytesPerSecond: 512,
};

/** What was seen of one body; times in ms of any clock that does not jump. */
export type BodyPace = { bytes: number; heardAt: number; windowFrom: number; windowBytes: number };

export const startPace = (bytes: number, now: number, { grace }: BodyPaceLimits): BodyPace => ({
  bytes,
  heardAt: now,
  windowFrom: now + grace,
  windowBytes: bytes,
});

/** To be called again and again. @returns false when the body is too slow to be waited for */
export function keepsPace(pace: BodyPace, bytes: number, now: number, limits: BodyPaceLimits): boolean {
  if (bytes > pace.bytes) {
    pace.bytes = bytes;
    pace.heardAt = now;
  } else if (now - pace.heardAt > limits.silence) return false;
  const elapsed = now - pace.windowFrom;
  if (elapsed <= 0) pace.windowBytes = bytes;
  if (elapsed < limits.window) return true;
  if ((bytes - pace.windowBytes) * 1000 < limits.bytesPerSecond * elapsed) return false;
  pace.windowFrom = now;
  pace.windowBytes = bytes;
  return true;
}
