/*
 * Queues and their items. A process writes results only while it holds the queue, so that two processes on one database never
 * settle the same item. Times come from the caller.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, exists, gt, isNull, lte, min, not, notInArray, sql } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import { changesOne } from '../../db/changes-one.ts';
import { requireNoRowStatement, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database, Drizzle } from '../../db/database.ts';
import { removeQueues } from '../../db/remove-queues.ts';
import { queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement } from '../../db/sql-fragments.ts';
import type { NewItem, Queue, QueueItem, WorkResult } from './queue.ts';

export type QueuesStore = ReturnType<typeof createQueuesStore>;

/**
 * A queue with due items. `share`: the share of places that it counts against. `holder`, `beats`: the process that works on it,
 * and its heartbeat counter.
 */
export type DueQueue = Queue & { share: string; nextAt: number; holder: string | null; beats: number };

const identity = pick(queues, 'seq', 'kind', 'owner');
/** Alerts, forwards and replay jobs of a team have a share each. All queues of a kind without a team have one share together. */
const share = sql<string>`${queues.kind} || ' ' || ifnull(${queues.teamId}, '')`;
// It is not null, because the queue is due.
const nextAt = sql<number>`${queues.nextAt}`;
const isDue = (now: number) => and(isNull(queues.pausedAt), lte(queues.nextAt, now));

/** Which queues are due. */
function createDueQueries(db: Database['db']) {
  return {
    /**
     * Queues that have, or may have, an item that is due, the longest due first.
     * @param except queues and shares to leave out
     * @param after the last one of the page before
     */
    due: (
      now: number,
      limit: number,
      except: { seqs: readonly number[]; shares: readonly string[] } = { seqs: [], shares: [] },
      after?: DueQueue,
    ): Promise<DueQueue[]> =>
      db
        .select({ ...identity, share, nextAt, holder: queues.holder, beats: queues.beats })
        .from(queues)
        .where(
          and(
            isDue(now),
            after && sql`(${queues.nextAt}, ${queues.seq}) > (${after.nextAt}, ${after.seq})`,
            except.seqs.length === 0 ? undefined : not(inList(queues.seq, except.seqs)),
            except.shares.length === 0 ? undefined : not(inList(share, except.shares)),
          ),
        )
        .orderBy(asc(queues.nextAt), asc(queues.seq))
        .limit(limit),

    /** The number of due queues of each share that no process works on. */
    async waiting(now: number): Promise<Map<string, number>> {
      const rows = await db
        .select({ share, count: count() })
        .from(queues)
        .where(and(isDue(now), isNull(queues.holder)))
        .groupBy(share);
      return new Map(rows.map(row => [row.share, row.count]));
    },

    /** When the next queue is due; null if no queue has open items. */
    async nextAt(now: number): Promise<number | null> {
      const isLater = and(isNull(queues.pausedAt), gt(queues.nextAt, now));
      const [next] = await db
        .select({ at: min(queues.nextAt) })
        .from(queues)
        .where(isLater);
      return next?.at ?? null;
    },
  };
}

/** The furthest time ahead at which an item can be due. A later time was set by a clock that has gone back since. */
const maxDelayMs = 25 * 3_600_000;

// Raw: Drizzle's INSERT … SELECT takes only plain columns. An item has no due time while its lane has an open item before it.
const addItemSql = `INSERT INTO queue_items (queue, event, nonce, lane, due_at, detail, added_at)
  SELECT seq, ?3, ?4, ?5,
    CASE WHEN ?5 IS NOT NULL AND EXISTS
      (SELECT 1 FROM queue_items WHERE queue = queues.seq AND lane = ?5 AND outcome IS NULL)
    THEN NULL ELSE ?6 END, ?7, ?8
  FROM queues WHERE kind = ?1 AND owner = ?2`;

