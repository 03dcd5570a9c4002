/* Removes queues whose owners no longer exist. */
import { type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { queueItems, queues } from './schema-queues.ts';

/** The number of items per transaction, which take a few milliseconds of the writer's time. */
const removedTogether = 1000;

/** In many transactions, because a queue may have millions of items, and deliveries must not wait. @param which row numbers */
export async function removeQueues(db: Drizzle, which: SQL): Promise<void> {
  for (let removed = removedTogether; removed === removedTogether; )
    removed = (
      await db
        .delete(queueItems)
        .where(
          sql`${queueItems.seq} IN (SELECT seq FROM queue_items WHERE queue IN (${which}) LIMIT ${removedTogether})`,
        )
    ).rowsAffected;
  await db.delete(queues).where(sql`${queues.seq} IN (${which})`);
}
