/* Which changes share a mark on the time axis. */

import type { Change } from '../../../features/changes/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';

/** Nearer marks would cover each other. */
const nearestPx = 24;

/** `place`: 0 to 1, of the middle. `changes`: oldest first. */
export type MarkGroup = { place: number; changes: Change[] };

/** @param changes newest first @param width of the axis in pixels */
export function markGroups(
  changes: readonly Change[],
  { buckets, bucketMs, from }: Timeline,
  width: number,
): MarkGroup[] {
  const start = buckets[0]?.at ?? from;
  const length = Math.max(1, buckets.length * bucketMs);
  const groups: MarkGroup[] = [];
  for (const change of changes.toReversed()) {
    const place = (change.at - start) / length;
    if (place < 0 || place > 1) continue;
    const last = groups.at(-1);
    if (last && (place - last.place) * width < nearestPx) last.changes.push(change);
    else groups.push({ place, changes: [change] });
  }
  return groups;
}
