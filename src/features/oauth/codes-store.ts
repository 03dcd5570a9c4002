/*
 * Authorization codes. Redeeming one is a single transaction of conditional statements: of two concurrent attempts, exactly
 * one finds the code unused.
 */
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { oauthCodes } from '../../db/schema-oauth.ts';

export type CodeRow = typeof oauthCodes.$inferSelect;

type NewGrant = {
  id: string;
  appId: string;
  appName: string;
  /** The code is invalid after this many wrong verifiers. */
  maxWrongVerifiers: number;
  redirectHost: string;
  now: number;
  expiresAt: number;
  /** Absent for a client that does not use refresh tokens. */
  refresh?: { hash: Buffer; idleExpiresAt: number };
};

export type CodesStore = ReturnType<typeof createCodesStore>;

export function createCodesStore(db: Drizzle) {
  return {
    async insert(row: Omit<CodeRow, 'fails' | 'usedGrant'>): Promise<void> {
      await db.insert(oauthCodes).values(row);
    },

    find: (hash: Buffer): Promise<CodeRow | undefined> =>
      db.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get(),

    async countWrongVerifier(hash: Buffer): Promise<void> {
      await db
        .update(oauthCodes)
        .set({ fails: sql`${oauthCodes.fails} + 1` })
        .where(eq(oauthCodes.hash, hash));
    },

    /**
     * Exchanges the code for a grant of its app, and connects the app if it is new.
     * @returns false when the code was used, expired or had too many wrong verifiers in the meantime
     */
    async redeem(hash: Buffer, grant: NewGrant): Promise<boolean> {
      const { id, appId, appName, maxWrongVerifiers, redirectHost, now, expiresAt, refresh } = grant;
      const useCode = db
        .update(oauthCodes)
        .set({ usedGrant: id })
        .where(
          and(
            eq(oauthCodes.hash, hash),
            isNull(oauthCodes.usedGrant),
            lt(oauthCodes.fails, maxWrongVerifiers),
            gt(oauthCodes.expiresAt, now),
          ),
        );
      // Raw, because Drizzle's INSERT … SELECT has to list every column.
      const [used] = await db.batch([
        useCode,
        db.run(sql`INSERT INTO connected_apps (id, account_id, issuer, client_id, name, created_at)
          SELECT ${appId}, account_id, '', client_id, ${appName}, ${now} FROM oauth_codes
          WHERE hash = ${hash} AND used_grant = ${id}
          ON CONFLICT (account_id, issuer, client_id) DO UPDATE SET name = excluded.name`),
        db.run(sql`INSERT INTO oauth_grants (id, app_id, scope, resource, redirect_host, created_at, expires_at)
          SELECT ${id}, a.id, c.scope, c.resource, ${redirectHost}, ${now}, ${expiresAt}
          FROM oauth_codes c JOIN connected_apps a
          ON a.account_id = c.account_id AND a.issuer = '' AND a.client_id = c.client_id
          WHERE c.hash = ${hash} AND c.used_grant = ${id}`),
        ...(refresh
          ? [
              db.run(sql`INSERT INTO oauth_refresh_tokens (hash, grant_id, created_at, idle_expires_at)
                SELECT ${refresh.hash}, id, ${now}, ${refresh.idleExpiresAt} FROM oauth_grants WHERE id = ${id}`),
            ]
          : []),
      ]);
      return used.rowsAffected === 1;
    },
  };
}
