/* Records replay attempts. Reading them is part of reading an event. */
import type { InStatement } from '@libsql/client';
import { and, desc, eq, lte, type SQL, sql } from 'drizzle-orm';
import { maxAttemptsPerEvent } from '../../core/limits.ts';
import type { Drizzle } from '../../db/database.ts';
import { replays } from '../../db/schema.ts';

export type Attempt = Omit<typeof replays.$inferInsert, 'seq' | 'event'> & { accountId: string };

/** An event of the endpoint, by the parts of its id. */
export type EventOfEndpoint = { endpoint: number; seq: number; nonce: Uint8Array };

export type ReplaysStore = ReturnType<typeof createReplaysStore>;

// For the transaction that settles the item. No response is stored, because every forwarded event has such a row.
const settledSql = `INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at, via, signed, edited, request, forward, attempts)
  SELECT seq, (SELECT id FROM accounts WHERE id = ?3), ?4, ?5, 1, ?6, ?7, 'forward', ?8, ?12, ?9, ?10, ?11 FROM events WHERE seq = ?1 AND nonce = ?2`;

// Like `settledSql`, for an attempt of a job, with its response.
const jobAttemptSql = `INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at, via, signed, edited, response, request)
  SELECT seq, (SELECT id FROM accounts WHERE id = ?2), ?3, ?4, ?5, ?6, ?7, 'job', ?8, ?11, ?9, ?10 FROM events WHERE seq = ?1`;

const removeOlderSql = `DELETE FROM replays WHERE event = ?1 AND seq <=
  (SELECT seq FROM replays WHERE event = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)`;

export function createReplaysStore(db: Drizzle) {
  // One statement, because the caller waits for it, and usually there is nothing to delete. Raw, because Drizzle's INSERT … SELECT has
  // to list every column, the generated one included.
  const insertion = (attempt: Attempt, event: SQL): SQL => {
    const { accountId, destination, status = null, ok, durationMs, createdAt, via = 'api' } = attempt;
    const { response = null, request = null } = attempt;
    return sql`
      INSERT INTO replays (event, account_id, destination, status, ok, duration_ms, created_at, via, signed, edited, response, request)
      SELECT seq, (SELECT id FROM accounts WHERE id = ${accountId}), ${destination}, ${status}, ${ok ? 1 : 0}, ${durationMs},
             ${createdAt}, ${via}, ${attempt.signed ? 1 : 0}, ${attempt.edited ? 1 : 0}, ${response}, ${request}
      FROM events WHERE ${event}
      RETURNING event, (SELECT count(*) FROM replays AS same WHERE same.event = replays.event) AS count`;
  };

  /** The attempt is recorded. If this fails, the next attempt deletes the older ones. */
  const removeOlder = async ({ event, count }: { event: number; count: number }): Promise<void> => {
    if (count < maxAttemptsPerEvent) return;
    const newestToDelete = db
      .select({ seq: replays.seq })
      .from(replays)
      .where(eq(replays.event, event))
      .orderBy(desc(replays.seq))
      .limit(1)
      .offset(maxAttemptsPerEvent);
    await db
      .delete(replays)
      .where(and(eq(replays.event, event), lte(replays.seq, newestToDelete)))
      .catch(() => {});
  };

  return {
    /** Records nothing if the event no longer exists, and no account if the account no longer exists. */
    async insert(event: number, attempt: Attempt): Promise<void> {
      const [inserted] = await db.all<{ event: number; count: number }>(insertion(attempt, sql`seq = ${event}`));
      if (inserted) await removeOlder(inserted);
    },

    /** Statements that record an attempt of a job; they do nothing if the event no longer exists. */
    recordStatements: (event: number, attempt: Attempt): InStatement[] => {
      const { accountId, destination, status = null, ok, durationMs, createdAt, signed, edited } = attempt;
      const { response = null, request = null } = attempt;
      const answer = [
        destination,
        status,
        ok ? 1 : 0,
        durationMs,
        createdAt,
        signed ? 1 : 0,
        response,
        request,
        edited ? 1 : 0,
      ];
      return [
        { sql: jobAttemptSql, args: [event, accountId, ...answer] },
        { sql: removeOlderSql, args: [event, maxAttemptsPerEvent] },
      ];
    },

    /** A statement that records that a destination has accepted an event; it does nothing if the event no longer exists. */
    recordAcceptanceStatement: (
      event: { seq: number; nonce: Uint8Array },
      attempt: Pick<Attempt, 'destination' | 'status' | 'durationMs' | 'createdAt'> & {
        accountId: string | null;
        signed: boolean;
        edited: boolean;
        request: Buffer;
        forward: number;
        attempts: number;
      },
    ): InStatement => {
      const { accountId, destination, status = null, durationMs, createdAt, signed, request } = attempt;
      const { seq, nonce } = event;
      const answer = [destination, status, durationMs, createdAt, signed ? 1 : 0, request];
      const by = [attempt.forward, attempt.attempts, attempt.edited ? 1 : 0];
      return { sql: settledSql, args: [seq, Buffer.from(nonce), accountId, ...answer, ...by] };
    },

    /**
     * Records attempts in one transaction, except attempts of removed events or of another endpoint. @returns how many were
     * recorded
     */
    async insertAll(attempts: readonly { event: EventOfEndpoint; attempt: Attempt }[]): Promise<number> {
      const [first, ...rest] = attempts.map(({ event: { endpoint, seq, nonce }, attempt }) =>
        db.all<{ event: number; count: number }>(
          insertion(attempt, sql`seq = ${seq} AND endpoint = ${endpoint} AND nonce = ${Buffer.from(nonce)}`),
        ),
      );
      if (!first) return 0;
      const inserted = (await db.batch([first, ...rest])).flat();
      const counts = new Map(inserted.map(row => [row.event, row]));
      for (const row of counts.values()) await removeOlder(row);
      return inserted.length;
    },
  };
}
