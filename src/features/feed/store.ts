/*
 * Reads an endpoint's events in the order of row numbers, without an index for it, which would cost time at every delivery. It
 * scans a few thousand row numbers at a time, including row numbers of other endpoints. If few of them belong to this endpoint,
 * its index by time, which has the row numbers, leads to the next ones.
 */
import { and, asc, eq, gt, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import { DamagedError } from '../../core/blocks/stored-content.ts';
import type { YieldIfDue } from '../../core/concurrency/time-slices.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { createContentReader } from '../../db/contents.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { isPinned, isVisible } from '../../db/event-marks.ts';
import { events, pins } from '../../db/schema.ts';
import { inList, toClientStatement } from '../../db/sql-fragments.ts';

/** How many row numbers one read scans: a millisecond or two of the reader thread. */
const windowRows = 5000;

/** What one read found after a position. */
export type FeedWindow = {
  /** Row numbers of visible events, in order. */
  seqs: number[];
  /** The last scanned row number, unless the read found `limit` events. */
  upTo: number;
  /** The highest row number that any event ever had. */
  lastSeq: number;
  /** The highest row number of an event of this endpoint that retention removed. */
  sweptSeq: number;
  /** Whether there are events that have expired and are not removed yet. */
  hasExpired: boolean;
};

/** The content of an event; null if it is damaged on disk. */
export type FeedContent = { query: Buffer | null; headers: readonly HeaderPair[]; body: Uint8Array } | null;

export type FeedStore = ReturnType<typeof createFeedStore>;

const contentColumns = {
  seq: events.seq,
  size: events.size,
  block: events.block,
  blockStart: events.blockStart,
  encoding: events.encoding,
  content: events.content,
  sha256: events.sha256,
  path: events.path,
  query: events.query,
  sourceIp: events.sourceIp,
};

// Raw: the table is SQLite's own.
const lastSeqSql = "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)";
/** The last row number, and the endpoint's `sweptSeq`. */
const limitsOf = (endpoint: number) => ({
  sql: `${lastSeqSql}, ifnull((SELECT swept_seq FROM endpoints WHERE seq = ?), 0)`,
  args: [endpoint],
});

const isExpired = (since: number): SQL => sql`(events.received_at < ${since} AND NOT ${sql.raw(isPinned)})`;
/** The `+` rules out the index by time, after which SQLite would have to sort. */
const isOf = (endpoint: number): SQL => sql`+${events.endpoint} = ${endpoint}`;
/** The `+` rules out the order of rows, so that SQLite uses the index by time, which has all that is needed. */
const isAfter = (position: number): SQL => sql`+${events.seq} > ${position}`;

const exists = (db: Drizzle, condition: SQL | undefined) =>
  db.select({ one: sql`1` }).from(events).where(condition).limit(1);

export function createFeedStore(options: Pick<Database, 'db' | 'client' | 'scanDb' | 'scanClient'>) {
  const { db, client, scanDb, scanClient } = options;
  const contents = createContentReader(client);
  const contentOf = ({ query, headers, body }: NonNullable<FeedContent>): FeedContent => ({ query, headers, body });

  return {
    /** The highest row number that any event ever had; 0 without one. */
    lastSeq: async (): Promise<number> => Number((await client.execute(lastSeqSql)).rows[0]?.[0]),

    /**
     * At most `limit` events after a position, among the next row numbers.
     * @param since epoch ms: events that were received before and are not pinned have expired
     */
    async window(endpoint: number, since: number, position: number, limit: number): Promise<FeedWindow> {
      const upTo = position + windowRows;
      const isInWindow = and(gt(events.seq, position), lte(events.seq, upTo), isOf(endpoint));
      const visible = db
        .select({ seq: events.seq })
        .from(events)
        .where(and(isInWindow, isVisible(since)))
        .orderBy(asc(events.seq))
        .limit(limit);
      // One transaction: an event that the sweeper removes at the same time is in one of the results.
      const [limits, found, expired] = await client.batch(
        [
          limitsOf(endpoint),
          toClientStatement(visible),
          toClientStatement(exists(db, and(isInWindow, isExpired(since)))),
        ],
        'read',
      );
      const lastSeq = Number(limits?.rows[0]?.[0]);
      return {
        seqs: found?.rows.map(row => Number(row[0])) ?? [],
        upTo: Math.min(upTo, lastSeq),
        lastSeq,
        sweptSeq: Number(limits?.rows[0]?.[1]),
        hasExpired: (expired?.rows.length ?? 0) > 0,
      };
    },

    /** At most `limit` events after a position, wherever they are. It takes time in proportion to all events of the endpoint. */
    async far(endpoint: number, since: number, position: number, limit: number): Promise<Omit<FeedWindow, 'upTo'>> {
      const received = scanDb
        .select({ seq: events.seq })
        .from(events)
        .where(and(eq(events.endpoint, endpoint), gte(events.receivedAt, since), isAfter(position)))
        // Without the `+`, SQLite may go through the rows of all endpoints in their order.
        .orderBy(sql`+${events.seq}`)
        .limit(limit);
      const pinned = scanDb
        .select({ seq: pins.event })
        .from(pins)
        .where(and(eq(pins.endpoint, endpoint), lt(pins.receivedAt, since), gt(pins.event, position)))
        .orderBy(sql`+${pins.event}`)
        .limit(limit);
      const expired = and(eq(events.endpoint, endpoint), isAfter(position), isExpired(since));
      const [limits, ...found] = await scanClient.batch(
        [limitsOf(endpoint), ...[received, pinned, exists(scanDb, expired)].map(toClientStatement)],
        'read',
      );
      const seqs = found.slice(0, 2).flatMap(({ rows }) => rows.map(row => Number(row[0])));
      return {
        seqs: seqs.sort((a, b) => a - b).slice(0, limit),
        lastSeq: Number(limits?.rows[0]?.[0]),
        sweptSeq: Number(limits?.rows[0]?.[1]),
        hasExpired: (found[2]?.rows.length ?? 0) > 0,
      };
    },

    /** The contents of events that are not large, by row number. Deleted events are missing. */
    async contents(endpoint: number, seqs: readonly number[]): Promise<Map<number, FeedContent>> {
      const rows = await db
        .select(contentColumns)
        .from(events)
        .where(and(inList(events.seq, seqs), isOf(endpoint)));
      const found = await contents.readIntact(rows);
      return new Map(
        [...found].map(([seq, content]) => [seq, content instanceof DamagedError ? null : contentOf(content)]),
      );
    },

    /** The content of a large event, in time slices; undefined when it has been deleted. */
    async largeContent(endpoint: number, seq: number, yieldIfDue: YieldIfDue): Promise<FeedContent | undefined> {
      const [row] = await db
        .select(contentColumns)
        .from(events)
        .where(and(eq(events.seq, seq), isOf(endpoint)));
      try {
        const content = row && (await contents.readLarge(row, yieldIfDue));
        return content && contentOf(content);
      } catch (error) {
        if (error instanceof DamagedError) return null;
        throw error;
      }
    },
  };
}
