/* Deletes expired codes, requests and grants, apps without a grant, and clients that no account is connected to. */
import { and, eq, inArray, isNull, lt, lte, notExists, or } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import {
  authzRequests,
  connectedApps,
  keyLogins,
  oauthClients,
  oauthCodes,
  oauthGrants,
} from '../../db/schema-oauth.ts';

/** The most rows of one table that a batch deletes. */
const batchRows = 500;

/** Rows last used or ended before these times are deleted. */
type CleanupCutoffs = { clients: number; documents: number; grants: number };

export function createCleanupStore(db: Drizzle) {
  return {
    /** Deletes at most 500 rows of each table. @returns whether there may be more */
    async deleteBatch(now: number, olderThan: CleanupCutoffs): Promise<boolean> {
      const codes = db
        .select({ hash: oauthCodes.hash })
        .from(oauthCodes)
        .where(lt(oauthCodes.expiresAt, olderThan.grants))
        .limit(batchRows);
      const requests = db
        .select({ hash: authzRequests.hash })
        .from(authzRequests)
        .where(lte(authzRequests.expiresAt, now))
        .limit(batchRows);
      const logins = db
        .select({ hash: keyLogins.hash })
        .from(keyLogins)
        .where(lte(keyLogins.expiresAt, now))
        .limit(batchRows);
      const grants = db
        .select({ id: oauthGrants.id })
        .from(oauthGrants)
        .where(or(lte(oauthGrants.expiresAt, now), lt(oauthGrants.revokedAt, olderThan.grants)))
        .limit(batchRows);
      const grantOfApp = db
        .select({ id: oauthGrants.id })
        .from(oauthGrants)
        .where(eq(oauthGrants.appId, connectedApps.id));
      const apps = db
        .select({ id: connectedApps.id })
        .from(connectedApps)
        .where(and(eq(connectedApps.issuer, ''), lt(connectedApps.createdAt, olderThan.grants), notExists(grantOfApp)))
        .limit(batchRows);
      const appOfClient = db
        .select({ id: connectedApps.id })
        .from(connectedApps)
        .where(and(eq(connectedApps.clientId, oauthClients.id), eq(connectedApps.issuer, '')));
      const clients = db
        .select({ id: oauthClients.id })
        .from(oauthClients)
        .where(
          and(
            isNull(oauthClients.disabledAt),
            or(
              and(eq(oauthClients.kind, 'dcr'), lt(oauthClients.createdAt, olderThan.clients)),
              and(eq(oauthClients.kind, 'cimd'), lt(oauthClients.fetchedAt, olderThan.documents)),
            ),
            notExists(appOfClient),
          ),
        )
        .limit(batchRows);
      const results = await db.batch([
        db.delete(oauthCodes).where(inArray(oauthCodes.hash, codes)),
        db.delete(authzRequests).where(inArray(authzRequests.hash, requests)),
        db.delete(keyLogins).where(inArray(keyLogins.hash, logins)),
        db.delete(oauthGrants).where(inArray(oauthGrants.id, grants)),
        db.delete(connectedApps).where(inArray(connectedApps.id, apps)),
        db.delete(oauthClients).where(inArray(oauthClients.id, clients)),
      ]);
      return results.some(({ rowsAffected }) => rowsAffected >= batchRows);
    },
  };
}
