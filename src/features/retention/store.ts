/* Finds and removes expired events. Searches use the reader threads. Each removal is one transaction (db/remove-events.ts). */
import { and, asc, eq, exists, gte, isNotNull, isNull, lt, max, notExists, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { endpointCutoff, isPinned } from '../../db/event-marks.ts';
import { removalStatements } from '../../db/remove-events.ts';
import { accounts, blocks, endpoints, events, meta, secrets, teams } from '../../db/schema.ts';
import type { SeenClock } from './sweep-clock.ts';

/** The events of `endpoint` that were received before `before` are expired; pinned ones only if `withPinned`. */
export type ExpiredRange = { endpoint: number; before: number; withPinned: boolean };

/** `bytes`: the size of the stored content. */
export type ExpiredEvent = { seq: number; bytes: number };

export type RetentionStore = ReturnType<typeof createRetentionStore>;

const endOfTime = Number.MAX_SAFE_INTEGER;
const seenClockName = 'clock-seen';
const one = { one: sql`1` };

export function createRetentionStore({ db, timedBatch }: Pick<Database, 'db' | 'timedBatch'>) {
  /** An event's proportional share of the block's stored content. */
  const shareOfBlock = db
    .select({ bytes: sql`length(${blocks.content}) * ${events.size} / ${blocks.bytes}` })
    .from(blocks)
    .where(eq(blocks.seq, events.block));
  const secretsOfDeletedEndpoints = exists(
    db
      .select(one)
      .from(endpoints)
      .where(and(eq(endpoints.seq, secrets.endpoint), isNotNull(endpoints.deletedAt))),
  );
  const emptyEndpointsDeletedBefore = (time: number) =>
    and(
      lt(endpoints.deletedAt, time),
      notExists(db.select(one).from(events).where(eq(events.endpoint, endpoints.seq))),
    );
  const teamsWithoutPeopleAndEndpoints = and(
    notInArray(teams.id, db.select({ teamId: accounts.teamId }).from(accounts)),
    notInArray(teams.id, db.select({ teamId: endpoints.teamId }).from(endpoints)),
  );

  return {
    /** The saved clock, or the time of the newest event; undefined on a database without both. */
    async seenClock(): Promise<SeenClock | undefined> {
      const [saved] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, seenClockName));
      if (saved) return JSON.parse(saved.value.toString()) as SeenClock;
      const [newest] = await db.select({ at: max(endpoints.lastReceivedAt) }).from(endpoints);
      return typeof newest?.at === 'number' ? { trusted: newest.at } : undefined;
    },

    async saveSeenClock(seen: SeenClock): Promise<void> {
      const value = Buffer.from(JSON.stringify(seen));
      await db
        .insert(meta)
        .values({ name: seenClockName, value })
        .onConflictDoUpdate({ target: meta.name, set: { value } });
    },

    /**
     * The first endpoint from row `from` on that has expired events: older than its plan's retention or its own, or any events if
     * it is deleted.
     * @param cutoffs the oldest time of receipt that each plan still shows, and the time
     */
    async findExpired(
      from: number,
      cutoffs: { free: number; pro: number; now: number },
    ): Promise<ExpiredRange | undefined> {
      const planCutoff = sql`CASE WHEN ${teams.plan} = 'free' THEN ${cutoffs.free} ELSE ${cutoffs.pro} END`;
      const ranges = db
        .select({
          endpoint: endpoints.seq,
          before: sql<number>`CASE WHEN ${endpoints.deletedAt} IS NOT NULL THEN ${endOfTime}
            ELSE ${endpointCutoff({ planCutoff, now: cutoffs.now })} END`.as('before'),
          withPinned: sql<boolean>`${endpoints.deletedAt} IS NOT NULL`.mapWith(Boolean).as('with_pinned'),
        })
        .from(endpoints)
        .innerJoin(teams, eq(teams.id, endpoints.teamId))
        .where(gte(endpoints.seq, from))
        .as('ranges');
      const rows = await db
        .select()
        .from(ranges)
        .where(
          exists(
            db
              .select(one)
              .from(events)
              .where(
                and(
                  eq(events.endpoint, ranges.endpoint),
                  lt(events.receivedAt, ranges.before),
                  sql`(${ranges.withPinned} OR NOT ${sql.raw(isPinned)})`,
                ),
              ),
          ),
        )
        .orderBy(asc(ranges.endpoint))
        .limit(1);
      return rows[0];
    },

    /** Events without a row of their endpoint: deliveries that were committed after it was removed. */
    async findOrphans(): Promise<ExpiredRange | undefined> {
      // Raw: Drizzle has no recursive queries. This takes one step in the index for each endpoint, however many events it has.
      const [orphan] = await db.all<{ owner: number }>(sql`
        SELECT owner FROM (
          WITH RECURSIVE owners (owner) AS (
            SELECT min(endpoint) FROM events
            UNION ALL SELECT (SELECT min(endpoint) FROM events WHERE endpoint > owner) FROM owners WHERE owner IS NOT NULL)
          SELECT owner FROM owners WHERE owner IS NOT NULL)
        WHERE owner NOT IN (SELECT seq FROM endpoints) LIMIT 1`);
      return orphan && { endpoint: orphan.owner, before: endOfTime, withPinned: true };
    },

    oldestEvents: ({ endpoint, before, withPinned }: ExpiredRange, limit: number): Promise<ExpiredEvent[]> =>
      db
        .select({ seq: events.seq, bytes: sql<number>`ifnull(${shareOfBlock}, length(${events.content}))` })
        .from(events)
        .where(
          and(
            eq(events.endpoint, endpoint),
            lt(events.receivedAt, before),
            withPinned ? undefined : sql`NOT ${sql.raw(isPinned)}`,
          ),
        )
        .orderBy(asc(events.receivedAt), asc(events.seq))
        .limit(limit),

    /**
     * Removes these events of one endpoint with all that belongs to them. Events that were pinned since they were found stay.
     * @returns how many there were, and the writer's time
     */
    async remove(
      { endpoint, withPinned }: Pick<ExpiredRange, 'endpoint' | 'withPinned'>,
      seqs: readonly number[],
    ): Promise<{ removed: number; writerMs: number | undefined }> {
      const { statements, removalAt } = removalStatements(db, { endpoint, seqs, withPinned, isExpiry: true });
      const { results, writerMs } = await timedBatch(statements);
      return { removed: results[removalAt]?.rowsAffected ?? 0, writerMs };
    },

    /** Teams without members whose endpoints still accept deliveries. */
    async abandonedTeams(): Promise<string[]> {
      const rows = await db
        .selectDistinct({ teamId: endpoints.teamId })
        .from(endpoints)
        .where(
          and(
            isNull(endpoints.deletedAt),
            notInArray(endpoints.teamId, db.select({ teamId: accounts.teamId }).from(accounts)),
          ),
        );
      return rows.map(({ teamId }) => teamId);
    },

    /**
     * Removes the signing secrets of deleted endpoints; endpoints that were deleted before `deletedBefore` and have no
     * events; and teams without people and endpoints.
     */
    async removeEmpty(deletedBefore: number): Promise<void> {
      const emptyEndpoints = emptyEndpointsDeletedBefore(deletedBefore);
      // This reads first, because most sweeps find nothing and then do not use the writer.
      const found = await Promise.all([
        db.select(one).from(secrets).where(secretsOfDeletedEndpoints).limit(1),
        db.select(one).from(endpoints).where(emptyEndpoints).limit(1),
        db.select(one).from(teams).where(teamsWithoutPeopleAndEndpoints).limit(1),
      ]);
      if (found.every(rows => rows.length === 0)) return;
      await db.batch([
        db.delete(secrets).where(secretsOfDeletedEndpoints),
        db.delete(endpoints).where(emptyEndpoints),
        db.delete(teams).where(teamsWithoutPeopleAndEndpoints),
      ]);
    },
  };
}
