/* Sessions. Only a SHA-256 of each token is stored; what has expired is no row to any query. */

import { and, desc, eq, gt, inArray, sql } from 'drizzle-orm';
import type { AccountHolder } from '../../core/principal.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, sessions, teams } from '../../db/schema.ts';

export type SessionRow = Omit<typeof sessions.$inferSelect, 'hash'>;
export type NewSession = typeof sessions.$inferInsert;
export type SessionHolder = AccountHolder & { sessionId: string; lastSeenAt: number };
/** Sessions count that were seen and made after these times. */
export type Alive = { seenAfter: number; createdAfter: number };

export type SessionsStore = ReturnType<typeof createSessionsStore>;

export function createSessionsStore(db: Drizzle) {
  const alive = ({ seenAfter, createdAfter }: Alive) =>
    and(gt(sessions.lastSeenAt, seenAfter), gt(sessions.createdAt, createdAfter));

  return {
    /**
     * A new session, unless the account is gone or has another password by now; false then. Clears away expired ones and
     * the one that it takes the place of.
     */
    async insert(session: NewSession, passwordHash: string, replaces: string, limits: Alive): Promise<boolean> {
      const { id, accountId, hash, userAgent, sourceIp, createdAt, lastSeenAt } = session;
      const [inserted] = await db.batch([
        db.run(sql`INSERT INTO sessions (id, account_id, hash, user_agent, source_ip, created_at, last_seen_at)
          SELECT ${id}, ${accountId}, ${hash}, ${userAgent}, ${sourceIp}, ${createdAt}, ${lastSeenAt}
          WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ${accountId} AND password_hash = ${passwordHash})`),
        db.run(sql`DELETE FROM sessions WHERE id = ${replaces}
          OR last_seen_at <= ${limits.seenAfter} OR created_at <= ${limits.createdAfter}`),
      ]);
      return inserted.rowsAffected === 1;
    },

    async holderOf(hash: Buffer, limits: Alive): Promise<SessionHolder | undefined> {
      const rows = await db
        .select({
          sessionId: sessions.id,
          lastSeenAt: sessions.lastSeenAt,
          accountId: accounts.id,
          email: accounts.email,
          role: accounts.role,
          teamId: teams.id,
          plan: teams.plan,
        })
        .from(sessions)
        .innerJoin(accounts, eq(accounts.id, sessions.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(and(eq(sessions.hash, hash), alive(limits)));
      return rows[0];
    },

    /** The hash of every session, expired ones included. */
    hashes: async (): Promise<Buffer[]> =>
      (await db.select({ hash: sessions.hash }).from(sessions)).map(row => row.hash),

    /** Those of the given hashes that a session has, expired or not. */
    existing: async (hashes: Buffer[]): Promise<Buffer[]> =>
      (await db.select({ hash: sessions.hash }).from(sessions).where(inArray(sessions.hash, hashes))).map(
        row => row.hash,
      ),

    async touch(id: string, at: number): Promise<void> {
      await db.update(sessions).set({ lastSeenAt: at }).where(eq(sessions.id, id));
    },

    listOf: (accountId: string, limits: Alive): Promise<SessionRow[]> =>
      db
        .select({
          id: sessions.id,
          accountId: sessions.accountId,
          userAgent: sessions.userAgent,
          sourceIp: sessions.sourceIp,
          createdAt: sessions.createdAt,
          lastSeenAt: sessions.lastSeenAt,
        })
        .from(sessions)
        .where(and(eq(sessions.accountId, accountId), alive(limits)))
        .orderBy(desc(sessions.lastSeenAt), desc(sessions.id)),

    async remove(accountId: string, id: string): Promise<boolean> {
      const { rowsAffected } = await db
        .delete(sessions)
        .where(and(eq(sessions.id, id), eq(sessions.accountId, accountId)));
      return rowsAffected === 1;
    },

    /** The same session under a new token. */
    async rotate(accountId: string, id: string, hash: Buffer): Promise<boolean> {
      const { rowsAffected } = await db
        .update(sessions)
        .set({ hash })
        .where(and(eq(sessions.id, id), eq(sessions.accountId, accountId)));
      return rowsAffected === 1;
    },
  };
}
