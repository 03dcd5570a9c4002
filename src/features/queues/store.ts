/*
 * Queues and their items. A process writes results only while it has the queue, so that two processes on one database never settle
 * the same item. Times come from the caller.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, eq, gt, isNull, lte, min, notInArray, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { queueItems, queues } from '../../db/schema.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';
import type { NewItem, Queue, QueueItem, WorkResult } from './queue.ts';

export type QueuesStore = ReturnType<typeof createQueuesStore>;

/** A queue with due items. `holder`, `beats`: of the process that works on it. */
export type DueQueue = Queue & { holder: string | null; beats: number };

/** How far ahead an item can be due. A later time was set by a clock that has jumped back since. */
const maxDelayMs = 25 * 3_600_000;

const identity = { seq: queues.seq, kind: queues.kind, owner: queues.owner };

// Raw: Drizzle's INSERT … SELECT takes only plain columns. An item waits (without a time) while its lane has an open one.
const addItemSql = `INSERT INTO queue_items (queue, event, nonce, lane, due_at, detail, added_at)
  SELECT seq, ?3, ?4, ?5,
    CASE WHEN ?5 IS NOT NULL AND EXISTS
      (SELECT 1 FROM queue_items WHERE queue = queues.seq AND lane = ?5 AND outcome IS NULL)
    THEN NULL ELSE ?6 END, ?7, ?8
  FROM queues WHERE kind = ?1 AND owner = ?2`;

const wakeSql = `UPDATE queues SET next_at = min(ifnull(next_at, ?3), ?3) WHERE kind = ?1 AND owner = ?2`;

// Fails, and the transaction with it, when another process has the queue: `beats` is never NULL. ?1: the queue, ?2: the holder.
const requireHolderSql = 'UPDATE queues SET beats = CASE WHEN holder = ?2 THEN beats END WHERE seq = ?1';

// Written once the item is no longer open. ?1: the settled item, ?2: the time.
const openLaneSql = `UPDATE queue_items SET due_at = ?2 WHERE seq = (
    SELECT next.seq FROM queue_items AS settled JOIN queue_items AS next
      ON next.queue = settled.queue AND next.lane = settled.lane AND next.outcome IS NULL AND next.seq > settled.seq
    WHERE settled.seq = ?1 ORDER BY next.seq LIMIT 1)
  AND due_at IS NULL`;

