/* Finds and removes expired events. Searches use the reader threads. Each removal is one transaction (db/remove-events.ts). */
import { and, eq, exists, isNotNull, isNull, lt, max, notExists, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { endpointCutoff, isPinned } from '../../db/event-marks.ts';
import { type Removal, removalStatements } from '../../db/remove-events.ts';
import { accounts, endpoints, events, meta, secrets, teams } from '../../db/schema.ts';
import type { SeenClock } from './sweep-clock.ts';

/** The oldest time of receipt that each plan still shows, and the time. */
export type Cutoffs = { free: number; pro: number; now: number };

/** Endpoints with expired events, which are removed together, oldest first. */
export type ExpiredGroup = {
  /** Row numbers, as a JSON array. */
  endpoints: string;
  /** The highest row number of an endpoint. */
  lastEndpoint: number;
  /** All expired events were received between these times. */
  oldest: number;
  newest: number;
};

/** Some events of a group. */
export type ExpiredEvents = {
  /** Row numbers, as a JSON array. */
  seqs: string;
  endpoints: number[];
  /** The expected cost of the removal (`costSql`). */
  units: number;
  /** Whether the period has no more expired events. */
  isAll: boolean;
};

/** How many events were removed, and the writer's time. */
export type Removed = { removed: number; writerMs: number | undefined };

export type RetentionStore = ReturnType<typeof createRetentionStore>;

const endOfTime = Number.MAX_SAFE_INTEGER;
/**
 * The cost of a removal. The unit is an event without content; freeing 4 KiB of content costs about as much. An event has a
 * proportional share of the stored content of its block.
 */
const costSql = `1 + ifnull((SELECT length(blocks.content) * events.size / blocks.bytes FROM blocks WHERE blocks.seq = events.block),
  length(events.content)) / 4096.0`;
const seenClockName = 'clock-seen';
/** Each slice looks for events of the whole group. */
const maxGroup = 1000;
const one = { one: sql`1` };

export function createRetentionStore({ db, timedBatch }: Pick<Database, 'db' | 'timedBatch'>) {
  /** The events that are expired now, as a query of `endpoint`, `before` and `with_pinned`. @param of a query of `endpoint` */
  const rangesOf = (of: SQL, { free, pro, now }: Cutoffs): SQL => {
    const isGone = sql`(endpoints.seq IS NULL OR deleted_at IS NOT NULL)`;
    const planCutoff = sql`CASE WHEN teams.plan = 'free' THEN ${free} ELSE ${pro} END`;
    return sql`SELECT endpoint, ${isGone} AS with_pinned,
        CASE WHEN ${isGone} THEN ${endOfTime} ELSE ${endpointCutoff({ planCutoff, now })} END AS before
      FROM (${of}) LEFT JOIN endpoints ON endpoints.seq = endpoint LEFT JOIN teams ON teams.id = endpoints.team_id`;
  };
  /** The first of these endpoints with expired events. @param of a query of `endpoint`, in order */
  const groupOf = async (of: SQL, cutoffs: Cutoffs): Promise<ExpiredGroup | undefined> => {
    const expired = 'FROM events WHERE events.endpoint = ranges.endpoint AND received_at < ranges.before';
    const [found] = await db.all<ExpiredGroup & { oldest: number | null }>(sql`
      SELECT json_group_array(endpoint) AS endpoints, max(endpoint) AS lastEndpoint,
        min(oldest) AS oldest, max(newest) AS newest FROM (
          SELECT *, (SELECT min(received_at) ${sql.raw(expired)}) AS oldest, (SELECT max(received_at) ${sql.raw(expired)}) AS newest
          FROM (${rangesOf(of, cutoffs)}) AS ranges
          WHERE EXISTS (SELECT 1 ${sql.raw(expired)} AND (with_pinned OR NOT ${sql.raw(isPinned)})) LIMIT ${maxGroup})`);
    return found && found.oldest !== null ? found : undefined;
  };
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

  const remove = async (removal: Removal): Promise<Removed> => {
    const { statements, removalAt } = removalStatements(removal);
    const { results, writerMs } = await timedBatch(statements);
    return { removed: results[removalAt]?.rowsAffected ?? 0, writerMs };
  };

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
     * The first endpoints from row `from` on with expired events: events older than the plan's retention or the endpoint's own, or
     * any events of a deleted endpoint.
     */
    findExpired: (from: number, cutoffs: Cutoffs): Promise<ExpiredGroup | undefined> =>
      groupOf(sql`SELECT seq AS endpoint FROM endpoints WHERE seq >= ${from} ORDER BY seq`, cutoffs),

    /** Events without a row of their endpoint: deliveries that were committed after it was removed. */
    async findOrphans(cutoffs: Cutoffs): Promise<ExpiredGroup | undefined> {
      // Raw: Drizzle has no recursive queries. This takes one step in the index for each endpoint, however many events it has.
      const [orphan] = await db.all<{ owner: number }>(sql`
        SELECT owner FROM (
          WITH RECURSIVE owners (owner) AS (
            SELECT min(endpoint) FROM events
            UNION ALL SELECT (SELECT min(endpoint) FROM events WHERE endpoint > owner) FROM owners WHERE owner IS NOT NULL)
          SELECT owner FROM owners WHERE owner IS NOT NULL)
        WHERE owner NOT IN (SELECT seq FROM endpoints) LIMIT 1`);
      return orphan && groupOf(sql`SELECT ${orphan.owner} AS endpoint`, cutoffs);
    },

    /**
     * Expired events of a group that were received in this period, before `until`; undefined if nothing has expired.
     * @param units the highest cost; a single event may cost more
     */
    async expiredIn(
      { endpoints: group, oldest }: Pick<ExpiredGroup, 'endpoints' | 'oldest'>,
      { until, cutoffs, units }: { until: number; cutoffs: Cutoffs; units: number },
    ): Promise<ExpiredEvents | undefined> {
      const ranges = rangesOf(sql`SELECT value AS endpoint FROM json_each(${group})`, cutoffs);
      // Raw: Drizzle has no CROSS JOIN that keeps the order of the tables, and no INDEXED BY. The events are one value, because
      // thousands of rows would cost the main thread more than their removal costs the writer.
      const [found] = await db.all<{ seqs: string; endpoints: string; units: number; all_units: number | null }>(sql`
        WITH counted AS (SELECT *, sum(cost) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (
          SELECT events.endpoint, events.seq, ${sql.raw(costSql)} AS cost
          FROM (${ranges}) AS ranges CROSS JOIN events INDEXED BY events_by_time
            ON events.endpoint = ranges.endpoint AND received_at >= ${oldest} AND received_at < min(before, ${until})
          WHERE with_pinned OR NOT ${sql.raw(isPinned)} LIMIT ${units}))
        SELECT json_group_array(seq) AS seqs, json_group_array(DISTINCT endpoint) AS endpoints, sum(cost) AS units,
          (SELECT max(total) FROM counted) AS all_units
        FROM counted WHERE total <= ${units} OR total = cost`);
      if (!found || found.all_units === null) return undefined;
      const { seqs, endpoints } = found;
      return { seqs, endpoints: JSON.parse(endpoints), units: found.units, isAll: found.all_units < units };
    },

    /** Removes expired events with all that belongs to them, also pinned ones of deleted endpoints. Other pinned events stay. */
    removeExpired: ({ seqs, endpoints }: Pick<ExpiredEvents, 'seqs' | 'endpoints'>): Promise<Removed> =>
      remove({ seqs, endpoints, withPinned: 'of deleted endpoints', isExpiry: true }),

    /** Removes these events of one endpoint with all that belongs to them. Events that were pinned since they were found stay. */
    remove: (
      { endpoint, withPinned }: { endpoint: number; withPinned: boolean },
      seqs: readonly number[],
    ): Promise<Removed> => remove({ seqs: JSON.stringify(seqs), endpoints: [endpoint], withPinned, isExpiry: true }),

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
