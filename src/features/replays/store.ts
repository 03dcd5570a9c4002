/* Records replay attempts. Reading them is part of reading an event. */
import { and, desc, eq, lte, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { replays } from '../../db/schema.ts';

export type Attempt = Omit<typeof replays.$inferInsert, 'seq'> & { accountId: string };

export type ReplaysStore = ReturnType<typeof createReplaysStore>;

/** Older attempts are deleted, so that no event grows without end. */
const maxAttemptsPerEvent = 100;

export function createReplaysStore(db: Drizzle) {
  return {
    /** Records nothing when the event is gone, and no account when the account is gone. */
    async insert({ event, accountId, destination, status, ok, durationMs, createdAt }: Attempt): Promise<void> {
      // One statement, because the caller waits for it, and usually there is nothing to delete. Raw, because Drizzle's
      // INSERT … SELECT has to list every column, the generated one included.
      const [attempts] = await db.all<{ count: number }>(sql`
        INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at)
        SELECT seq, (SELECT id FROM accounts WHERE id = ${accountId}), ${destination}, ${status ?? null}, ${ok ? 1 : 0},
               ${durationMs}, ${createdAt}
        FROM events WHERE seq = ${event}
        RETURNING (SELECT count(*) FROM replays AS same WHERE same.event = replays.event) AS count`);
      if (!attempts || attempts.count < maxAttemptsPerEvent) return;
      const newestToDelete = db
        .select({ seq: replays.seq })
        .from(replays)
        .where(eq(replays.event, event))
        .orderBy(desc(replays.seq))
        .limit(1)
        .offset(maxAttemptsPerEvent);
      // The attempt is recorded. If this fails, the next attempt deletes the older ones.
      await db
        .delete(replays)
        .where(and(eq(replays.event, event), lte(replays.seq, newestToDelete)))
        .catch(() => {});
    },
  };
}
