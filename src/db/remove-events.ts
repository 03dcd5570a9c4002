/*
 * Removes events of one endpoint with everything that belongs to them, in one transaction: replays, marks, outcomes, attempts,
 * items of forwards, empty blocks, counters.
 */
import type { InStatement } from '@libsql/client';
import { and, count, eq, gte, inArray, isNotNull, lte, max, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './database.ts';
import { removeAttemptsSql } from './delivery-attempts.ts';
import { removeForwardItemsStatements } from './remove-forward-items.ts';
import { blocks, endpoints, events, outcomes, pins, replays, sequences, tags } from './schema.ts';
import { inList, toClientStatement } from './sql-fragments.ts';

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
    // The sequences of these deliveries restart; those of the whole endpoint continue.
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
