/* Which changes share a mark on the time axis. */

import type { Change } from '../../../features/changes/model.ts';
import type { Timeline } from '../../../features/timeline/model.ts';

/** `place`: 0 to 1, of the middle. `changes`: oldest first. */
export type MarkGroup = { place: number; changes: Change[] };

/** @param changes newest first @param most how many marks beside each other fill the axis: nearer ones would cover each other */
export function markGroups(
  changes: readonly Change[],
  { buckets, bucketMs, from }: Timeline,
  most: number,
): MarkGroup[] {
  const start = buckets[0]?.at ?? from;
  const length = Math.max(1, buckets.length * bucketMs);
  const groups: MarkGroup[] = [];
  for (const change of changes.toReversed()) {
    const place = (change.at - start) / length;
    if (place < 0 || place > 1) continue;
    const last = groups.at(-1);
    if (last && (place - last.place) * most < 1) last.changes.push(change);
    else groups.push({ place, changes: [change] });
  }
  return groups;
}
