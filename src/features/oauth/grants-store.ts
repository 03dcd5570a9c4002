/*
 * Codes, grants and refresh tokens. What must happen once is one transaction of conditional statements, decided by what they
 * changed: of two that come together exactly one finds its condition true. A grant that is revoked takes the app's own API
 * keys, unused codes and open requests with it (migrations/0004_bind_keys_to_apps.sql).
 */
import type { Client } from '@libsql/client';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { authzRequests, connectedApps, oauthCodes, oauthGrants, oauthRefreshTokens } from '../../db/schema-oauth.ts';

export type CodeRow = typeof oauthCodes.$inferSelect;
export type AuthzRow = typeof authzRequests.$inferSelect;
export type RefreshRow = {
  grantId: string;
  clientId: string;
  accountId: string;
  scope: string;
  resource: string;
  rotatedAt: number | null;
};

export type NewGrant = {
  id: string;
  appId: string;
  appName: string;
  /** Wrong verifiers after which the code is dead. */
  maxCodeFails: number;
  redirectHost: string;
  now: number;
  expiresAt: number;
  /** Absent for a client that does not use refresh tokens. */
  refresh?: { hash: Buffer; idleExpiresAt: number };
};

export type RevocationReason = 'code_reuse' | 'refresh_reuse' | 'revoked' | 'signed_out_everywhere';

export type TokensStore = ReturnType<typeof createTokensStore>;

