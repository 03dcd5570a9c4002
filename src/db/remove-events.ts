/* Removes events with all that belongs to them in one transaction, with as many statements for one event as for thousands. */
import type { InStatement } from '@libsql/client';
import { forwardQueue } from '../core/forward.ts';
import { removeAttemptsSql } from './delivery-attempts.ts';

/** The row numbers of the events to remove. `?1`: a JSON array of row numbers. */
const gone = 'SELECT value FROM json_each(?1) WHERE value NOT IN (SELECT event FROM pins)';

// The unary plus keeps SQLite from starting with all items of a queue.
const goneItemsSql = (alias: string): string => `${alias}.event IN (SELECT event FROM gone)
  AND +${alias}.queue IN (SELECT seq FROM queues WHERE kind = ?2)`;

// The next item of a lane gets the due time of its removed head, at which the queue is already due.
const openLanesSql = `WITH gone (event) AS (${gone})
  UPDATE queue_items SET due_at = head.due_at FROM (
    SELECT item.due_at, (SELECT next.seq FROM queue_items AS next INDEXED BY queue_items_by_lane
        WHERE next.queue = item.queue AND next.lane = item.lane AND next.outcome IS NULL AND next.event NOT IN (SELECT event FROM gone)
        ORDER BY next.seq LIMIT 1) AS next
      FROM queue_items AS item
      WHERE ${goneItemsSql('item')} AND item.lane IS NOT NULL AND item.outcome IS NULL AND item.due_at IS NOT NULL
  ) AS head WHERE queue_items.seq = head.next AND queue_items.due_at IS NULL`;
const removeItemsSql = `WITH gone (event) AS (${gone})
  DELETE FROM queue_items WHERE ${goneItemsSql('queue_items')}`;

const countersSql = (sweptSeq: string): string => `UPDATE endpoints
  SET event_count = event_count - leaving.events, swept_seq = ${sweptSeq}
  FROM (SELECT endpoint, count(*) AS events, max(seq) AS last FROM events WHERE seq IN (${gone}) GROUP BY endpoint) AS leaving
  WHERE endpoints.seq = leaving.endpoint`;

// These use the current blocks of the events, because the packer may have moved them since they were selected.
const countInBlocksSql = `UPDATE blocks SET events = blocks.events - leaving.events
  FROM (SELECT block, count(*) AS events FROM events WHERE seq IN (${gone}) AND block IS NOT NULL GROUP BY block) AS leaving
  WHERE blocks.seq = leaving.block`;
const removeEmptyBlocksSql = `DELETE FROM blocks WHERE events <= 0
  AND seq IN (SELECT block FROM events WHERE seq IN (${gone}))`;

const unpinSql = 'DELETE FROM pins WHERE event IN (SELECT value FROM json_each(?1))';
const unpinOfDeletedSql = `${unpinSql}
  AND NOT EXISTS (SELECT 1 FROM endpoints WHERE endpoints.seq = pins.endpoint AND deleted_at IS NULL)`;

export type Removal = {
  seqs: string;
  endpoints: readonly number[];
  withPinned: boolean | 'of deleted endpoints';
  /** Whether retention removes the events: the feed then reports `truncated` to readers that have not read them. */
  isExpiry?: boolean;
};

/** @returns `removalAt`: the index of the statement whose `rowsAffected` is the number of removed events */
export function removalStatements({ seqs, endpoints, withPinned, isExpiry = false }: Removal): {
  statements: InStatement[];
  removalAt: number;
} {
  const first = [
    // Pins to remove are deleted first. The other statements then skip every pinned event, including events pinned after the
    // selection.
    ...(withPinned ? [withPinned === true ? unpinSql : unpinOfDeletedSql] : []),
    countersSql(isExpiry ? 'max(swept_seq, leaving.last)' : 'swept_seq'),
    ...['tags', 'replays', 'outcomes', 'redactions', 'invalid_signatures'].map(
      table => `DELETE FROM ${table} WHERE event IN (${gone})`,
    ),
    // The sequences of these deliveries restart; the sequences of the whole endpoint continue.
    `DELETE FROM sequences WHERE delivery >= 0 AND event IN (${gone})`,
    countInBlocksSql,
    removeEmptyBlocksSql,
    removeAttemptsSql(gone),
  ].map(sql => ({ sql, args: [seqs] }));
  // No lane may wait for an event that no longer exists. Replay jobs keep their items, which show that the event is gone.
  const items = [openLanesSql, removeItemsSql].map(sql => ({ sql, args: [seqs, forwardQueue] }));
  const last = [
    { sql: `DELETE FROM events WHERE seq IN (${gone})`, args: [seqs] },
    {
      sql: `UPDATE endpoints SET last_received_at = (SELECT max(received_at) FROM events WHERE endpoint = endpoints.seq)
            WHERE seq IN (SELECT value FROM json_each(?1))`,
      args: [JSON.stringify(endpoints)],
    },
  ];
  return { statements: [...first, ...items, ...last], removalAt: first.length + items.length };
}
