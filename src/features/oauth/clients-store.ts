/* OAuth clients: static, registered dynamically (`dcr`) and described by a client ID metadata document (`cimd`). */
import { and, eq, isNull, lt } from 'drizzle-orm';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { oauthClients } from '../../db/schema-oauth.ts';

export type ClientRow = typeof oauthClients.$inferSelect;

export type ClientsStore = ReturnType<typeof createClientsStore>;

export function createClientsStore(db: Drizzle) {
  return {
    /** Finds a client unless it is disabled. */
    find: (id: string): Promise<ClientRow | undefined> =>
      db
        .select()
        .from(oauthClients)
        .where(and(eq(oauthClients.id, id), isNull(oauthClients.disabledAt)))
        .get(),

    /** @returns false, and inserts nothing, when there are already `limit` clients */
    insertWithinLimit: (limit: number, row: ClientRow): Promise<boolean> =>
      changesOne(insertIf(db, oauthClients, row, lt(db.$count(oauthClients), limit))),

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
