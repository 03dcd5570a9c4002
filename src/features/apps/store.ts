/* Connected apps, and the one read that every request with an access token makes. */

import { and, asc, desc, eq, gt, inArray, isNull, ne, sql } from 'drizzle-orm';
import type { AccountHolder } from '../../core/principal.ts';
import type { Drizzle } from '../../db/database.ts';
import { lastUsedCase } from '../../db/last-used.ts';
import { accounts, teams } from '../../db/schema.ts';
import { authzRequests, connectedApps, externalSubjects, oauthCodes, oauthGrants } from '../../db/schema-oauth.ts';

/** `grantId` is null for an app of a foreign issuer. */
export type AppHolder = AccountHolder & { appId: string; grantId: string | null };
export type AppRow = typeof connectedApps.$inferSelect;
export type ListedApp = AppRow & { scope: string | null; redirectHost: string | null };

const holder = {
  accountId: accounts.id,
  email: accounts.email,
  role: accounts.role,
  teamId: teams.id,
  plan: teams.plan,
};

export type AppsStore = ReturnType<typeof createAppsStore>;

export function createAppsStore(db: Drizzle) {
  const own = (accountId: string, id: string) => and(eq(connectedApps.id, id), eq(connectedApps.accountId, accountId));
  return {
    /** Who a token of this server speaks for: its grant, app and account must all be alive and belong together. */
    async grantHolder(
      claims: { grantId: string; accountId: string; clientId: string },
      now: number,
    ): Promise<AppHolder | undefined> {
      const rows = await db
        .select({ ...holder, appId: connectedApps.id, grantId: oauthGrants.id })
        .from(oauthGrants)
        .innerJoin(connectedApps, eq(connectedApps.id, oauthGrants.appId))
        .innerJoin(accounts, eq(accounts.id, connectedApps.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(
          and(
            eq(oauthGrants.id, claims.grantId),
            isNull(oauthGrants.revokedAt),
            gt(oauthGrants.expiresAt, now),
            eq(connectedApps.issuer, ''),
            eq(connectedApps.clientId, claims.clientId),
            isNull(connectedApps.revokedAt),
            eq(accounts.id, claims.accountId),
            // A client that the operator switched off is off for everybody.
            sql`NOT EXISTS (SELECT 1 FROM oauth_clients c WHERE c.id = ${connectedApps.clientId} AND c.disabled_at IS NOT NULL)`,
          ),
        );
      return rows[0];
    },

    /** Who a foreign subject is; `appId` is null before its client was seen. */
    async externalHolder(issuer: string, subject: string, clientId: string) {
      const rows = await db
        .select({ ...holder, appId: connectedApps.id, revokedAt: connectedApps.revokedAt })
        .from(externalSubjects)
        .innerJoin(accounts, eq(accounts.id, externalSubjects.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .leftJoin(
          connectedApps,
          and(
            eq(connectedApps.accountId, accounts.id),
            eq(connectedApps.issuer, issuer),
            eq(connectedApps.clientId, clientId),
          ),
        )
        .where(and(eq(externalSubjects.issuer, issuer), eq(externalSubjects.subject, subject)));
      return rows[0];
    },

    /** The first link of a subject stays. */
    async linkSubject(row: typeof externalSubjects.$inferInsert): Promise<void> {
      await db.insert(externalSubjects).values(row).onConflictDoNothing();
    },

    async insertUnlessThere(row: Omit<AppRow, 'lastUsedAt' | 'revokedAt'>): Promise<void> {
      await db.insert(connectedApps).values(row).onConflictDoNothing();
    },

    /** With the newest living grant of each; an app of this server without one is not connected any more. */
    async listOf(accountId: string, now: number): Promise<ListedApp[]> {
      const [granted, foreign] = await Promise.all([
        db
          .select({ app: connectedApps, scope: oauthGrants.scope, redirectHost: oauthGrants.redirectHost })
          .from(connectedApps)
          .innerJoin(oauthGrants, eq(oauthGrants.appId, connectedApps.id))
          .where(
            and(
              eq(connectedApps.accountId, accountId),
              eq(connectedApps.issuer, ''),
              isNull(oauthGrants.revokedAt),
              gt(oauthGrants.expiresAt, now),
            ),
          )
          .orderBy(asc(connectedApps.createdAt), asc(connectedApps.id), desc(oauthGrants.createdAt)),
        db
          .select()
          .from(connectedApps)
          .where(
            and(eq(connectedApps.accountId, accountId), ne(connectedApps.issuer, ''), isNull(connectedApps.revokedAt)),
          )
          .orderBy(asc(connectedApps.createdAt), asc(connectedApps.id)),
      ]);
      const newest = new Map<string, ListedApp>();
      for (const { app, ...grant } of granted) if (!newest.has(app.id)) newest.set(app.id, { ...app, ...grant });
      return [...newest.values(), ...foreign.map(app => ({ ...app, scope: null, redirectHost: null }))];
    },

    /**
     * Grants, tokens, the app's own keys and authorizations that are under way go with the app; one of a foreign issuer stays
     * as the refusal of its tokens.
     */
    async remove(accountId: string, id: string, now: number): Promise<boolean> {
      const connected = and(
        own(accountId, id),
        eq(connectedApps.issuer, ''),
        sql`EXISTS (SELECT 1 FROM oauth_grants g WHERE g.app_id = ${id} AND g.revoked_at IS NULL AND g.expires_at > ${now})`,
      );
      const itsClient = db.select({ id: connectedApps.clientId }).from(connectedApps).where(connected);
      const [, , removed, refused] = await db.batch([
        db.delete(oauthCodes).where(and(eq(oauthCodes.accountId, accountId), inArray(oauthCodes.clientId, itsClient))),
        db
          .delete(authzRequests)
          .where(and(eq(authzRequests.accountId, accountId), inArray(authzRequests.clientId, itsClient))),
        db.delete(connectedApps).where(connected),
        db
          .update(connectedApps)
          .set({ revokedAt: now })
          .where(and(own(accountId, id), ne(connectedApps.issuer, ''), isNull(connectedApps.revokedAt))),
      ]);
      return removed.rowsAffected + refused.rowsAffected === 1;
    },

    /** Keeps the newest use of each app. */
    async recordUse(uses: ReadonlyMap<string, number>): Promise<void> {
      const ids = [...uses.keys()];
      if (ids.length === 0) return;
      await db
        .update(connectedApps)
        .set({ lastUsedAt: lastUsedCase(uses) })
        .where(inArray(connectedApps.id, ids));
    },
  };
}
