/* How long events stay: a rule of the plan, the same for reading, counting and sweeping. */
import type { Plan } from './principal.ts';

/** Per plan, 0 = for ever. */
export type RetentionMs = Record<Plan, number>;

/** The oldest time of receipt that the plan still shows at `now`; whatever was received before it is gone. */
export function oldestVisible(retentionMs: RetentionMs, plan: Plan, now: number): number {
  const window = retentionMs[plan];
  return window === 0 ? Number.MIN_SAFE_INTEGER : now - window;
}
