/* How many events an endpoint received in each of the last 24 hours. */

import type { Clock } from '../../core/clock.ts';
import { activityBuckets } from '../../shared/endpoints.ts';
import type { Activity } from './model.ts';
import type { EndpointsStore } from './store.ts';

const bucketMs = 60 * 60 * 1000;

/** @returns the counts of one endpoint's events that were received at `cutoff` or later, or are pinned; the last bucket is the current hour */
export const createCountActivity =
  ({ store, clock }: { store: Pick<EndpointsStore, 'countByBucket'>; clock: Clock }) =>
  async (endpoint: number, cutoff: number): Promise<Activity> => {
    const until = (Math.floor(clock.now() / bucketMs) + 1) * bucketMs;
    const firstBucketAt = until - activityBuckets * bucketMs;
    const counts = new Array<number>(activityBuckets).fill(0);
    const range = { firstBucketAt, bucketMs, since: cutoff, until };
    for (const { bucket, count } of await store.countByBucket(endpoint, range)) counts[bucket] = count;
    return { since: firstBucketAt, bucketMs, counts };
  };
