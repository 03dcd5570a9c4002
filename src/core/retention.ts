/* How long events stay: a rule of the plan, the same for reading, counting and sweeping. */

/** Per plan, 0 = for ever. */
export type RetentionMs = { free: number; pro: number };

/** The oldest time of receipt that the plan still shows at `now`; whatever was received before it is gone. */
export function oldestVisible(retentionMs: RetentionMs, plan: 'free' | 'pro', now: number): number {
  const window = retentionMs[plan];
  return window === 0 ? Number.MIN_SAFE_INTEGER : now - window;
}
