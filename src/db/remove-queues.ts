/* Removes queues whose owners are gone. */
import { type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { queueItems, queues } from './schema-queues.ts';

/** A few milliseconds of the writer's time. */
const removedTogether = 1000;

/** In many transactions: a queue may have millions of items, and deliveries must not wait for that. @param which sequence numbers */
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
