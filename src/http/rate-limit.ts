/*
 * The contract's limit, exact: any window of one minute holds at most `limit` accepted requests of a credential, and never
 * fewer are allowed (api-contract "Limits"). That takes the times of the last `limit` requests of each; a refused request
 * does not count. Per process, on the monotonic clock, so that a clock that jumps changes nothing.
 */

const minuteMs = 60_000;
const sweepEvery = 1024;

export type RateLimiter = {
  /** 0 when the request may pass, else after how many whole seconds one will. */
  take: (credential: string, limit: number) => number;
};

/** Times of accepted requests, oldest at `first`. As long as there were requests, not as the limit would allow. */
type Ring = { times: Float64Array; first: number; size: number };

const firstLength = 16;

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

/** @param windowMs the contract's minute, unless something else is counted */
export function createRateLimiter(monotonic: () => number, windowMs = minuteMs): RateLimiter {
  const rings = new Map<string, Ring>();
  let taken = 0;

  const sweep = (now: number): void => {
    for (const [credential, ring] of rings) if (now - at(ring, ring.size - 1) >= windowMs) rings.delete(credential);
  };

  return {
    take(credential, limit) {
      const now = monotonic();
      if (++taken % sweepEvery === 0) sweep(now);
      let ring = rings.get(credential);
      if (!ring) {
        ring = { times: new Float64Array(firstLength), first: 0, size: 0 };
        rings.set(credential, ring);
      }
      while (ring.size > 0 && now - at(ring, 0) >= windowMs) {
        ring.first = (ring.first + 1) % ring.times.length;
        ring.size--;
      }
      // The request that has to be forgotten before the next may pass.
      if (ring.size >= limit) return Math.max(1, Math.ceil((at(ring, ring.size - limit) + windowMs - now) / 1000));
      add(ring, now);
      return 0;
    },
  };
}
