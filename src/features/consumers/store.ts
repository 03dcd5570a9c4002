/*
 * Consumers, and how many events come after their positions. Events are counted exactly, in the cheaper of two ways: the rows
 * after the first position, including rows of other endpoints, or the endpoint's entries in the index by time, which have the row
 * numbers, too.
 */

import { and, asc, count, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import type { Database } from '../../db/database.ts';
import { isVisible } from '../../db/event-marks.ts';
import { consumers, events, pins } from '../../db/schema.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

export type ConsumerRow = Omit<typeof consumers.$inferSelect, 'endpoint'>;

/** Versions, or `*` for any (RFC 9110 section 13.1). */
export type Versions = '*' | readonly string[] | undefined;
/** The version of the consumer must be one of the first, and none of the second. */
export type Conditions = Record<'ifMatch' | 'ifNoneMatch', Versions>;

export type ConsumersStore = ReturnType<typeof createConsumersStore>;

/** Up to this many rows are always scanned, which takes a millisecond or two. */
const nearRows = 5000;

const columns = pick(consumers, 'name', 'position', 'version', 'lastSeenAt');

// Raw: the table is SQLite's own.
const lastSeqSql = "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)";

// Raw: Drizzle's INSERT … SELECT takes only plain columns. ?6: may be created; ?7: may be replaced; ?8: the limit; ?9: may go
// back; ?10, ?11: JSON lists of versions; its version must be in the first and must not be in the second.
const putSql = `INSERT INTO consumers (endpoint, name, position, version, last_seen_at)
  SELECT seq, ?2, ?3, ?4, ?5 FROM endpoints WHERE seq = ?1 AND deleted_at IS NULL
    AND CASE WHEN EXISTS (SELECT 1 FROM consumers WHERE endpoint = ?1 AND name = ?2) THEN ?7
        ELSE ?6 AND (SELECT count(*) FROM consumers WHERE endpoint = ?1) < ?8 END
  ON CONFLICT (endpoint, name) DO UPDATE
  SET position = excluded.position, version = excluded.version, last_seen_at = excluded.last_seen_at
  WHERE (?9 OR consumers.position <= excluded.position)
    AND (?10 IS NULL OR consumers.version IN (SELECT value FROM json_each(?10)))
    AND (?11 IS NULL OR consumers.version NOT IN (SELECT value FROM json_each(?11)))`;

const toJson = (versions: Versions): string | null =>
  versions === undefined || versions === '*' ? null : JSON.stringify(versions);

export function createConsumersStore(options: Pick<Database, 'db' | 'client' | 'scanDb' | 'scanClient'>) {
  const { db, client, scanDb, scanClient } = options;
  const isNamed = (endpoint: number, name: string) => and(eq(consumers.endpoint, endpoint), eq(consumers.name, name));
  const lastSeq = async (): Promise<number> => Number((await client.execute(lastSeqSql)).rows[0]?.[0]);

  /** By the rows from each position up to the next. */
  const countRows = async (endpoint: number, since: number, ascending: readonly number[]): Promise<number[]> => {
    const between = (position: number, upTo = Number.MAX_SAFE_INTEGER) =>
      scanDb
        .select({ events: count() })
        .from(events)
        // The `+` rules out the index by time.
        .where(
          and(
            gt(events.seq, position),
            lte(events.seq, upTo),
            sql`+${events.endpoint} = ${endpoint}`,
            isVisible(since),
          ),
        );
    const results = await scanClient.batch(
      ascending.map((position, i) => toClientStatement(between(position, ascending[i + 1]))),
      'read',
    );
    let after = 0;
    return results
      .map(({ rows }) => Number(rows[0]?.[0]))
      .reverse()
      .map(events => (after += events))
      .reverse();
  };
  /** By the index, in one pass. */
  const countEntries = async (endpoint: number, since: number, positions: readonly number[]): Promise<number[]> => {
    const after = (seq: SQL) =>
      Object.fromEntries(positions.map((position, i) => [`n${i}`, sql`ifnull(sum(${seq} > ${position}), 0)`]));
    const received = scanDb
      .select(after(sql`events.seq`))
      .from(events)
      .where(and(eq(events.endpoint, endpoint), gte(events.receivedAt, since)));
    const pinned = scanDb
      .select(after(sql`pins.event`))
      .from(pins)
      .where(and(eq(pins.endpoint, endpoint), lt(pins.receivedAt, since)));
    const results = await scanClient.batch([received, pinned].map(toClientStatement), 'read');
    return positions.map((_, i) => results.reduce((sum, { rows }) => sum + Number(rows[0]?.[i]), 0));
  };

  return {
    /** The highest row number that any event ever had; 0 without one. */
    lastSeq,

    listOf: (endpoint: number): Promise<ConsumerRow[]> =>
      db.select(columns).from(consumers).where(eq(consumers.endpoint, endpoint)).orderBy(asc(consumers.name)),

    find: (endpoint: number, name: string): Promise<ConsumerRow | undefined> =>
      db.select(columns).from(consumers).where(isNamed(endpoint, name)).get(),

    /**
     * Creates the consumer, or replaces it, in one statement. @returns whether it was written
     * @param rules `rewind`: the position may go back. `limit`: how many consumers the endpoint may have
     */
    async put(
      endpoint: number,
      { name, position, version, lastSeenAt }: ConsumerRow,
      { rewind, limit, ifMatch, ifNoneMatch }: Conditions & { rewind: boolean; limit: number },
    ): Promise<boolean> {
      const row = [endpoint, name, position, version, lastSeenAt];
      const [mayCreate, mayReplace] = [Number(ifMatch === undefined), Number(ifNoneMatch !== '*')];
      const rules = [mayCreate, mayReplace, limit, Number(rewind), toJson(ifMatch), toJson(ifNoneMatch)];
      return (await client.execute({ sql: putSql, args: [...row, ...rules] })).rowsAffected === 1;
    },

    /** @param version removes it only at this version @returns whether it was removed */
    async remove(endpoint: number, name: string, version: string | undefined): Promise<boolean> {
      const isVersion = version === undefined ? undefined : eq(consumers.version, version);
      const { rowsAffected } = await db.delete(consumers).where(and(isNamed(endpoint, name), isVersion));
      return rowsAffected === 1;
    },

    /**
     * How many visible events come after each position.
     * @param since epoch ms: events that were received before and are not pinned have expired
     */
    async countAfter(endpoint: number, since: number, positions: readonly number[]): Promise<Map<number, number>> {
      const ascending = [...new Set(positions)].sort((a, b) => a - b);
      const [first] = ascending;
      if (first === undefined) return new Map();
      const { rows } = await client.execute({
        sql: `${lastSeqSql}, ifnull((SELECT event_count FROM endpoints WHERE seq = ?), 0)`,
        args: [endpoint],
      });
      const [lastSeq = 0, entries = 0] = [Number(rows[0]?.[0]), Number(rows[0]?.[1])];
      // A row takes about twice as long as an entry, and an entry half as long again for each further position.
      const areFewRows = 2 * (lastSeq - first) <= Math.max(2 * nearRows, entries * (1 + ascending.length / 2));
      const counts = await (areFewRows ? countRows : countEntries)(endpoint, since, ascending);
      return new Map(ascending.map((position, i) => [position, counts[i] ?? 0]));
    },
  };
}
