/*
 * Finding and removing what nobody can read any more. Finding goes to the readers; removing is one batch per slice, so that
 * events, replays, counters and whatever else hangs on an event change together or not at all.
 */
import type { InStatement } from '@libsql/client';
import type { Database } from '../../db/database.ts';
import type { SeenClock } from './sweep-clock.ts';

/** Events of `endpoint` received before `before` may go. */
export type ExpiredRange = { endpoint: number; before: number };

/** An event and what its content takes on disk, in bytes. */
export type ExpiredEvent = { seq: number; bytes: number };

/** Statements that remove what belongs to these events elsewhere, such as their rows in an index. */
export type ExtraDeletes = (seqs: readonly number[]) => InStatement[];

export type RetentionStore = ReturnType<typeof createRetentionStore>;

const everything = Number.MAX_SAFE_INTEGER;
const seenClockName = 'clock-seen';

export function createRetentionStore({ client, timedBatch }: Database, extraDeletes: ExtraDeletes) {
  return {
    /** What was saved of the clock, else when the newest event came; undefined on a database without either. */
    async seenClock(): Promise<SeenClock | undefined> {
      const { rows } = await client.execute({
        sql: 'SELECT (SELECT value FROM meta WHERE name = ?), (SELECT max(last_received_at) FROM endpoints)',
        args: [seenClockName],
      });
      const [saved, newest] = [rows[0]?.[0], rows[0]?.[1]];
      if (saved instanceof ArrayBuffer) return JSON.parse(new TextDecoder().decode(saved)) as SeenClock;
      return typeof newest === 'number' ? { trusted: newest } : undefined;
    },

    async saveSeenClock(seen: SeenClock): Promise<void> {
      await client.batch(
        [
          {
            sql: `INSERT INTO meta (name, value) VALUES (?, ?)
                  ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
            args: [seenClockName, new TextEncoder().encode(JSON.stringify(seen))],
          },
        ],
        'write',
      );
    },

    /**
     * The first endpoint from row `from` on that has events to remove: past its plan's window, or all when it is deleted.
     * @param since the oldest time of receipt that each plan still shows
     */
    async findExpired(from: number, since: { free: number; pro: number }): Promise<ExpiredRange | undefined> {
      const { rows } = await client.execute({
        sql: `SELECT owner, before FROM (
                SELECT e.seq AS owner,
                       CASE WHEN e.deleted_at IS NOT NULL THEN ? WHEN t.plan = 'free' THEN ? ELSE ? END AS before
                FROM endpoints e JOIN teams t ON t.id = e.team_id WHERE e.seq >= ?)
              WHERE EXISTS (SELECT 1 FROM events v WHERE v.endpoint = owner AND v.received_at < before)
              ORDER BY owner LIMIT 1`,
        args: [everything, since.free, since.pro, from],
      });
      return rows[0] && { endpoint: Number(rows[0][0]), before: Number(rows[0][1]) };
    },

    /** Events whose endpoint's row is gone: deliveries that were committed after all else was removed. */
    async findOrphans(): Promise<ExpiredRange | undefined> {
      // One step in the index for each endpoint that has events, however many they are.
      const { rows } = await client.execute(
        `SELECT owner FROM (
           WITH RECURSIVE owners (owner) AS (
             SELECT min(endpoint) FROM events
             UNION ALL SELECT (SELECT min(endpoint) FROM events WHERE endpoint > owner) FROM owners WHERE owner IS NOT NULL)
           SELECT owner FROM owners WHERE owner IS NOT NULL)
         WHERE owner NOT IN (SELECT seq FROM endpoints) LIMIT 1`,
      );
      return rows[0] && { endpoint: Number(rows[0][0]), before: everything };
    },

    /** The oldest of them. */
    async oldestEvents({ endpoint, before }: ExpiredRange, limit: number): Promise<ExpiredEvent[]> {
      const { rows } = await client.execute({
        sql: `SELECT seq, length(content) FROM events WHERE endpoint = ? AND received_at < ?
              ORDER BY received_at, seq LIMIT ?`,
        args: [endpoint, before, limit],
      });
      return rows.map(row => ({ seq: Number(row[0]), bytes: Number(row[1]) }));
    },

    /** Removes these events of one endpoint with all that hangs on them. @returns how many there were, and the time it took */
    async remove(
      endpoint: number,
      seqs: readonly number[],
    ): Promise<{ removed: number; writerMs: number | undefined }> {
      const list = JSON.stringify(seqs);
      const extra = extraDeletes(seqs);
      const { results, writerMs } = await timedBatch([
        ...extra,
        { sql: 'DELETE FROM replays WHERE event IN (SELECT value FROM json_each(?))', args: [list] },
        { sql: 'DELETE FROM events WHERE seq IN (SELECT value FROM json_each(?))', args: [list] },
        // changes() is what the statement before really removed: another process may have been first.
        {
          sql: `UPDATE endpoints SET event_count = event_count - changes(),
                  last_received_at = CASE WHEN event_count > changes() THEN last_received_at END
                WHERE seq = ?`,
          args: [endpoint],
        },
      ]);
      return { removed: results[extra.length + 1]?.rowsAffected ?? 0, writerMs };
    },

    /** Teams that nobody is in any more, but whose endpoints still take deliveries. */
    async abandonedTeams(): Promise<string[]> {
      const { rows } = await client.execute(
        `SELECT DISTINCT team_id FROM endpoints
         WHERE deleted_at IS NULL AND team_id NOT IN (SELECT team_id FROM accounts)`,
      );
      return rows.map(row => String(row[0]));
    },

    /**
     * Removes the signing secrets of deleted endpoints; the endpoints themselves once they were deleted before
     * `deletedBefore` and have no events; and teams that have neither people nor endpoints.
     */
    async removeEmpty(deletedBefore: number): Promise<void> {
      const secrets = 'FROM secrets WHERE endpoint IN (SELECT seq FROM endpoints WHERE deleted_at IS NOT NULL)';
      const endpoints =
        'FROM endpoints WHERE deleted_at < ? AND NOT EXISTS (SELECT 1 FROM events v WHERE v.endpoint = endpoints.seq)';
      const teams =
        'FROM teams WHERE id NOT IN (SELECT team_id FROM accounts) AND id NOT IN (SELECT team_id FROM endpoints)';
      const { rows } = await client.execute({
        sql: `SELECT EXISTS (SELECT 1 ${secrets}) OR EXISTS (SELECT 1 ${endpoints}) OR EXISTS (SELECT 1 ${teams})`,
        args: [deletedBefore],
      });
      if (rows[0]?.[0] !== 1) return;
      await timedBatch([`DELETE ${secrets}`, { sql: `DELETE ${endpoints}`, args: [deletedBefore] }, `DELETE ${teams}`]);
    },
  };
}
