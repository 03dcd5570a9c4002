/* Finds the account and the app of an access token: one query for each request with an access token. */
import { and, eq, gt, isNotNull, isNull, notExists } from 'drizzle-orm';
import type { AccountIdentity } from '../../core/access/principal.ts';
import { accountColumns } from '../../db/account-columns.ts';
import type { Drizzle } from '../../db/database.ts';
import { accounts, teams } from '../../db/schema.ts';
import { connectedApps, externalSubjects, oauthClients, oauthGrants } from '../../db/schema-oauth.ts';

/** `grantId` is null for an app of an external issuer. */
export type AuthenticatedApp = AccountIdentity & { appId: string; grantId: string | null };

export type SubjectsStore = ReturnType<typeof createSubjectsStore>;

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
