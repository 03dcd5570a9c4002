/*
 * The API's rate limit, exact: any window of one minute holds at most `limit` accepted requests of a credential, and never fewer
 * are allowed (api-contract "Limits"). It keeps the times of the last `limit` accepted requests; refused ones do not count. The
 * limit counts per process, on the monotonic clock.
 */

const minuteMs = 60_000;
const sweepEvery = 1024;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Times of accepted requests, oldest at `first`. It grows with the number of requests, not to the limit at once. */
type Ring = { times: Float64Array; first: number; size: number };

const initialLength = 16;

const at = ({ times, first }: Ring, index: number): number => times[(first + index) % times.length] ?? 0;

function add(ring: Ring, time: number): void {
  if (ring.size === ring.times.length) {
    const longer = new Float64Array(2 * ring.size);
    longer.set(ring.times.subarray(ring.first));
    longer.set(ring.times.subarray(0, ring.first), ring.size - ring.first);
    ring.times = longer;
    ring.first = 0;
  }
  ring.times[(ring.first + ring.size++) % ring.times.length] = time;
}

/** @param windowMs one minute, as the API promises, unless something else is limited */
export function createRateLimiter(monotonic: () => number, windowMs = minuteMs) {
  const rings = new Map<string, Ring>();
  let taken = 0;

  const sweep = (now: number): void => {
    for (const [credential, ring] of rings) if (now - at(ring, ring.size - 1) >= windowMs) rings.delete(credential);
  };

  return {
    /** @returns 0 when the request may pass, else the number of whole seconds until the next one may */
    take(credential: string, limit: number): number {
      const now = monotonic();
      if (++taken % sweepEvery === 0) sweep(now);
      let ring = rings.get(credential);
      if (!ring) {
        ring = { times: new Float64Array(initialLength), first: 0, size: 0 };
        rings.set(credential, ring);
      }
      while (ring.size > 0 && now - at(ring, 0) >= windowMs) {
        ring.first = (ring.first + 1) % ring.times.length;
        ring.size--;
      }
      // The next request may pass once this one is older than the window.
      if (ring.size >= limit) return Math.max(1, Math.ceil((at(ring, ring.size - limit) + windowMs - now) / 1000));
      add(ring, now);
      return 0;
    },
  };
}
