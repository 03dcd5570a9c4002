/* OAuth clients: static, registered dynamically (`dcr`) and described by a client ID metadata document (`cimd`). */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { oauthClients } from '../../db/schema-oauth.ts';

export type ClientRow = typeof oauthClients.$inferSelect;

export type ClientsStore = ReturnType<typeof createClientsStore>;

export function createClientsStore(db: Drizzle) {
  return {
    /** Finds a client unless it is disabled. */
    find: async (id: string): Promise<ClientRow | undefined> =>
      (
        await db
          .select()
          .from(oauthClients)
          .where(and(eq(oauthClients.id, id), isNull(oauthClients.disabledAt)))
      )[0],

    /** @returns false, and inserts nothing, when there are already `limit` clients */
    async insertWithinLimit(limit: number, row: ClientRow): Promise<boolean> {
      const { rowsAffected } = await db.run(sql`
        INSERT INTO oauth_clients (id, kind, name, redirect_uris, auth_methods, secret_hash, may_refresh, created_at)
        SELECT ${row.id}, ${row.kind}, ${row.name}, ${JSON.stringify(row.redirectUris)}, ${row.authMethods},
               ${row.secretHash}, ${row.mayRefresh ? 1 : 0}, ${row.createdAt}
        WHERE (SELECT count(*) FROM oauth_clients) < ${limit}`);
      return rowsAffected === 1;
    },

    /** Stores the current content of a metadata document. A disabled client stays disabled. */
    async upsertFromDocument(row: ClientRow): Promise<void> {
      const { name, redirectUris, authMethods, mayRefresh, fetchedAt, freshUntil } = row;
      await db.insert(oauthClients).values(row).onConflictDoUpdate({
        target: oauthClients.id,
        set: { name, redirectUris, authMethods, mayRefresh, fetchedAt, freshUntil },
      });
    },
  };
}
