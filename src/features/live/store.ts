/* How many deliveries came in when. Answered by the index alone, in the thread for long reads. */
import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { events } from '../../db/schema.ts';

export type LiveStore = ReturnType<typeof createLiveStore>;

export function createLiveStore(scanDb: Drizzle) {
  return {
    /** Deliveries from `since` until before `until`, by bucket number; buckets without any are left out. */
    counts: (endpoint: number, range: { since: number; until: number; bucketMs: number }, notBefore: number) => {
      // Numbers bind as REAL, hence the cast to whole buckets.
      const bucket = sql<number>`CAST((${events.receivedAt} - ${range.since}) / ${range.bucketMs} AS INTEGER)`;
      return scanDb
        .select({ bucket, count: sql<number>`count(*)` })
        .from(events)
        .where(
          and(
            eq(events.endpoint, endpoint),
            gte(events.receivedAt, Math.max(range.since, notBefore)),
            lt(events.receivedAt, range.until),
          ),
        )
        .groupBy(bucket);
    },
  };
}
