/*
 * Finds the attempts of deliveries. Raw SQL: the order of the joins decides what a page costs, and Drizzle has no CROSS JOIN.
 * Ownership is checked by the caller, which knows the endpoint; events that are not visible do not count.
 */

import { and, eq, gte, sql } from 'drizzle-orm';
import type { Position } from '../../core/ids/cursor.ts';
import type { Drizzle } from '../../db/database.ts';
import { isPinned, isVisible } from '../../db/event-marks.ts';
import { toObjects } from '../../db/raw-rows.ts';
import { events, pins } from '../../db/schema.ts';
import { inList } from '../../db/sql-fragments.ts';
import { bucketsAfter, createAttemptBucketsStore } from './attempt-buckets-store.ts';
import type { AttemptFilters } from './attempt-filters.ts';
import { isAfter, isPinAfter, newestFirst, newestPinsFirst } from './store.ts';

/** `number`: the number of its delivery (core/ids/delivery-key.ts). */
export type Attempt = Position & { number: number };
/** A row of the list. `delivery`: null for a row of 1.0 that is not packed yet. */
export type ListedRow = Position & { delivery: number | null };
/** The events of an endpoint that are visible: received at `since` or later, or pinned. */
export type Scope = { endpoint: number; since: number };

const isCounted = `events.endpoint = ? AND (events.received_at >= ? OR ${isPinned})`;

/** Looks deliveries up in the order of the buckets as far as possible, so that lookups in the same page follow each other. */
const attemptsSql = `WITH RECURSIVE ${bucketsAfter}, wanted (delivery) AS MATERIALIZED (SELECT value FROM json_each(?)),
  probes (bucket, delivery) AS (
    SELECT value ->> 0, value ->> 1 FROM json_each(?)
    UNION ALL
    SELECT unfiltered.value, wanted.delivery FROM json_each(?) AS unfiltered CROSS JOIN wanted
    UNION ALL
    SELECT buckets.bucket, wanted.delivery FROM buckets CROSS JOIN wanted)
  SELECT found.delivery AS number, events.seq, events.received_at
  FROM probes CROSS JOIN delivery_attempts AS found ON found.bucket = probes.bucket AND found.delivery = probes.delivery
  CROSS JOIN events ON events.seq = found.event
  WHERE ${isCounted} LIMIT ?`;

/** The attempts of one delivery in one bucket, as SQL. */
const inBucket = (order: 'ASC' | 'DESC'): string => `SELECT found.delivery AS number, events.seq, events.received_at
  FROM delivery_attempts AS found CROSS JOIN events ON events.seq = found.event
  WHERE found.bucket = ? AND found.delivery = ? AND found.event <= ? AND ${isCounted} ORDER BY found.event ${order} LIMIT ?`;
const [oldestInBucket, newestInBucket] = [inBucket('ASC'), inBucket('DESC')];
/** How many buckets one read covers. */
const bucketsAtOnce = 8;

/** Without filters, every bucket is looked up. */
const noFilters: AttemptFilters = { places: () => ({ pairs: [], unfiltered: [], after: -1 }), note: () => {} };

export type AttemptsStore = ReturnType<typeof createAttemptsStore>;

/** @param filters say which buckets need not be looked up */
export function createAttemptsStore(db: Drizzle, filters: AttemptFilters = noFilters) {
  const client = db.$client;
  const { buckets: bucketsInUse } = createAttemptBucketsStore(client);
  const listedColumns = { seq: events.seq, receivedAt: events.receivedAt, delivery: events.delivery };

  /** The attempts of one delivery by row number, from either end, at most `limit`. */
  const fromEnd = async (
    { endpoint, since }: Scope,
    number: number,
    { isNewestFirst, upTo, limit }: { isNewestFirst: boolean; upTo: number; limit: number },
  ): Promise<Attempt[]> => {
    const { pairs, unfiltered, after } = filters.places([number]);
    const full = [...unfiltered, ...pairs.map(([bucket]) => bucket)].sort((a, b) => a - b);
    const buckets = [...full, ...(await bucketsInUse(after))];
    if (isNewestFirst) buckets.reverse();
    const found: Attempt[] = [];
    const text = isNewestFirst ? newestInBucket : oldestInBucket;
    for (let at = 0; at < buckets.length && found.length < limit; at += bucketsAtOnce) {
      const statements = buckets
        .slice(at, at + bucketsAtOnce)
        .map(bucket => ({ sql: text, args: [bucket, number, upTo, endpoint, since, limit] }));
      for (const result of await client.batch(statements, 'read')) found.push(...toObjects<Attempt>(result));
    }
    return found.slice(0, limit);
  };

  return {
    /** All visible attempts of these deliveries, in no particular order; any `limit` of them when there are more. */
    async attempts({ endpoint, since }: Scope, numbers: readonly number[], limit: number): Promise<Attempt[]> {
      const { pairs, unfiltered, after } = filters.places(numbers);
      const lists = [numbers, pairs, unfiltered].map(list => JSON.stringify(list));
      const args = [after, ...lists, endpoint, since, limit];
      const found = toObjects<Attempt>(await client.execute({ sql: attemptsSql, args }));
      filters.note(found);
      return found;
    },

    /** The visible attempts of one delivery with the lowest row numbers, at most `limit`. */
    firstAttempts: (scope: Scope, number: number, limit: number): Promise<Attempt[]> =>
      fromEnd(scope, number, { isNewestFirst: false, upTo: Number.MAX_SAFE_INTEGER, limit }),

    /** The visible attempt of one delivery with the highest row number up to `upTo`. */
    lastAttempt: async (scope: Scope, number: number, upTo: number): Promise<Attempt | undefined> =>
      (await fromEnd(scope, number, { isNewestFirst: true, upTo, limit: 1 }))[0],

    /** The next rows of the list, in the order of `page` in store.ts: pinned events older than `since` come last. */
    async listed({ endpoint, since }: Scope, position: Position | undefined, limit: number): Promise<ListedRow[]> {
      const rows = await db
        .select(listedColumns)
        .from(events)
        .where(isAfter(endpoint, since, position))
        .orderBy(...newestFirst)
        .limit(limit);
      if (rows.length === limit) return rows;
      const pinned = await db
        .select(listedColumns)
        .from(pins)
        .innerJoin(events, eq(events.seq, pins.event))
        .where(isPinAfter(endpoint, since, position))
        .orderBy(...newestPinsFirst)
        .limit(limit - rows.length);
      return [...rows, ...pinned];
    },

    /** The newest events, newest first, with their platforms; without pinned events older than `since`. */
    recent: ({ endpoint, since }: Scope, limit: number): Promise<(ListedRow & { platform: string | null })[]> =>
      db
        .select({ ...listedColumns, platform: events.platform })
        .from(events)
        .where(and(eq(events.endpoint, endpoint), gte(events.receivedAt, since)))
        .orderBy(...newestFirst)
        .limit(limit),

    /** The visible ones among these rows, in no particular order. */
    rows: ({ endpoint, since }: Scope, seqs: readonly number[]): Promise<ListedRow[]> =>
      db
        .select(listedColumns)
        .from(events)
        .where(and(inList(events.seq, seqs), sql`+${events.endpoint} = ${endpoint}`, isVisible(since))),
  };
}
