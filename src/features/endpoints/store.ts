/* Endpoints. Ownership is part of every query. A deleted endpoint is invisible at once and removed in the background. */

import { and, asc, count, eq, exists, getTableColumns, gte, isNull, lt, notExists, sql } from 'drizzle-orm';
import type { PlanCutoff } from '../../core/events/retention.ts';
import type { Drizzle } from '../../db/database.ts';
import { endpointCutoff, isVisible } from '../../db/event-marks.ts';
import { insertIf } from '../../db/insert-if.ts';
import { accounts, endpoints, events, pins } from '../../db/schema.ts';
import type { RegisteredEndpoint } from './registry.ts';
import { registeredColumns, selectReplaced, toRegistered } from './tokens-store.ts';

export type EndpointRow = typeof endpoints.$inferSelect;
/** As the API shows it. `hasRules`: 0 or 1. */
export type CountedRow = EndpointRow & { hasRules: number; enabledAlerts: number; firingAlerts: number };

export type EndpointsStore = ReturnType<typeof createEndpointsStore>;

/** @param scanDb the thread for long reads */
export function createEndpointsStore(db: Drizzle, scanDb: Drizzle) {
  const owned = (teamId: string, id: string) =>
    and(eq(endpoints.id, id), eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt));
  /**
   * The row with counters that leave out expired events. An index counts the expired events, which are few: the ones that the
   * sweeper has not removed yet. If the newest event has expired, all have, and no count is needed.
   */
  const counted = (cutoff: PlanCutoff) => {
    const since = endpointCutoff(cutoff);
    const expired = sql`WHERE endpoint = endpoints.seq AND received_at < ${since}`;
    return {
      ...getTableColumns(endpoints),
      // Literal names: in a query on one table Drizzle omits the table, and `seq` would mean the event's.
      eventCount: sql<number>`(SELECT count(*) FROM pins ${expired}) + CASE WHEN last_received_at < ${since} THEN 0 ELSE
      event_count - (SELECT count(*) FROM events ${expired}) END`,
      lastReceivedAt: sql<number | null>`CASE WHEN last_received_at >= ${since} THEN last_received_at ELSE
      (SELECT max(received_at) FROM pins ${expired}) END`,
      hasRules: sql<number>`EXISTS (SELECT 1 FROM answers WHERE answers.endpoint = endpoints.seq)`,
      enabledAlerts: sql<number>`(SELECT count(*) FROM alerts WHERE alerts.endpoint = endpoints.seq AND enabled)`,
      firingAlerts: sql<number>`(SELECT count(*) FROM alerts WHERE alerts.endpoint = endpoints.seq AND enabled AND firing)`,
    };
  };
  return {
    listOf: (teamId: string, cutoff: PlanCutoff): Promise<CountedRow[]> =>
      db
        .select(counted(cutoff))
        .from(endpoints)
        .where(and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt)))
        .orderBy(asc(endpoints.seq)),

    findCounted: async (teamId: string, id: string, cutoff: PlanCutoff): Promise<CountedRow | undefined> =>
      (await db.select(counted(cutoff)).from(endpoints).where(owned(teamId, id)))[0],

    find: async (teamId: string, id: string): Promise<EndpointRow | undefined> =>
      (await db.select().from(endpoints).where(owned(teamId, id)))[0],

    /**
     * Inserts the endpoint, in one statement, unless the team has `limit` endpoints (0: no limit) or no account.
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

    /**
     * @param change with `pausedAt`, an endpoint that is paused already keeps its time @returns the changed endpoint; undefined
     * if it does not exist
     */
    async update(
      teamId: string,
      id: string,
      { pausedAt, ...change }: Partial<Omit<EndpointRow, 'seq' | 'id' | 'teamId' | 'token'>>,
    ): Promise<(Pick<EndpointRow, 'name' | 'retention'> & { registered: RegisteredEndpoint }) | undefined> {
      const pause = typeof pausedAt === 'number' ? sql`coalesce(${endpoints.pausedAt}, ${pausedAt})` : pausedAt;
      const [rows, replaced] = await db.batch([
        db
          .update(endpoints)
          .set({ ...change, ...(pause !== undefined && { pausedAt: pause }) })
          .where(owned(teamId, id))
          .returning({ name: endpoints.name, retention: endpoints.retention, ...registeredColumns }),
        selectReplaced(db, teamId, id),
      ]);
      const [row] = rows;
      return row && { name: row.name, retention: row.retention, registered: toRegistered(row, replaced) };
    },

    /** @param withPinned false: the endpoint is kept if it has pinned events */
    async markDeleted(
      teamId: string,
      id: string,
      { at, withPinned }: { at: number; withPinned: boolean },
    ): Promise<boolean> {
      const pinned = db.select({ one: sql`1` }).from(pins).where(eq(pins.endpoint, endpoints.seq));
      const { rowsAffected } = await db
        .update(endpoints)
        .set({ deletedAt: at })
        .where(and(owned(teamId, id), withPinned ? undefined : notExists(pinned)));
      return rowsAffected === 1;
    },

    async markAllDeleted(teamId: string, at: number): Promise<void> {
      await db
        .update(endpoints)
        .set({ deletedAt: at })
        .where(and(eq(endpoints.teamId, teamId), isNull(endpoints.deletedAt)));
    },

    /**
     * Events from the first bucket until before `until` that were received at `since` or later, or are pinned, by bucket number. Buckets
     * without events are left out. Answered by indexes alone.
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
          and(
            eq(events.endpoint, endpoint),
            gte(events.receivedAt, range.firstBucketAt),
            lt(events.receivedAt, range.until),
            isVisible(range.since),
          ),
        )
        .groupBy(bucket);
    },
  };
}