// Removed events are left out.
const addEventsSql = `INSERT INTO queue_items (queue, event, nonce, due_at, detail, added_at)
  SELECT queues.seq, events.seq, events.nonce, ?4,
    CASE WHEN ?5 THEN CAST(CAST(events.received_at AS TEXT) AS BLOB) END, ?4
  FROM queues CROSS JOIN json_each(?3) AS wanted CROSS JOIN events ON events.seq = wanted.value
  WHERE queues.kind = ?1 AND queues.owner = ?2 ORDER BY wanted.key`;

const wakeSql = `UPDATE queues SET next_at = min(ifnull(next_at, ?3), ?3) WHERE kind = ?1 AND owner = ?2`;

// This opens the next item of the lane after an item was settled, or before it is removed. ?1: the item, ?2: the time. The next
// item may be older, if a person has reopened it.
const nextOfLaneSql = (condition: string): string => `UPDATE queue_items SET due_at = ?2 WHERE seq = (
    SELECT next.seq FROM queue_items AS settled JOIN queue_items AS next
      ON next.queue = settled.queue AND next.lane = settled.lane AND next.outcome IS NULL AND next.seq <> settled.seq
    WHERE settled.seq = ?1 ${condition} ORDER BY next.seq LIMIT 1)
  AND due_at IS NULL`;
const openLaneSql = nextOfLaneSql('');
// Only if the item is the head of its lane: `due_at` is null for items that wait behind another item or are settled.
const openLaneAfterHeadSql = nextOfLaneSql('AND settled.due_at IS NOT NULL');

const reopenSql = `UPDATE queue_items SET outcome = NULL, attempts = 0, errors = 0, detail = NULL,
    due_at = CASE WHEN lane IS NOT NULL AND EXISTS (SELECT 1 FROM queue_items AS open
      WHERE open.queue = queue_items.queue AND open.lane = queue_items.lane AND open.outcome IS NULL)
    THEN NULL ELSE ?2 END
  WHERE seq = ?1 AND outcome IS NOT NULL`;
const hastenSql = 'UPDATE queue_items SET due_at = ?2 WHERE seq = ?1 AND outcome IS NULL AND due_at > ?2';
const dropSql = 'DELETE FROM queue_items WHERE seq = ?1';

