/* Endpoints. Ownership is part of every query. A deleted endpoint is invisible at once and removed in the background. */
import { and, asc, count, eq, exists, getTableColumns, gte, isNull, lt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, endpoints, events } from '../../db/schema.ts';

export type EndpointRow = typeof endpoints.$inferSelect;

export type EndpointsStore = ReturnType<typeof createEndpointsStore>;

/** @param scanDb the thread for long reads */
export function createEndpointsStore(db: Drizzle, scanDb: Drizzle) {
  const owned = (teamId: string, id: string) =>
    and(eq(endpoints.id, id), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt));
  /**
   * The row with counters that leave out events older than `since`. The index counts those, which are few: only the ones that the
   * sweeper has not removed yet. When the newest event is too old, all are, and nothing needs counting.
   */
  const counted = (since: number) => ({
    ...getTableColumns(endpoints),
    // Literal names: in a query on one table Drizzle omits the table, and `seq` would mean the event's.
    eventCount: sql<number>`CASE WHEN last_received_at < ${since} THEN 0 ELSE event_count - (
      SELECT count(*) FROM events WHERE events.endpoint = endpoints.seq AND events.received_at < ${since}) END`,
    lastReceivedAt: sql<number | null>`CASE WHEN last_received_at >= ${since} THEN last_received_at END`,
  });
  return {
    listOf: (teamId: string, since: number): Promise<EndpointRow[]> =>
      db
        .select(counted(since))
        .from(endpoints)
        .where(and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt)))
        .orderBy(asc(endpoints.seq)),

    findCounted: async (teamId: string, id: string, since: number): Promise<EndpointRow | undefined> =>
      (await db.select(counted(since)).from(endpoints).where(owned(teamId, id)))[0],

    find: async (teamId: string, id: string): Promise<EndpointRow | undefined> =>
      (await db.select().from(endpoints).where(owned(teamId, id)))[0],

    /**
     * Inserts the endpoint, in one statement, unless the team has `limit` endpoints (0: no limit) or no account any more.
     * @returns the row number; `full` or `gone` when it was not inserted
     */
    async insertWithin(limit: number, row: typeof endpoints.$inferInsert): Promise<number | 'full' | 'gone'> {
      const member = db.select({ id: accounts.id }).from(accounts).where(eq(accounts.teamId, row.teamId)).limit(1);
      const existing = db.$count(endpoints, and(eq(endpoints.teamId, row.teamId), isNull(endpoints.deletedAt)));
      const { rowsAffected, lastInsertRowid } = await insertIf(
        db,
        endpoints,
        row,
        and(exists(member), limit === 0 ? undefined : lt(existing, limit)),
      );
      if (rowsAffected === 1) return Number(lastInsertRowid);
      return (await member).length > 0 ? 'full' : 'gone';
    },

    /** @returns the endpoint's name; undefined when there is no such endpoint */
    async update(
      teamId: string,
      id: string,
      change: { name?: string; learnSecretsUntil?: number | null },
    ): Promise<{ name: string } | undefined> {
      return (await db.update(endpoints).set(change).where(owned(teamId, id)).returning({ name: endpoints.name }))[0];
    },

    async markDeleted(teamId: string, id: string, at: number): Promise<boolean> {
      return (await db.update(endpoints).set({ deletedAt: at }).where(owned(teamId, id))).rowsAffected === 1;
    },

    async markAllDeleted(teamId: string, at: number): Promise<void> {
      await db
        .update(endpoints)
        .set({ deletedAt: at })
        .where(and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt)));
    },

    /** What ingest needs of every live endpoint. */
    listRegistered: (): Promise<{ seq: number; id: string; teamId: string; token: string }[]> =>
      db
        .select({ seq: endpoints.seq, id: endpoints.id, teamId: endpoints.teamId, token: endpoints.token })
        .from(endpoints)
        .where(isNull(endpoints.deletedAt)),

    findRegistered: async (
      token: string,
    ): Promise<{ seq: number; id: string; teamId: string; token: string } | undefined> =>
      (
        await db
          .select({ seq: endpoints.seq, id: endpoints.id, teamId: endpoints.teamId, token: endpoints.token })
          .from(endpoints)
          .where(and(eq(endpoints.token, token), isNull(endpoints.deletedAt)))
      )[0],

    /**
     * Events received from `since` until before `until`, by bucket number. Buckets without events are left out. Answered by the index
     * alone.
     */
    countByBucket: (
      endpoint: number,
      range: { firstBucketAt: number; bucketMs: number; since: number; until: number },
    ): Promise<{ bucket: number; count: number }[]> => {
      // Numbers are bound as REAL, so the quotient must be cast to an integer.
      const bucket = sql<number>`CAST((${events.receivedAt} - ${range.firstBucketAt}) / ${range.bucketMs} AS INTEGER)`;
      return scanDb
        .select({ bucket, count: count() })
        .from(events)
        .where(
          and(eq(events.endpoint, endpoint), gte(events.receivedAt, range.since), lt(events.receivedAt, range.until)),
        )
        .groupBy(bucket);
    },
  };
}
