/*
 * Limits how often a client address gets `401` for invalid credentials; beyond that it gets `429`. It only decides how a request is
 * refused, never whether. Memory is bounded.
 */
import { networkOf } from '../shared/addresses.ts';

const refusalsPerMinute = 300;
const minuteMs = 60_000;
const maxNetworks = 10_000;

export type RefusalThrottle = ReturnType<typeof createRefusalThrottle>;

/** The refusals of one network within a minute of the first. */
type Period = { startedAt: number; refusals: number };

export function createRefusalThrottle(monotonic: () => number, capacity = maxNetworks) {
  /** The periods in the order of `startedAt`. */
  const periods = new Map<string, Period>();

  const begin = (network: string, now: number): Period => {
    const period = { startedAt: now, refusals: 0 };
    periods.delete(network);
    periods.set(network, period);
    const oldest = periods.size > capacity ? periods.keys().next().value : undefined;
    if (oldest !== undefined) periods.delete(oldest);
    return period;
  };

  return {
    /** Counts a refusal. @returns 0, or the whole seconds that this client has to wait */
    count(clientAddress: string): number {
      const now = monotonic();
      const network = networkOf(clientAddress);
      const current = periods.get(network);
      const period = current && now - current.startedAt < minuteMs ? current : begin(network, now);
      if (++period.refusals <= refusalsPerMinute) return 0;
      return Math.max(1, Math.ceil((period.startedAt + minuteMs - now) / 1000));
    },
  };
}