export function createTokensStore(db: Drizzle, client: Pick<Client, 'batch' | 'execute'>) {
  const liveGrant = (now: number) => and(isNull(oauthGrants.revokedAt), gt(oauthGrants.expiresAt, now));
  return {
    /**
     * Inserts unless there are `limits.total` requests already; false when there are. An account that has
     * `limits.perAccount` requests loses its oldest.
     */
    async insertRequest(row: AuthzRow, limits: { perAccount: number; total: number }): Promise<boolean> {
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

    /** Takes it out: a second taker finds nothing. Only for the session that it was made for. */
    async takeRequest(hash: Buffer, who: { accountId: string; sessionId: string }, now: number) {
      const rows = await db
        .delete(authzRequests)
        .where(
          and(
            eq(authzRequests.hash, hash),
            eq(authzRequests.accountId, who.accountId),
            eq(authzRequests.sessionId, who.sessionId),
            gt(authzRequests.expiresAt, now),
          ),
        )
        .returning();
      return rows[0];
    },

    async insertCode(row: Omit<CodeRow, 'fails' | 'usedGrant'>): Promise<void> {
      await db.insert(oauthCodes).values(row);
    },

    findCode: async (hash: Buffer): Promise<CodeRow | undefined> =>
      (await db.select().from(oauthCodes).where(eq(oauthCodes.hash, hash)))[0],

    async failCode(hash: Buffer): Promise<void> {
      await db.update(oauthCodes).set({ fails: sql`fails + 1` }).where(eq(oauthCodes.hash, hash));
    },

    /** Turns the code into a grant, once. False when it was used, worn out or expired meanwhile. */
    async redeemCode(hash: Buffer, grant: NewGrant): Promise<boolean> {
      const { id, appId, appName, maxCodeFails, redirectHost, now, expiresAt, refresh } = grant;
      const results = await client.batch(
        [
          {
            sql: `UPDATE oauth_codes SET used_grant = ?
                  WHERE hash = ? AND used_grant IS NULL AND fails < ? AND expires_at > ?`,
            args: [id, hash, maxCodeFails, now],
          },
          {
            sql: `INSERT INTO connected_apps (id, account_id, issuer, client_id, name, created_at)
                  SELECT ?, account_id, '', client_id, ?, ? FROM oauth_codes WHERE hash = ? AND used_grant = ?
                  ON CONFLICT (account_id, issuer, client_id) DO UPDATE SET name = excluded.name`,
            args: [appId, appName, now, hash, id],
          },
          {
            sql: `INSERT INTO oauth_grants (id, app_id, scope, resource, redirect_host, created_at, expires_at)
                  SELECT ?, a.id, c.scope, c.resource, ?, ?, ? FROM oauth_codes c JOIN connected_apps a
                  ON a.account_id = c.account_id AND a.issuer = '' AND a.client_id = c.client_id
                  WHERE c.hash = ? AND c.used_grant = ?`,
            args: [id, redirectHost, now, expiresAt, hash, id],
          },
          ...(refresh
            ? [
                {
                  sql: `INSERT INTO oauth_refresh_tokens (hash, grant_id, created_at, idle_expires_at)
                        SELECT ?, id, ?, ? FROM oauth_grants WHERE id = ?`,
                  args: [refresh.hash, now, refresh.idleExpiresAt, id],
                },
              ]
            : []),
        ],
        'write',
      );
      return results[0]?.rowsAffected === 1;
    },

    /** What never changes of a refresh token, and whether it was rotated; of any grant, dead or alive. */
    async findRefresh(hash: Buffer): Promise<RefreshRow | undefined> {
      const rows = await db
        .select({
          grantId: oauthGrants.id,
          clientId: connectedApps.clientId,
          accountId: connectedApps.accountId,
          scope: oauthGrants.scope,
          resource: oauthGrants.resource,
          rotatedAt: oauthRefreshTokens.rotatedAt,
        })
        .from(oauthRefreshTokens)
        .innerJoin(oauthGrants, eq(oauthGrants.id, oauthRefreshTokens.grantId))
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .where(eq(oauthRefreshTokens.hash, hash));
      return rows[0];
    },

    /**
     * Puts `next` in the place of `hash`, or beside its successor within the grace window. A token that comes back after
     * that was stolen, or its successor was: the grant dies.
     */
    async rotate(
      hash: Buffer,
      next: { hash: Buffer; idleExpiresAt: number },
      now: number,
      graceMs: number,
    ): Promise<boolean> {
      const results = await client.batch(
        [
          {
            sql: `UPDATE oauth_refresh_tokens SET rotated_at = ?, successor = ?
                  WHERE hash = ? AND rotated_at IS NULL AND idle_expires_at > ? AND EXISTS
                  (SELECT 1 FROM oauth_grants g WHERE g.id = grant_id AND g.revoked_at IS NULL AND g.expires_at > ?)`,
            args: [now, next.hash, hash, now, now],
          },
          {
            sql: `INSERT INTO oauth_refresh_tokens (hash, grant_id, parent, created_at, idle_expires_at)
                  SELECT ?, r.grant_id, r.hash, ?, ? FROM oauth_refresh_tokens r JOIN oauth_grants g ON g.id = r.grant_id
                  WHERE r.hash = ? AND g.revoked_at IS NULL AND g.expires_at > ?
                  AND (r.successor = ? OR r.rotated_at > ?)`,
            args: [next.hash, now, next.idleExpiresAt, hash, now, next.hash, now - graceMs],
          },
          {
            sql: `UPDATE oauth_grants SET revoked_at = ?, reason = 'refresh_reuse' WHERE revoked_at IS NULL
                  AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens WHERE hash = ?)
                  AND id = (SELECT grant_id FROM oauth_refresh_tokens WHERE hash = ? AND rotated_at IS NOT NULL)`,
            args: [now, next.hash, hash],
          },
        ],
        'write',
      );
      return results[1]?.rowsAffected === 1;
    },

    async revokeGrant(id: string, now: number, reason: RevocationReason): Promise<void> {
      await db
        .update(oauthGrants)
        .set({ revokedAt: now, reason })
        .where(and(eq(oauthGrants.id, id), isNull(oauthGrants.revokedAt)));
    },

    /** Every grant of an account, and its authorizations that are under way. @returns how many grants were alive */
    async revokeGrantsOf(accountId: string, now: number, reason: RevocationReason): Promise<number> {
      const [, , revoked] = await db.batch([
        db.delete(oauthCodes).where(and(eq(oauthCodes.accountId, accountId), isNull(oauthCodes.usedGrant))),
        db.delete(authzRequests).where(eq(authzRequests.accountId, accountId)),
        db
          .update(oauthGrants)
          .set({ revokedAt: now, reason })
          .where(and(liveGrant(now), sql`app_id IN (SELECT id FROM connected_apps WHERE account_id = ${accountId})`)),
      ]);
      return revoked.rowsAffected;
    },

    grantIds: async (): Promise<string[]> =>
      (await db.select({ id: oauthGrants.id }).from(oauthGrants)).map(row => row.id),

    /** Whether this person has let this client in, and that still holds. */
    async isConnected(accountId: string, clientId: string, now: number): Promise<boolean> {
      const rows = await db
        .select({ id: oauthGrants.id })
        .from(oauthGrants)
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .where(
          and(
            eq(connectedApps.accountId, accountId),
            eq(connectedApps.issuer, ''),
            eq(connectedApps.clientId, clientId),
            liveGrant(now),
          ),
        )
        .limit(1);
      return rows.length > 0;
    },
  };
}
