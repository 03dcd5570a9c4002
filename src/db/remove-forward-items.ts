/*
 * Removes the items of forwards whose events are removed, in the same transaction, so that no lane waits for an event that no
 * longer exists. Replay jobs keep their items, which show that the event no longer exists.
 */
import type { InStatement } from '@libsql/client';
import { forwardQueue } from '../core/forward.ts';

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

/** @param goneSql the row numbers of the events; `?1` in it is `seqs` as JSON */
export const removeForwardItemsStatements = (goneSql: string, seqs: readonly number[]): InStatement[] =>
  [openLanesSql, removeSql].map(sql => ({ sql: sql(goneSql), args: [JSON.stringify(seqs), forwardQueue] }));
