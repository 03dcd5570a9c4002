/* How long events are kept, by plan: the same rule for reading, counting and sweeping. */
import type { Plan } from './principal.ts';

/** Per plan, 0 = for ever. */
export type RetentionMs = Record<Plan, number>;

/** Events received before this time are expired. */
export function oldestVisible(retentionMs: RetentionMs, plan: Plan, now: number): number {
  const window = retentionMs[plan];
  return window === 0 ? Number.MIN_SAFE_INTEGER : now - window;
}
