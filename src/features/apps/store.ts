/* The connected apps of an account, and the app of an access token. */
import { and, asc, desc, eq, exists, gt, inArray, isNotNull, isNull, ne, notExists } from 'drizzle-orm';
import type { AccountIdentity } from '../../core/access/principal.ts';
import { accountColumns } from '../../db/account-columns.ts';
import type { Drizzle } from '../../db/database.ts';
import { writeLastUses } from '../../db/last-used.ts';
import { accounts, teams } from '../../db/schema.ts';
import {
  authzRequests,
  connectedApps,
  externalSubjects,
  oauthClients,
  oauthCodes,
  oauthGrants,
} from '../../db/schema-oauth.ts';

type AppRow = typeof connectedApps.$inferSelect;
/** Scope and redirect host of its newest active grant; null for an app of an external issuer. */
export type ListedApp = AppRow & { scope: string | null; redirectHost: string | null };

export type AppsStore = ReturnType<typeof createAppsStore>;

export function createAppsStore(db: Drizzle) {
  const isOwn = (accountId: string, id: string) =>
    and(eq(connectedApps.id, id), eq(connectedApps.accountId, accountId));
  return {
    /** An app of this server is connected while it has an active grant; one of an external issuer until it is revoked. */
    async listOf(accountId: string, now: number): Promise<ListedApp[]> {
      const [granted, external] = await Promise.all([
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
      return [...newest.values(), ...external.map(app => ({ ...app, scope: null, redirectHost: null }))];
    },

    /**
     * Deletes an app of this server with its grants, tokens, API keys, codes and open authorization requests. An app of an
     * external issuer is marked as revoked, so that its tokens stay refused.
     * @returns false when the account has no such connected app
     */
    async remove(accountId: string, id: string, now: number): Promise<boolean> {
      const activeGrant = db
        .select({ id: oauthGrants.id })
        .from(oauthGrants)
        .where(and(eq(oauthGrants.appId, id), isNull(oauthGrants.revokedAt), gt(oauthGrants.expiresAt, now)));
      const isConnected = and(isOwn(accountId, id), eq(connectedApps.issuer, ''), exists(activeGrant));
      const clientIds = db.select({ id: connectedApps.clientId }).from(connectedApps).where(isConnected);
      const [, , deleted, revoked] = await db.batch([
        db.delete(oauthCodes).where(and(eq(oauthCodes.accountId, accountId), inArray(oauthCodes.clientId, clientIds))),
        db
          .delete(authzRequests)
          .where(and(eq(authzRequests.accountId, accountId), inArray(authzRequests.clientId, clientIds))),
        db.delete(connectedApps).where(isConnected),
        db
          .update(connectedApps)
          .set({ revokedAt: now })
          .where(and(isOwn(accountId, id), ne(connectedApps.issuer, ''), isNull(connectedApps.revokedAt))),
      ]);
      return deleted.rowsAffected + revoked.rowsAffected === 1;
    },

    writeLastUses: (lastUses: ReadonlyMap<string, number>) => writeLastUses(db, connectedApps, lastUses),
  };
}

/** `grantId` is null for an app of an external issuer. */
export type AuthenticatedApp = AccountIdentity & { appId: string; grantId: string | null };

export type SubjectsStore = ReturnType<typeof createSubjectsStore>;

/** Finds the account and the app of an access token: one query for each request with an access token. */
export function createSubjectsStore(db: Drizzle) {
  return {
    /** For a token of this server: its grant must be active and belong to this account and client. */
    async findByGrant(
      claims: { grantId: string; accountId: string; clientId: string },
      now: number,
    ): Promise<AuthenticatedApp | undefined> {
      // The operator can disable a client for all accounts.
      const disabledClient = db
        .select({ id: oauthClients.id })
        .from(oauthClients)
        .where(and(eq(oauthClients.id, connectedApps.clientId), isNotNull(oauthClients.disabledAt)));
      const rows = await db
        .select({ ...accountColumns, appId: connectedApps.id, grantId: oauthGrants.id })
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
            notExists(disabledClient),
          ),
        );
      return rows[0];
    },

    /** For a token of an external issuer. `appId` is null when the subject has not used this client before. */
    async findByExternalSubject(issuer: string, subject: string, clientId: string) {
      const rows = await db
        .select({ ...accountColumns, appId: connectedApps.id, revokedAt: connectedApps.revokedAt })
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

    /** Links an external subject to an account. A link that exists is never changed. */
    async linkSubject(row: typeof externalSubjects.$inferInsert): Promise<void> {
      await db.insert(externalSubjects).values(row).onConflictDoNothing();
    },

    async insertAppIfAbsent(row: typeof connectedApps.$inferInsert): Promise<void> {
      await db.insert(connectedApps).values(row).onConflictDoNothing();
    },
  };
}
