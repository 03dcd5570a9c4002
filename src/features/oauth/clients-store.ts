/* Clients of the authorization server. */
import type { Client } from '@libsql/client';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { oauthClients } from '../../db/schema-oauth.ts';

export type ClientRow = typeof oauthClients.$inferSelect;

export type ClientsStore = ReturnType<typeof createClientsStore>;

/** How many rows one sweep of a table removes at most. */
const sweepRows = 500;

export function createClientsStore(db: Drizzle, client: Pick<Client, 'batch'>) {
  return {
    /** A client that is not disabled. */
    find: async (id: string): Promise<ClientRow | undefined> =>
      (
        await db
          .select()
          .from(oauthClients)
          .where(and(eq(oauthClients.id, id), isNull(oauthClients.disabledAt)))
      )[0],

    /** Inserts unless there are already `limit` clients that registered themselves; false when there are. */
    async insertWithin(limit: number, row: ClientRow): Promise<boolean> {
      const { rowsAffected } = await db.run(sql`
        INSERT INTO oauth_clients (id, kind, name, redirect_uris, auth_methods, secret_hash, may_refresh, created_at)
        SELECT ${row.id}, ${row.kind}, ${row.name}, ${JSON.stringify(row.redirectUris)}, ${row.authMethods},
               ${row.secretHash}, ${row.mayRefresh ? 1 : 0}, ${row.createdAt}
        WHERE (SELECT count(*) FROM oauth_clients) < ${limit}`);
      return rowsAffected === 1;
    },

    /** What a metadata document says now. A client that was disabled stays so. */
    async putDocument(row: ClientRow): Promise<void> {
      const { name, redirectUris, authMethods, mayRefresh, fetchedAt, freshUntil } = row;
      await db.insert(oauthClients).values(row).onConflictDoUpdate({
        target: oauthClients.id,
        set: { name, redirectUris, authMethods, mayRefresh, fetchedAt, freshUntil },
      });
    },

    /** Forgets what nobody uses any more, a bounded number of rows of each table. @returns whether there may be more */
    async sweep(now: number, olderThan: { clients: number; documents: number; grants: number }): Promise<boolean> {
      const unconnected = `NOT EXISTS (SELECT 1 FROM connected_apps a WHERE a.client_id = c.id AND a.issuer = '')`;
      const results = await client.batch(
        [
          {
            sql: `DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes
                  WHERE expires_at < ? LIMIT ${sweepRows})`,
            args: [olderThan.grants],
          },
          {
            sql: `DELETE FROM authz_requests WHERE hash IN (SELECT hash FROM authz_requests
                  WHERE expires_at <= ? LIMIT ${sweepRows})`,
            args: [now],
          },
          {
            sql: `DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants
                  WHERE expires_at <= ? OR revoked_at < ? LIMIT ${sweepRows})`,
            args: [now, olderThan.grants],
          },
          {
            sql: `DELETE FROM connected_apps WHERE id IN (SELECT id FROM connected_apps a WHERE a.issuer = ''
                  AND a.created_at < ? AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.app_id = a.id) LIMIT ${sweepRows})`,
            args: [olderThan.grants],
          },
          {
            sql: `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients c WHERE disabled_at IS NULL AND
                  ((kind = 'dcr' AND created_at < ?) OR (kind = 'cimd' AND fetched_at < ?)) AND ${unconnected} LIMIT ${sweepRows})`,
            args: [olderThan.clients, olderThan.documents],
          },
        ],
        'write',
      );
      return results.some(({ rowsAffected }) => rowsAffected >= sweepRows);
    },
  };
}
