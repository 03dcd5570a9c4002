/* API keys. Only the SHA-256 of a key is stored. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { type AccountIdentity, accountColumns } from '../../db/account-columns.ts';
import type { Drizzle } from '../../db/database.ts';
import { writeLastUses } from '../../db/last-used.ts';
import { accounts, apiKeys, teams } from '../../db/schema.ts';
import { connectedApps } from '../../db/schema-oauth.ts';

type KeyRow = {
  id: string;
  name: string;
  last4: string;
  createdAt: number;
  lastUsedAt: number | null;
  appId: string | null;
  appName: string | null;
};
type NewKey = Pick<typeof apiKeys.$inferInsert, 'id' | 'accountId' | 'name' | 'hash' | 'last4' | 'createdAt'>;
/** The connected app that creates a key; `grantId` is null for an app of an external issuer. */
export type CreatingApp = { id: string; grantId: string | null };
export type AuthenticatedKey = AccountIdentity & {
  keyId: string;
  hash: Buffer;
  app: CreatingApp | undefined;
};

const listColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  last4: apiKeys.last4,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  appId: apiKeys.appId,
  appName: connectedApps.name,
};

/**
 * Whether the app may use this server at `now`, by the same rules as for its access tokens. An app of an external issuer has
 * no grant.
 */
const isAppActive = (appId: SQL, grantId: SQL, now: number): SQL => sql`EXISTS (
  SELECT 1 FROM connected_apps a LEFT JOIN oauth_grants g ON g.id = ${grantId} AND g.app_id = a.id
  WHERE a.id = ${appId} AND a.revoked_at IS NULL
    AND (a.issuer <> '' OR (g.revoked_at IS NULL AND g.expires_at > ${now}))
    AND NOT EXISTS (SELECT 1 FROM oauth_clients c WHERE a.issuer = '' AND c.id = a.client_id AND c.disabled_at IS NOT NULL))`;

export type KeysStore = ReturnType<typeof createKeysStore>;

export function createKeysStore(db: Drizzle) {
  const selectListed = () =>
    db.select(listColumns).from(apiKeys).leftJoin(connectedApps, eq(connectedApps.id, apiKeys.appId));

  return {
    listOf: (accountId: string): Promise<KeyRow[]> =>
      selectListed().where(eq(apiKeys.accountId, accountId)).orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),

    /**
     * Checks and inserts in one statement.
     * @returns `full` when the account has `limit` keys, `gone` when the account was deleted or the app disconnected
     */
    async insertWithinLimit(
      limit: number,
      key: NewKey,
      createdBy: CreatingApp | undefined,
      now: number,
    ): Promise<KeyRow | 'full' | 'gone'> {
      const appId = createdBy?.id ?? null;
      const grantId = createdBy?.grantId ?? null;
      const mayCreate = createdBy ? isAppActive(sql`${appId}`, sql`${grantId}`, now) : sql`TRUE`;
      const { rowsAffected } = await db.run(sql`
        INSERT INTO api_keys (id, account_id, name, hash, last4, created_at, app_id, grant_id)
        SELECT ${key.id}, id, ${key.name}, ${key.hash}, ${key.last4}, ${key.createdAt}, ${appId}, ${grantId} FROM accounts
        WHERE id = ${key.accountId} AND ${mayCreate}
          AND (SELECT count(*) FROM api_keys WHERE account_id = accounts.id) < ${limit}`);
      if (rowsAffected === 1) {
        const [row] = await selectListed().where(eq(apiKeys.id, key.id));
        return row ?? 'gone';
      }
      const found = await db
        .select({ id: accounts.id })
        .from(accounts)
        .where(and(eq(accounts.id, key.accountId), mayCreate));
      return found.length > 0 ? 'full' : 'gone';
    },

    /** Finds a valid key. One that an app created is valid only while the app is connected. */
    async findByHash(hash: Buffer, now: number): Promise<AuthenticatedKey | undefined> {
      const rows = await db
        .select({
          keyId: apiKeys.id,
          hash: apiKeys.hash,
          ...accountColumns,
          appId: apiKeys.appId,
          grantId: apiKeys.grantId,
        })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(
          and(
            eq(apiKeys.hash, hash),
            sql`(${apiKeys.appId} IS NULL OR ${isAppActive(sql`${apiKeys.appId}`, sql`${apiKeys.grantId}`, now)})`,
          ),
        );
      const [row] = rows;
      if (!row) return undefined;
      const { appId, grantId, ...key } = row;
      return { ...key, app: appId === null ? undefined : { id: appId, grantId } };
    },

    /** The hashes of all keys. */
    hashes: async (): Promise<Buffer[]> => (await db.select({ hash: apiKeys.hash }).from(apiKeys)).map(row => row.hash),

    /** The given hashes that belong to a key. */
    existing: async (hashes: Buffer[]): Promise<Buffer[]> =>
      (await db.select({ hash: apiKeys.hash }).from(apiKeys).where(inArray(apiKeys.hash, hashes))).map(row => row.hash),

    async remove(accountId: string, id: string): Promise<boolean> {
      const { rowsAffected } = await db
        .delete(apiKeys)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId)));
      return rowsAffected === 1;
    },

    async removeAll(accountId: string): Promise<number> {
      return (await db.delete(apiKeys).where(eq(apiKeys.accountId, accountId))).rowsAffected;
    },

    async removeById(id: string): Promise<boolean> {
      return (await db.delete(apiKeys).where(eq(apiKeys.id, id))).rowsAffected === 1;
    },

    writeLastUses: (lastUses: ReadonlyMap<string, number>) => writeLastUses(db, apiKeys, lastUses),
  };
}
