/*
 * Grants and their refresh tokens. Rotation is one transaction of conditional statements. A trigger ends everything else that
 * a revoked grant allowed: the app's API keys, unused codes and open authorization requests
 * (migrations/0004_bind_keys_to_apps.sql).
 */
import { and, eq, exists, gt, inArray, isNotNull, isNull, notExists, sql } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import type { Drizzle } from '../../db/database.ts';
import { authzRequests, connectedApps, oauthCodes, oauthGrants, oauthRefreshTokens } from '../../db/schema-oauth.ts';

export type RevocationReason = 'code_reuse' | 'refresh_reuse' | 'revoked' | 'signed_out_everywhere';

export type GrantsStore = ReturnType<typeof createGrantsStore>;

export function createGrantsStore(db: Drizzle) {
  const isActive = (now: number) => and(isNull(oauthGrants.revokedAt), gt(oauthGrants.expiresAt, now));

  /** The statements that replace a refresh token. What they do depends on the state of the token and of its grant. */
  const rotation = (
    hash: Buffer,
    next: { hash: Buffer; idleExpiresAt: number },
    { now, graceMs }: { now: number; graceMs: number },
  ) => {
    const tokens = oauthRefreshTokens;
    const activeGrant = db
      .select({ id: oauthGrants.id })
      .from(oauthGrants)
      .where(and(eq(oauthGrants.id, tokens.grantId), isActive(now)));
    const successor = db.select({ hash: tokens.hash }).from(tokens).where(eq(tokens.hash, next.hash));
    const grantOfReusedToken = db
      .select({ id: tokens.grantId })
      .from(tokens)
      .where(and(eq(tokens.hash, hash), isNotNull(tokens.rotatedAt)));
    return [
      db
        .update(tokens)
        .set({ rotatedAt: now, successor: next.hash })
        .where(
          and(eq(tokens.hash, hash), isNull(tokens.rotatedAt), gt(tokens.idleExpiresAt, now), exists(activeGrant)),
        ),
      // Raw, because Drizzle's INSERT … SELECT has to list every column.
      db.run(sql`INSERT INTO oauth_refresh_tokens (hash, grant_id, parent, created_at, idle_expires_at)
        SELECT ${next.hash}, r.grant_id, r.hash, ${now}, ${next.idleExpiresAt}
        FROM oauth_refresh_tokens r JOIN oauth_grants g ON g.id = r.grant_id
        WHERE r.hash = ${hash} AND g.revoked_at IS NULL AND g.expires_at > ${now}
        AND (r.successor = ${next.hash} OR r.rotated_at > ${now - graceMs})`),
      db
        .update(oauthGrants)
        .set({ revokedAt: now, reason: 'refresh_reuse' })
        .where(and(isNull(oauthGrants.revokedAt), notExists(successor), eq(oauthGrants.id, grantOfReusedToken))),
    ] as const;
  };

  return {
    /** Finds the token whether or not it was rotated and whether or not its grant is active. */
    findRefreshToken: (hash: Buffer) =>
      db
        .select({
          grantId: oauthGrants.id,
          ...pick(connectedApps, 'clientId', 'accountId'),
          ...pick(oauthGrants, 'scope', 'resource'),
        })
        .from(oauthRefreshTokens)
        .innerJoin(oauthGrants, eq(oauthGrants.id, oauthRefreshTokens.grantId))
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .where(eq(oauthRefreshTokens.hash, hash))
        .get(),

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
      const [, inserted] = await db.batch(rotation(hash, next, times));
      return inserted.rowsAffected === 1;
    },

    async revoke(id: string, now: number, reason: RevocationReason): Promise<void> {
      await db
        .update(oauthGrants)
        .set({ revokedAt: now, reason })
        .where(and(eq(oauthGrants.id, id), isNull(oauthGrants.revokedAt)));
    },

    /** Revokes all grants of an account and deletes its unused codes and open requests. @returns how many were active */
    async revokeAll(accountId: string, now: number, reason: RevocationReason): Promise<number> {
      const apps = db
        .select({ id: connectedApps.id })
        .from(connectedApps)
        .where(eq(connectedApps.accountId, accountId));
      const [, , revoked] = await db.batch([
        db.delete(oauthCodes).where(and(eq(oauthCodes.accountId, accountId), isNull(oauthCodes.usedGrant))),
        db.delete(authzRequests).where(eq(authzRequests.accountId, accountId)),
        db
          .update(oauthGrants)
          .set({ revokedAt: now, reason })
          .where(and(isActive(now), inArray(oauthGrants.appId, apps))),
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
