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

type Ring = { times: Float64Array; next: number; size: number };

/** @param windowMs the contract's minute, unless something else is counted */
export function createRateLimiter(monotonic: () => number, windowMs = minuteMs): RateLimiter {
  const rings = new Map<string, Ring>();
  let taken = 0;

  const sweep = (now: number): void => {
    for (const [credential, ring] of rings) {
      const newest = ring.times[(ring.next - 1 + ring.times.length) % ring.times.length] ?? 0;
      if (now - newest >= windowMs) rings.delete(credential);
    }
  };

  return {
    take(credential, limit) {
      const now = monotonic();
      if (++taken % sweepEvery === 0) sweep(now);
      let ring = rings.get(credential);
      if (!ring || ring.times.length !== limit) {
        ring = { times: new Float64Array(limit), next: 0, size: 0 };
        rings.set(credential, ring);
      }
      if (ring.size === limit) {
        const oldest = ring.times[ring.next] ?? 0;
        const waitMs = oldest + windowMs - now;
        if (waitMs > 0) return Math.max(1, Math.ceil(waitMs / 1000));
      } else ring.size++;
      ring.times[ring.next] = now;
      ring.next = (ring.next + 1) % limit;
      return 0;
    },
  };
}
