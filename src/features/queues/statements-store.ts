/* Statements about queues for transactions of their owners: a queue is created, filled, paused and removed together with its owner. */
import type { InStatement } from '@libsql/client';
import { and, eq, isNull } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { queueItems, queues } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';
import type { NewItem, QueueItem, WorkResult } from './queue.ts';

/** The furthest time ahead at which an item can be due. A later time was set by a clock that has gone back since. */
export const maxDelayMs = 25 * 3_600_000;

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
// Only if the item is the head of its lane: `due_at` is null for items that wait behind another one or are settled.
const openLaneAfterHeadSql = nextOfLaneSql('AND settled.due_at IS NOT NULL');

const reopenSql = `UPDATE queue_items SET outcome = NULL, attempts = 0, errors = 0, detail = NULL,
    due_at = CASE WHEN lane IS NOT NULL AND EXISTS (SELECT 1 FROM queue_items AS open
      WHERE open.queue = queue_items.queue AND open.lane = queue_items.lane AND open.outcome IS NULL)
    THEN NULL ELSE ?2 END
  WHERE seq = ?1 AND outcome IS NOT NULL`;
const hastenSql = 'UPDATE queue_items SET due_at = ?2 WHERE seq = ?1 AND outcome IS NULL AND due_at > ?2';
const dropSql = 'DELETE FROM queue_items WHERE seq = ?1';

export function createQueueStatements(db: Drizzle) {
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
    creation: (kind: string, owner: string, teamId: string | null): InStatement[] => [
      toClientStatement(db.insert(queues).values({ kind, owner, teamId }).onConflictDoNothing()),
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
        { sql: wakeSql, args: [kind, owner, times.reduce((a, b) => Math.min(a, b), times[0] ?? now)] },
      ];
    },

    /** A statement that adds events by their row numbers, in their order. @param withTimes `detail` is the time of receipt as text */
    eventAddition: (
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
    reopening: (seqs: readonly number[], now: number): InStatement[] =>
      seqs.flatMap(seq => [
        { sql: hastenSql, args: [seq, now] },
        { sql: reopenSql, args: [seq, now] },
      ]),

    /** Statements that remove items in any state. */
    dropping: (seqs: readonly number[], now: number): InStatement[] =>
      seqs.flatMap(seq => [
        { sql: openLaneAfterHeadSql, args: [seq, now] },
        { sql: dropSql, args: [seq] },
      ]),

    /** Statements that remove the queue with its items. */
    removal: (kind: string, owner: string): InStatement[] => [
      toClientStatement(db.delete(queues).where(ofOwner(kind, owner))),
    ],

    /** Statements that pause the queue: nothing new starts. With `at` null, they resume it. */
    pausing: (kind: string, owner: string, at: number | null): InStatement[] => [
      toClientStatement(db.update(queues).set({ pausedAt: at }).where(ofOwner(kind, owner))),
    ],
  };
}

const toBlob = (bytes: Uint8Array | undefined): Buffer | null => (bytes === undefined ? null : Buffer.from(bytes));
