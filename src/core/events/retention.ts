/* How long events are kept, by plan and endpoint: one rule for reading, counting and sweeping. Pinned events are exempt. */
import { maxRetentionMs, minRetentionMs } from '../../shared/endpoints.ts';
import { parseDuration } from '../../shared/units.ts';
import type { Plan } from '../access/principal.ts';
import { invalidAt } from '../errors.ts';

/** The retention of each plan; 0 means for ever. */
export type RetentionMs = Record<Plan, number>;

/** An endpoint's own retention; null means the retention of the plan. */
export type OwnRetention = { retentionMs: number | null };

/** Events received before this time are expired by the plan. */
export function oldestVisible(retentionMs: RetentionMs, plan: Plan, now: number): number {
  const window = retentionMs[plan];
  return window === 0 ? Number.MIN_SAFE_INTEGER : now - window;
}

/** Together with an endpoint's own retention, this decides how old its events may be. Both are epoch ms. */
export type PlanCutoff = { planCutoff: number; now: number };

/** Like `oldestVisible`, with the endpoint's own retention, which can only be shorter. db/event-marks.ts has the rule in SQL. */
export const oldestVisibleIn = (
  own: OwnRetention,
  { retentionMs, plan, now }: { retentionMs: RetentionMs; plan: Plan; now: number },
): number => oldestVisibleSince(own, { planCutoff: oldestVisible(retentionMs, plan, now), now });

/** Like `oldestVisibleIn`, if the plan's part is known. */
export const oldestVisibleSince = ({ retentionMs: own }: OwnRetention, { planCutoff, now }: PlanCutoff): number =>
  own === null ? planCutoff : Math.max(planCutoff, now - own);

/** Milliseconds of an endpoint's own retention. @param planMs the plan's retention, 0 = for ever @throws invalid */
export function readOwnRetention(text: string | null, planMs: number): number | null {
  if (text === null) return null;
  const ms = parseDuration(text);
  if (ms === undefined || ms < minRetentionMs)
    throw invalidAt(['retention'], 'must be a duration such as 30d, at least 1s');
  if (ms > (planMs || maxRetentionMs))
    throw invalidAt(['retention'], 'must not be longer than the retention of the plan');
  return ms;
}