export function createQueuesStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const ofOwner = (kind: string, owner: string) => and(eq(queues.kind, kind), eq(queues.owner, owner));
  const heldBy = (seq: number, holder: string) => and(eq(queues.seq, seq), eq(queues.holder, holder));

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
        ...(result.detail && { detail: Buffer.from(result.detail) }),
      })
      // A person may have settled it meanwhile.
      .where(and(eq(queueItems.seq, item.seq), isNull(queueItems.outcome)));
    return [toClientStatement(update), ...(isSettled ? openLane : [])];
  };

  return {
    /** Statements that create a queue without items; for a transaction with its owner. */
    creation: (kind: string, owner: string): InStatement[] => [
      toClientStatement(db.insert(queues).values({ kind, owner }).onConflictDoNothing()),
    ],

    /** Statements that add items and make the queue due. */
    addition(kind: string, owner: string, items: readonly NewItem[], now: number): InStatement[] {
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
        { sql: wakeSql, args: [kind, owner, times.reduce((a, b) => Math.min(a, b), now + maxDelayMs)] },
      ];
    },

    /** Statements that remove the queue with its items. */
    removal: (kind: string, owner: string): InStatement[] => [
      toClientStatement(db.delete(queues).where(ofOwner(kind, owner))),
    ],

    /** Statements that pause the queue: nothing new starts. `at` null: it goes on. */
    pausing: (kind: string, owner: string, at: number | null): InStatement[] => [
      toClientStatement(db.update(queues).set({ pausedAt: at }).where(ofOwner(kind, owner))),
    ],

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    /** Queues that have, or may have, an item that is due. */
    due: (now: number, limit: number): Promise<DueQueue[]> =>
      db
        .select({ ...identity, holder: queues.holder, beats: queues.beats })
        .from(queues)
        .where(and(isNull(queues.pausedAt), lte(queues.nextAt, now)))
        .orderBy(asc(queues.nextAt))
        .limit(limit),

    /** When the next queue is due; null when none has anything to do. */
    nextAt: async (now: number): Promise<number | null> =>
      (
        await db
          .select({ at: min(queues.nextAt) })
          .from(queues)
          .where(and(isNull(queues.pausedAt), gt(queues.nextAt, now)))
      )[0]?.at ?? null,

    /** Takes a queue that nobody has, or whose holder has not shown life since. @returns whether it is now `holder`'s */
    async take({ seq, holder: was, beats }: DueQueue, holder: string): Promise<boolean> {
      const { rowsAffected } = await db
        .update(queues)
        .set({ holder, beats: beats + 1 })
        .where(
          and(
            eq(queues.seq, seq),
            isNull(queues.pausedAt),
            was === null ? isNull(queues.holder) : eq(queues.holder, was),
            eq(queues.beats, beats),
          ),
        );
      return rowsAffected === 1;
    },

    /** Shows that the holder lives. @returns the queues that it still has, and whether each is paused */
    beat: (holder: string): Promise<{ seq: number; pausedAt: number | null }[]> =>
      db
        .update(queues)
        .set({ beats: sql`${queues.beats} + 1` })
        .where(eq(queues.holder, holder))
        .returning({ seq: queues.seq, pausedAt: queues.pausedAt }),

    /** Gives a queue back, and says when it is due again: by its items, which may have become more meanwhile. */
    async release(seq: number, holder: string): Promise<void> {
      await db
        .update(queues)
        .set({
          holder: null,
          nextAt: sql`(SELECT min(due_at) FROM queue_items WHERE queue = ${seq} AND due_at IS NOT NULL)`,
        })
        .where(heldBy(seq, holder));
    },

    /** For the only process of a database: all queues are free, since whoever held them is gone. */
    async releaseAll(): Promise<void> {
      await db.update(queues).set({ holder: null }).where(sql`${queues.holder} IS NOT NULL`);
    },

    /** Removes the queue of an owner that is gone. */
    async remove(seq: number, holder: string): Promise<void> {
      await db.delete(queues).where(heldBy(seq, holder));
    },

    /** Items that are due, first those due first, without `except`. */
    async dueItems(queue: number, now: number, except: readonly number[], limit: number): Promise<QueueItem[]> {
      const rows = await db
        .select({
          seq: queueItems.seq,
          event: queueItems.event,
          nonce: queueItems.nonce,
          lane: queueItems.lane,
          attempts: queueItems.attempts,
          detail: queueItems.detail,
          addedAt: queueItems.addedAt,
        })
        .from(queueItems)
        .where(
          and(
            eq(queueItems.queue, queue),
            lte(queueItems.dueAt, now),
            // At most a few dozen: those under way.
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

    /** Writes results of one queue, each with what belongs to it, in one transaction. @throws when `holder` no longer has the queue */
    async writeResults(
      queue: number,
      holder: string,
      results: readonly { item: QueueItem; result: WorkResult }[],
      now: number,
    ): Promise<void> {
      const statements = results.flatMap(({ item, result }) => [
        ...resultStatements(item, result, now),
        ...(result.also ?? []),
      ]);
      if (statements.length === 0) return;
      await client.batch([{ sql: requireHolderSql, args: [queue, holder] }, ...statements], 'write');
    },

    holds: async (queue: number, holder: string): Promise<boolean> =>
      (await db.select({ seq: queues.seq }).from(queues).where(heldBy(queue, holder))).length === 1,

    /** After the clock has jumped back: no queue is due later than `maxDelayMs` from now. */
    async pullBack(now: number): Promise<void> {
      await db
        .update(queues)
        .set({ nextAt: now })
        .where(gt(queues.nextAt, now + maxDelayMs));
    },

    /** The same for the items of a queue. */
    async pullBackItems(queue: number, now: number): Promise<void> {
      await db
        .update(queueItems)
        .set({ dueAt: now })
        .where(and(eq(queueItems.queue, queue), gt(queueItems.dueAt, now + maxDelayMs)));
    },
  };
}

const toBlob = (bytes: Uint8Array | undefined): Buffer | null => (bytes === undefined ? null : Buffer.from(bytes));