/** Statements for transactions of owners: a queue is created, filled, paused and removed together with its owner. */
function createStatements(db: Drizzle) {
  const ofOwner = (kind: string, owner: string) => and(eq(queues.kind, kind), eq(queues.owner, owner));

  const resultStatements = (item: QueueItem, result: WorkResult, now: number): InStatement[] => {
    if (result.kind === 'interrupted') return [];
    const openLane = item.lane === null ? [] : [{ sql: openLaneSql, args: [item.seq, now] }];
    if (result.kind === 'removed')
      return [...openLane, toClientStatement(db.delete(queueItems).where(eq(queueItems.seq, item.seq)))];
    const isSettled = result.kind === 'settled';
    const update = db
      .update(queueItems)
      .set({
        dueAt: isSettled ? null : now + Math.min(result.inMs, maxDelayMs),
        outcome: isSettled ? result.outcome : null,
        status: result.status,
        error: result.error,
        attempts: item.attempts + 1,
        errors: isSettled ? item.errors : (result.errors ?? 0),
        ...(result.detail && { detail: Buffer.from(result.detail) }),
      })
      // A person may have settled it in the meantime.
      .where(and(eq(queueItems.seq, item.seq), isNull(queueItems.outcome)));
    return [toClientStatement(update), ...(isSettled ? openLane : [])];
  };

  return {
    resultStatements,

    /**
     * Statements that create a queue without items; for a transaction with its owner. @param teamId null for the server's own
     * queue
     */
    createQueueStatements: (kind: string, owner: string, teamId: string | null): InStatement[] => [
      toClientStatement(db.insert(queues).values({ kind, owner, teamId }).onConflictDoNothing()),
    ],

    /** Statements that add items and make the queue due. */
    addItemsStatements(kind: string, owner: string, items: readonly NewItem[], now: number): InStatement[] {
      const times = items.map(({ dueAt = now }) => Math.min(dueAt, now + maxDelayMs));
      return [
        ...items.map(({ event, lane, detail }, i) => ({
          sql: addItemSql,
          args: [
            kind,
            owner,
            event?.seq ?? null,
            toBlob(event?.nonce),
            toBlob(lane),
            times[i] ?? now,
            toBlob(detail),
            now,
          ],
        })),
        { sql: wakeSql, args: [kind, owner, times.reduce((a, b) => Math.min(a, b), times[0] ?? now)] },
      ];
    },

    /** A statement that adds events by their row numbers, in their order. @param withTimes `detail` is the time of receipt as text */
    addEventsStatement: (
      kind: string,
      owner: string,
      seqs: readonly number[],
      now: number,
      withTimes: boolean,
    ): InStatement => ({
      sql: addEventsSql,
      args: [kind, owner, JSON.stringify(seqs), now, withTimes ? 1 : 0],
    }),

    /** Statements that reopen settled items as if they were new, and make open ones due. */
    reopenItemsStatements: (seqs: readonly number[], now: number): InStatement[] =>
      seqs.flatMap(seq => [
        { sql: hastenSql, args: [seq, now] },
        { sql: reopenSql, args: [seq, now] },
      ]),

    /** Statements that remove items in any state. */
    removeItemsStatements: (seqs: readonly number[], now: number): InStatement[] =>
      seqs.flatMap(seq => [
        { sql: openLaneAfterHeadSql, args: [seq, now] },
        { sql: dropSql, args: [seq] },
      ]),

    /** Statements that remove the queue with its items. */
    removeQueueStatements: (kind: string, owner: string): InStatement[] => [
      toClientStatement(db.delete(queues).where(ofOwner(kind, owner))),
    ],

    /** Statements that pause the queue: nothing new starts. With `at` null, they resume it. */
    pauseStatements: (kind: string, owner: string, at: number | null): InStatement[] => [
      toClientStatement(db.update(queues).set({ pausedAt: at }).where(ofOwner(kind, owner))),
    ],
  };
}

const toBlob = (bytes: Uint8Array | undefined): Buffer | null => (bytes === undefined ? null : Buffer.from(bytes));

