/* How long events are kept, by plan: the same rule for reading, counting and sweeping. */

/** Per plan, 0 = for ever. */
export type RetentionMs = { free: number; pro: number };

/** Events received before this time are expired. */
export function oldestVisible(retentionMs: RetentionMs, plan: 'free' | 'pro', now: number): number {
  const window = retentionMs[plan];
  return window === 0 ? Number.MIN_SAFE_INTEGER : now - window;
}
