/*
 * Queues and their items. A process writes results only while it holds the queue, so that two processes on one database never
 * settle the same item. Times come from the caller.
 */
import type { InStatement } from '@libsql/client';
import { and, asc, count, eq, gt, isNull, lte, min, not, notInArray, sql } from 'drizzle-orm';
import { requireNoRowStatement, writeIfUnchanged } from '../../db/compare-and-set.ts';
import type { Database } from '../../db/database.ts';
import { removeQueues } from '../../db/remove-queues.ts';
import { queueItems, queues } from '../../db/schema-queues.ts';
import { inList, toClientStatement } from '../../db/sql-fragments.ts';
import type { Queue, QueueItem, WorkResult } from './queue.ts';
import { createQueueStatements, maxDelayMs } from './statements-store.ts';

export type QueuesStore = ReturnType<typeof createQueuesStore>;

/**
 * A queue with due items. `share`: the share of places that it counts against. `holder`, `beats`: the process that works on it,
 * and its heartbeat counter.
 */
export type DueQueue = Queue & { share: string; nextAt: number; holder: string | null; beats: number };

const identity = { seq: queues.seq, kind: queues.kind, owner: queues.owner };
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
    nextAt: async (now: number): Promise<number | null> =>
      (
        await db
          .select({ at: min(queues.nextAt) })
          .from(queues)
          .where(and(isNull(queues.pausedAt), gt(queues.nextAt, now)))
      )[0]?.at ?? null,
  };
}

export function createQueuesStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const heldBy = (seq: number, holder: string) => and(eq(queues.seq, seq), eq(queues.holder, holder));

  const { resultStatements, ...statements } = createQueueStatements(db);

  return {
    ...statements,
    ...createDueQueries(db),

    /** Whether items are open. */
    hasOpen: async (queue: number): Promise<boolean> =>
      (
        await db
          .select({ seq: queueItems.seq })
          .from(queueItems)
          .where(and(eq(queueItems.queue, queue), isNull(queueItems.outcome)))
          .limit(1)
      ).length > 0,

    write: (statements: readonly InStatement[]) => client.batch([...statements], 'write'),

    /**
     * Claims a queue that is free, or whose holder has sent no heartbeat since `beats` was read. @returns whether it is now
     * `holder`'s
     */
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

    /** Sends a heartbeat. @returns the queues that it still holds, and whether each is paused */
    beat: (holder: string): Promise<{ seq: number; pausedAt: number | null }[]> =>
      db
        .update(queues)
        .set({ beats: sql`${queues.beats} + 1` })
        .where(eq(queues.holder, holder))
        .returning({ seq: queues.seq, pausedAt: queues.pausedAt }),

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

    /** Releases all queues. For the only process on a database, because the former holder is gone. */
    async releaseAll(): Promise<void> {
      await db.update(queues).set({ holder: null }).where(sql`${queues.holder} IS NOT NULL`);
    },

    /** Removes the queue of an owner that no longer exists. */
    remove: (seq: number, holder: string): Promise<void> =>
      removeQueues(db, sql`SELECT seq FROM queues WHERE ${heldBy(seq, holder)}`),

    /** Due items, the longest due first, without `except`. */
    async dueItems(queue: number, now: number, except: readonly number[], limit: number): Promise<QueueItem[]> {
      const rows = await db
        .select({
          seq: queueItems.seq,
          event: queueItems.event,
          nonce: queueItems.nonce,
          lane: queueItems.lane,
          attempts: queueItems.attempts,
          errors: queueItems.errors,
          detail: queueItems.detail,
          addedAt: queueItems.addedAt,
        })
        .from(queueItems)
        .where(
          and(
            eq(queueItems.queue, queue),
            lte(queueItems.dueAt, now),
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
