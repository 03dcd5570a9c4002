/*
 * The health of a destination. After ten failures in a row, or five minutes of failures, it counts as down: it gets one event a
 * minute until it answers.
 */
import type { Health } from './store.ts';

const maxFailures = 10;
const maxFailingMs = 5 * 60_000;
export const probeEveryMs = 60_000;

export const healthy: Health = { failures: 0, failingSince: null, probeAt: null };

export function afterFailure({ failures, failingSince }: Health, now: number): Health {
  const since = Math.min(failingSince ?? now, now);
  const isDown = failures + 1 >= maxFailures || now - since >= maxFailingMs;
  return { failures: failures + 1, failingSince: since, probeAt: isDown ? now + probeEveryMs : null };
}

/** How long to wait until the next probe; 0 when it is due, or the destination is up. The clock may have gone back. */
export function untilProbeMs({ probeAt }: Health, now: number): number {
  const ms = probeAt === null ? 0 : probeAt - now;
  return ms > probeEveryMs ? 0 : Math.max(0, ms);
}

export const isDown = ({ probeAt }: Health): boolean => probeAt !== null;
