/* Recording replay attempts. Reading them is part of reading an event. */
import type { Client } from '@libsql/client';
import type { replays } from '../../db/schema.ts';

export type Attempt = Omit<typeof replays.$inferInsert, 'seq'> & { accountId: string };

export type ReplaysStore = ReturnType<typeof createReplaysStore>;

/** Older ones of the same event are forgotten: no event may grow without end. */
const keptPerEvent = 100;

export function createReplaysStore(client: Pick<Client, 'execute'>) {
  return {
    /** An event that has gone meanwhile takes no attempt; an account that has gone leaves it without a name. */
    async insert({ event, accountId, destination, status, ok, durationMs, createdAt }: Attempt): Promise<void> {
      // One statement, because the caller waits for it: as a rule there is nothing to forget.
      const { rows } = await client.execute({
        sql: `INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at)
              SELECT seq, (SELECT id FROM accounts WHERE id = ?), ?, ?, ?, ?, ? FROM events WHERE seq = ?
              RETURNING (SELECT count(*) FROM replays AS all_of_it WHERE all_of_it.event = replays.event)`,
        args: [accountId, destination, status ?? null, ok ? 1 : 0, durationMs, createdAt, event],
      });
      if (Number(rows[0]?.[0] ?? 0) < keptPerEvent) return;
      // The attempt is on record: forgetting an older one can wait for the next.
      const forgetting = client.execute({
        sql: `DELETE FROM replays WHERE event = ? AND seq <=
              (SELECT seq FROM replays WHERE event = ? ORDER BY seq DESC LIMIT 1 OFFSET ?)`,
        args: [event, event, keptPerEvent],
      });
      await forgetting.catch(() => {});
    },
  };
}
