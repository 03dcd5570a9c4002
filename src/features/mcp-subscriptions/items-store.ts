/* The waiting occurrences of subscriptions. They are items of the queues (features/queues/store.ts); `event` is their position. */
import type { Client, InStatement } from '@libsql/client';
import { subscriptionQueue } from '../../core/mcp-events/subscription.ts';

const ofQueueSql = 'queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2) AND outcome IS NULL';
// `detail` is written by work.ts: the time of the occurrence, or an object with it. Pinned events are kept.
const removeGoneSql = `DELETE FROM queue_items WHERE seq IN (SELECT seq FROM queue_items WHERE ${ofQueueSql} AND seq <> ?3
    AND ifnull(json_extract(CAST(detail AS TEXT), '$.at'), json_extract(CAST(detail AS TEXT), '$')) < ?4
    AND event NOT IN (SELECT event FROM pins) LIMIT ?5) RETURNING event`;
const firstSql = (isTried: number): string =>
  `(SELECT event FROM queue_items WHERE ${ofQueueSql} AND (attempts > 0) = ${isTried} AND seq <> ?3 ORDER BY seq LIMIT 1)`;
const firstWaitingSql = `SELECT CASE WHEN a IS NULL OR b < a THEN b ELSE a END FROM (SELECT ${firstSql(0)} AS a, ${firstSql(1)} AS b)`;

export const createSubscriptionItemsStore = (client: Pick<Client, 'batch' | 'execute'>) => ({
  /** A statement that makes the waiting items of a subscription due. */
  hastenStatement: (owner: string, now: number): InStatement => ({
    sql: `UPDATE queue_items SET due_at = ?3 WHERE due_at > ?3 AND queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2)`,
    args: [subscriptionQueue, owner, now],
  }),
  /** A statement that removes the waiting items up to a position. */
  skipStatement: (owner: string, position: number): InStatement => ({
    sql: `DELETE FROM queue_items WHERE event <= ?3 AND queue = (SELECT seq FROM queues WHERE kind = ?1 AND owner = ?2)`,
    args: [subscriptionQueue, owner, position],
  }),
  /**
   * Removes waiting items, besides `except`, whose occurrences retention has removed or hidden.
   * @param before the time of the oldest occurrence that is kept, epoch ms @returns their positions
   */
  async removeGone(
    owner: string,
    { except, before, limit }: { except: number; before: number; limit: number },
  ): Promise<number[]> {
    const args = [subscriptionQueue, owner, except, before, limit];
    const [result] = await client.batch([{ sql: removeGoneSql, args }], 'write');
    return (result?.rows ?? []).map(row => Number(row[0]));
  },
  /**
   * The position of the first occurrence that waits, besides that of one item; null if none does. Items are added in the order
   * of their positions, so this takes two steps in an index.
   */
  async firstWaiting(owner: string, except = 0): Promise<number | null> {
    const { rows } = await client.execute({ sql: firstWaitingSql, args: [subscriptionQueue, owner, except] });
    return rows[0]?.[0] === undefined || rows[0][0] === null ? null : Number(rows[0][0]);
  },
});
