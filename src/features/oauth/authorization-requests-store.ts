/* Authorization requests that wait for the user's consent. Only the SHA-256 of each handle is stored. */
import { and, desc, eq, gt, lt, notInArray } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
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
      const ofAccount = eq(authzRequests.accountId, row.accountId);
      const newest = db
        .select({ hash: authzRequests.hash })
        .from(authzRequests)
        .where(ofAccount)
        .orderBy(desc(authzRequests.expiresAt))
        .limit(limits.perAccount - 1);
      const [, inserted] = await db.batch([
        db.delete(authzRequests).where(and(ofAccount, notInArray(authzRequests.hash, newest))),
        insertIf(db, authzRequests, row, lt(db.$count(authzRequests), limits.total)),
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
