/* Authorization requests that wait for the user's consent. Only the SHA-256 of each handle is stored. */
import { and, eq, gt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { authzRequests } from '../../db/schema-oauth.ts';

type AuthorizationRequestRow = typeof authzRequests.$inferSelect;

export type AuthorizationRequestsStore = ReturnType<typeof createAuthorizationRequestsStore>;

export function createAuthorizationRequestsStore(db: Drizzle) {
  return {
    /**
     * An account that already has `limits.perAccount` requests loses its oldest one.
     * @returns false, and inserts nothing, when there are `limits.total` requests
     */
    async insert(row: AuthorizationRequestRow, limits: { perAccount: number; total: number }): Promise<boolean> {
      const { hash, accountId, sessionId, clientId, redirectUri, state, challenge, scope, resource, expiresAt } = row;
      const [, inserted] = await db.batch([
        db.run(sql`DELETE FROM authz_requests WHERE account_id = ${accountId} AND hash IN (SELECT hash
          FROM authz_requests WHERE account_id = ${accountId} ORDER BY expires_at DESC LIMIT -1 OFFSET ${limits.perAccount - 1})`),
        db.run(sql`INSERT INTO authz_requests
          (hash, account_id, session_id, client_id, redirect_uri, state, challenge, scope, resource, expires_at)
          SELECT ${hash}, ${accountId}, ${sessionId}, ${clientId}, ${redirectUri}, ${state}, ${challenge}, ${scope},
                 ${resource}, ${expiresAt}
          WHERE (SELECT count(*) FROM authz_requests) < ${limits.total}`),
      ]);
      return inserted.rowsAffected === 1;
    },

    /** Deletes and returns the request, so that it is used once, and only in the session that it was made in. */
    async take(
      hash: Buffer,
      session: { accountId: string; sessionId: string },
      now: number,
    ): Promise<AuthorizationRequestRow | undefined> {
      const rows = await db
        .delete(authzRequests)
        .where(
          and(
            eq(authzRequests.hash, hash),
            eq(authzRequests.accountId, session.accountId),
            eq(authzRequests.sessionId, session.sessionId),
            gt(authzRequests.expiresAt, now),
          ),
        )
        .returning();
      return rows[0];
    },
  };
}
