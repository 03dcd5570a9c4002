/*
 * Grants and their refresh tokens. Rotation is one transaction of conditional statements. A trigger ends everything else that
 * a revoked grant allowed: the app's API keys, unused codes and open authorization requests
 * (migrations/0004_bind_keys_to_apps.sql).
 */
import type { Client } from '@libsql/client';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { authzRequests, connectedApps, oauthCodes, oauthGrants, oauthRefreshTokens } from '../../db/schema-oauth.ts';

type RefreshTokenRow = {
  grantId: string;
  clientId: string;
  accountId: string;
  scope: string;
  resource: string;
};

export type RevocationReason = 'code_reuse' | 'refresh_reuse' | 'revoked' | 'signed_out_everywhere';

export type GrantsStore = ReturnType<typeof createGrantsStore>;

/** The statements that replace a refresh token. What they do depends on the state of the token and of its grant. */
const rotation = (
  hash: Buffer,
  next: { hash: Buffer; idleExpiresAt: number },
  { now, graceMs }: { now: number; graceMs: number },
) => [
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
];

export function createGrantsStore(db: Drizzle, client: Pick<Client, 'batch'>) {
  const isActive = (now: number) => and(isNull(oauthGrants.revokedAt), gt(oauthGrants.expiresAt, now));
  return {
    /** Finds the token whether or not it was rotated and whether or not its grant is active. */
    async findRefreshToken(hash: Buffer): Promise<RefreshTokenRow | undefined> {
      const rows = await db
        .select({
          grantId: oauthGrants.id,
          clientId: connectedApps.clientId,
          accountId: connectedApps.accountId,
          scope: oauthGrants.scope,
          resource: oauthGrants.resource,
        })
        .from(oauthRefreshTokens)
        .innerJoin(oauthGrants, eq(oauthGrants.id, oauthRefreshTokens.grantId))
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .where(eq(oauthRefreshTokens.hash, hash));
      return rows[0];
    },

    /**
     * Replaces a refresh token by `next`. Within the grace window a token that was rotated already gets another successor;
     * after it, either the token or its successor was stolen, and the grant is revoked.
     * @returns whether `next` is valid now
     */
    async rotateRefreshToken(
      hash: Buffer,
      next: { hash: Buffer; idleExpiresAt: number },
      times: { now: number; graceMs: number },
    ): Promise<boolean> {
      const results = await client.batch(rotation(hash, next, times), 'write');
      return results[1]?.rowsAffected === 1;
    },

    async revoke(id: string, now: number, reason: RevocationReason): Promise<void> {
      await db
        .update(oauthGrants)
        .set({ revokedAt: now, reason })
        .where(and(eq(oauthGrants.id, id), isNull(oauthGrants.revokedAt)));
    },

    /** Revokes all grants of an account and deletes its unused codes and open requests. @returns how many were active */
    async revokeAll(accountId: string, now: number, reason: RevocationReason): Promise<number> {
      const [, , revoked] = await db.batch([
        db.delete(oauthCodes).where(and(eq(oauthCodes.accountId, accountId), isNull(oauthCodes.usedGrant))),
        db.delete(authzRequests).where(eq(authzRequests.accountId, accountId)),
        db
          .update(oauthGrants)
          .set({ revokedAt: now, reason })
          .where(and(isActive(now), sql`app_id IN (SELECT id FROM connected_apps WHERE account_id = ${accountId})`)),
      ]);
      return revoked.rowsAffected;
    },

    /** The ids of all grants, active or not. */
    ids: async (): Promise<string[]> => (await db.select({ id: oauthGrants.id }).from(oauthGrants)).map(row => row.id),

    /** Whether the account has an active grant for this client. */
    async hasActive(accountId: string, clientId: string, now: number): Promise<boolean> {
      const rows = await db
        .select({ id: oauthGrants.id })
        .from(oauthGrants)
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .where(
          and(
            eq(connectedApps.accountId, accountId),
            eq(connectedApps.issuer, ''),
            eq(connectedApps.clientId, clientId),
            isActive(now),
          ),
        )
        .limit(1);
      return rows.length > 0;
    },
  };
}
