/*
 * Removes events of one endpoint with everything that belongs to them, in one transaction: replays, marks, outcomes, attempts,
 * items of forwards, empty blocks, counters.
 */
import type { InStatement } from '@libsql/client';
import { and, count, eq, gte, inArray, isNotNull, lte, max, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { forwardQueue } from '../core/forward.ts';
import type { Drizzle } from './database.ts';
import { removeAttemptsSql } from './delivery-attempts.ts';
import { blocks, endpoints, events, outcomes, pins, replays, sequences, tags } from './schema.ts';
import { inList, toClientStatement } from './sql-fragments.ts';

// The unary plus keeps SQLite from starting with all items of a queue.
const goneItemsSql = (alias: string): string => `${alias}.event IN (SELECT event FROM gone)
  AND +${alias}.queue IN (SELECT seq FROM queues WHERE kind = ?2)`;

// The next item of a lane gets the due time of its removed head, at which the queue is already due.
const openLanesSql = (gone: string): string => `WITH gone (event) AS (${gone})
  UPDATE queue_items SET due_at = head.due_at FROM (
    SELECT item.due_at, (SELECT next.seq FROM queue_items AS next INDEXED BY queue_items_by_lane
        WHERE next.queue = item.queue AND next.lane = item.lane AND next.outcome IS NULL AND next.event NOT IN (SELECT event FROM gone)
        ORDER BY next.seq LIMIT 1) AS next
      FROM queue_items AS item
      WHERE ${goneItemsSql('item')} AND item.lane IS NOT NULL AND item.outcome IS NULL AND item.due_at IS NOT NULL
  ) AS head WHERE queue_items.seq = head.next AND queue_items.due_at IS NULL`;
const removeSql = (gone: string): string => `WITH gone (event) AS (${gone})
  DELETE FROM queue_items WHERE ${goneItemsSql('queue_items')}`;

/**
 * Statements that remove the items of forwards whose events are removed, so that no lane waits for an event that no longer exists.
 * Replay jobs keep their items, which show that the event no longer exists.
 * @param goneSql the row numbers of the events; `?1` in it is `seqs` as JSON
 */
const removeForwardItemsStatements = (goneSql: string, seqs: readonly number[]): InStatement[] =>
  [openLanesSql, removeSql].map(sql => ({ sql: sql(goneSql), args: [JSON.stringify(seqs), forwardQueue] }));

export type Removal = {
  endpoint: number;
  /** Row numbers. */
  seqs: readonly number[];
  /** Whether pinned events are removed as well. */
  withPinned: boolean;
  /** Whether retention removes the events: the feed then reports `truncated` to readers that have not read them. */
  isExpiry?: boolean;
};

/** @returns `removalAt`: the index of the statement whose `rowsAffected` is the number of removed events */
export function removalStatements(
  db: Drizzle,
  { endpoint, seqs, withPinned, isExpiry = false }: Removal,
): { statements: InStatement[]; removalAt: number } {
  // Pins to remove are deleted first. The other statements then skip every pinned event, including events pinned after the
  // selection.
  const chosen = (column: SQLiteColumn): SQL | undefined =>
    and(inList(column, seqs), sql`${column} NOT IN (SELECT event FROM pins)`);
  const leaving = db
    .select({ block: events.block, count: count().as('leaving') })
    .from(events)
    .where(and(chosen(events.seq), isNotNull(events.block)))
    .groupBy(events.block)
    .as('leaving_blocks');
  const blocksOf = db.select({ block: events.block }).from(events).where(chosen(events.seq));
  const chosenSql = 'SELECT value FROM json_each(?1) WHERE value NOT IN (SELECT event FROM pins)';
  const noteExpiry = db
    .update(endpoints)
    .set({
      sweptSeq: sql`max(${endpoints.sweptSeq}, ifnull(${db
        .select({ seq: max(events.seq) })
        .from(events)
        .where(chosen(events.seq))}, 0))`,
    })
    .where(eq(endpoints.seq, endpoint));
  const before = [
    ...(isExpiry ? [noteExpiry] : []),
    ...(withPinned ? [db.delete(pins).where(inList(pins.event, seqs))] : []),
    db.delete(tags).where(chosen(tags.event)),
    db.delete(replays).where(chosen(replays.event)),
    db.delete(outcomes).where(chosen(outcomes.event)),
    // The sequences of these deliveries restart; the sequences of the whole endpoint continue.
    db.delete(sequences).where(and(gte(sequences.delivery, 0), chosen(sequences.event))),
    // Uses the current blocks of the events, because the packer may have moved them since they were selected.
    db
      .update(blocks)
      .set({ events: sql`${sql.identifier('blocks')}.events - ${leaving.count}` })
      .from(leaving)
      .where(eq(blocks.seq, leaving.block)),
    db.delete(blocks).where(and(inArray(blocks.seq, blocksOf), lte(blocks.events, 0))),
  ];
  // changes() is the number of events that the previous statement removed; another process may already have removed some.
  const recount = db
    .update(endpoints)
    .set({
      eventCount: sql`${endpoints.eventCount} - changes()`,
      lastReceivedAt: sql`(SELECT max(received_at) FROM events WHERE endpoint = ${endpoint})`,
    })
    .where(eq(endpoints.seq, endpoint));
  const first = [
    ...before.map(toClientStatement),
    { sql: removeAttemptsSql(chosenSql), args: [JSON.stringify(seqs)] },
    ...removeForwardItemsStatements(chosenSql, seqs),
  ];
  return {
    statements: [...first, ...[db.delete(events).where(chosen(events.seq)), recount].map(toClientStatement)],
    removalAt: first.length,
  };
}
