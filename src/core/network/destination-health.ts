/*
 * The health of a destination. After ten failures in a row, or five minutes of failures, it counts as down: it gets one event a
 * minute until it responds. A destination that responds with 429 and Retry-After rests: it is up, but gets no event until that
 * time.
 */

/** `failures`: in a row. `probeAt`: the time of the next probe, if it is down or, without failures, has asked to wait. */
export type Health = { failures: number; failingSince: number | null; probeAt: number | null };

const maxFailures = 10;
const maxFailingMs = 5 * 60_000;
export const probeEveryMs = 60_000;
export const maxRestMs = 24 * 3_600_000;

export const healthy: Health = { failures: 0, failingSince: null, probeAt: null };

export function afterFailure({ failures, failingSince }: Health, now: number): Health {
  const since = Math.min(failingSince ?? now, now);
  const isDown = failures + 1 >= maxFailures || now - since >= maxFailingMs;
  return { failures: failures + 1, failingSince: since, probeAt: isDown ? now + probeEveryMs : null };
}

export const resting = (now: number, ms: number): Health => ({ ...healthy, probeAt: now + ms });

/** The time until the destination may be probed, in ms; 0 if it may be probed now. The clock may have gone back. */
export function untilProbeMs(health: Health, now: number): number {
  const ms = health.probeAt === null ? 0 : health.probeAt - now;
  return ms > (isDown(health) ? probeEveryMs : maxRestMs) ? 0 : Math.max(0, ms);
}

export const isDown = ({ failures, probeAt }: Health): boolean => failures > 0 && probeAt !== null;
export const isResting = (health: Health, now: number): boolean => !isDown(health) && untilProbeMs(health, now) > 0;
