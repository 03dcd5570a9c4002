/* The hours whose events show how busy an endpoint is. */
import { activityBuckets } from '../shared/endpoints.ts';

export const hourMs = 3_600_000;

/** The beginnings of the last 24 clock hours (UTC), the current one last, epoch ms. */
export function activityHours(now: number): number[] {
  const current = Math.floor(now / hourMs) * hourMs;
  return Array.from({ length: activityBuckets }, (_, i) => current - (activityBuckets - 1 - i) * hourMs);
}