export function createQueuesStore({ db, client, captureBatch }: Pick<Database, 'db' | 'client' | 'captureBatch'>) {
  const heldBy = (seq: number, holder: string) => and(eq(queues.seq, seq), eq(queues.holder, holder));

  const { resultStatements, ...statements } = createStatements(db);

  return {
    ...statements,
    ...createDueQueries(db),

    /** Whether items are open. */
    async hasOpen(queue: number): Promise<boolean> {
      const isOpen = and(eq(queueItems.queue, queue), isNull(queueItems.outcome));
      return (await db.select({ seq: queueItems.seq }).from(queueItems).where(isOpen).limit(1)).length > 0;
    },

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    /**
     * Claims a queue that is free, or whose holder has sent no heartbeat since `beats` was read. @returns whether it is now
     * `holder`'s
     */
    take({ seq, holder: was, beats }: DueQueue, holder: string): Promise<boolean> {
      const isUnchanged = and(was === null ? isNull(queues.holder) : eq(queues.holder, was), eq(queues.beats, beats));
      const update = db.update(queues).set({ holder, beats: beats + 1 });
      return changesOne(update.where(and(eq(queues.seq, seq), isNull(queues.pausedAt), isUnchanged)));
    },

    /**
     * Sends a heartbeat, before all writes that wait: behind a slow one it would come too late.
     * @returns the queues that it still holds, and whether each is paused
     */
    async beat(holder: string): Promise<{ seq: number; pausedAt: number | null }[]> {
      const [result] = await captureBatch([
        toClientStatement(
          db
            .update(queues)
            .set({ beats: sql`${queues.beats} + 1` })
            .where(eq(queues.holder, holder))
            .returning({ seq: queues.seq, pausedAt: queues.pausedAt }),
        ),
      ]);
      return (result?.rows ?? []).map(row => ({
        seq: Number(row[0]),
        pausedAt: row[1] === null ? null : Number(row[1]),
      }));
    },

    /**
     * Releases a queue and makes it due with its earliest item, including items that were added since.
     * @param notBefore epoch ms
     */
    async release(seq: number, holder: string, notBefore = 0): Promise<void> {
      await db
        .update(queues)
        .set({
          holder: null,
          nextAt: sql`max(CAST(${notBefore} AS INTEGER),
            (SELECT min(due_at) FROM queue_items WHERE queue = ${seq} AND due_at IS NOT NULL))`,
        })
        .where(heldBy(seq, holder));
    },

    /** Makes a queue without items due, so that its next worker finds out whether its owner still exists. */
    async wakeEmpty(seq: number, now: number): Promise<void> {
      await db
        .update(queues)
        .set({ nextAt: now })
        .where(and(eq(queues.seq, seq), isNull(queues.nextAt), isNull(queues.holder)));
    },

    /** Releases all queues. For the only process on a database, because the former holder is gone. */
    async releaseAll(): Promise<void> {
      await db.update(queues).set({ holder: null }).where(sql`${queues.holder} IS NOT NULL`);
    },

    /** Removes the queue of an owner that no longer exists. */
    remove: (seq: number, holder: string): Promise<void> =>
      removeQueues(db, sql`SELECT seq FROM queues WHERE ${heldBy(seq, holder)}`),

    /** Due items, the longest due first, without `except`; none if `holder` no longer has the queue. */
    async dueItems(
      { queue, holder, now }: { queue: number; holder: string; now: number },
      except: readonly number[],
      limit: number,
    ): Promise<QueueItem[]> {
      const rows = await db
        .select(pick(queueItems, 'seq', 'event', 'nonce', 'lane', 'attempts', 'errors', 'detail', 'addedAt'))
        .from(queueItems)
        .where(
          and(
            eq(queueItems.queue, queue),
            lte(queueItems.dueAt, now),
            exists(db.select({ one: sql`1` }).from(queues).where(heldBy(queue, holder))),
            // These are at most a few dozen: the running items.
            except.length === 0 ? undefined : notInArray(queueItems.seq, [...except]),
          ),
        )
        .orderBy(asc(queueItems.dueAt), asc(queueItems.seq))
        .limit(limit);
      return rows.map(({ event, nonce, ...row }) => ({
        ...row,
        event: event === null || nonce === null ? null : { seq: event, nonce },
      }));
    },

    /**
     * Writes results of one queue, each with its further statements, in one transaction.
     * @returns false, with nothing written, if `holder` no longer has the queue
     */
    async writeResults(
      queue: number,
      holder: string,
      results: readonly { item: QueueItem; result: WorkResult }[],
      now: number,
    ): Promise<boolean> {
      const written = results.flatMap(({ item, result }) => [
        ...resultStatements(item, result, now),
        ...(result.also ?? []),
      ]);
      if (written.length === 0) return true;
      // Results of a queue that was removed with its owner are still written.
      const isLost = and(eq(queues.seq, queue), sql`${queues.holder} IS NOT ${holder}`);
      const lost = toClientStatement(db.select({ seq: queues.seq }).from(queues).where(isLost));
      return writeIfUnchanged(client, [requireNoRowStatement(lost), ...written]);
    },

    /** After the clock has jumped back: no queue is due later than `maxDelayMs` from now. */
    async pullBack(now: number): Promise<void> {
      await db
        .update(queues)
        .set({ nextAt: now })
        .where(gt(queues.nextAt, now + maxDelayMs));
    },

    /** Like `pullBack`, for the items of a queue. */
    async pullBackItems(queue: number, now: number): Promise<void> {
      await db
        .update(queueItems)
        .set({ dueAt: now })
        .where(and(eq(queueItems.queue, queue), gt(queueItems.dueAt, now + maxDelayMs)));
    },
  };
}
