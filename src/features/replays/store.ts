/* Records replay attempts. They are read with their event (events/store.ts). */
import type { Client } from '@libsql/client';
import type { replays } from '../../db/schema.ts';

export type Attempt = Omit<typeof replays.$inferInsert, 'seq'> & { accountId: string };

export type ReplaysStore = ReturnType<typeof createReplaysStore>;

/** The oldest beyond it are deleted. */
const keptPerEvent = 100;

export function createReplaysStore(client: Pick<Client, 'execute'>) {
  return {
    /** Nothing is recorded for an event that was removed meanwhile. The attempt of a deleted account has no account. */
    async insert({ event, accountId, destination, status, ok, durationMs, createdAt }: Attempt): Promise<void> {
      // A single statement, because the caller waits for it, and usually nothing has to be deleted.
      const { rows } = await client.execute({
        sql: `INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at)
              SELECT seq, (SELECT id FROM accounts WHERE id = ?), ?, ?, ?, ?, ? FROM events WHERE seq = ?
              RETURNING (SELECT count(*) FROM replays AS all_of_it WHERE all_of_it.event = replays.event)`,
        args: [accountId, destination, status ?? null, ok ? 1 : 0, durationMs, createdAt, event],
      });
      if (Number(rows[0]?.[0] ?? 0) < keptPerEvent) return;
      // The attempt is recorded: when deleting older ones fails, the next attempt does it.
      const deleting = client.execute({
        sql: `DELETE FROM replays WHERE event = ? AND seq <=
              (SELECT seq FROM replays WHERE event = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
        args: [event, event, keptPerEvent],
      });
      await deleting.catch(() => {});
    },
  };
}
