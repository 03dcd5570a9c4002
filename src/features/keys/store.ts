/* API keys. Only a SHA-256 of each is stored. */

import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { AccountHolder, ActingApp } from '../../core/principal.ts';
import type { Drizzle } from '../../db/database.ts';
import { lastUsedCase } from '../../db/last-used.ts';
import { accounts, apiKeys, teams } from '../../db/schema.ts';
import { connectedApps } from '../../db/schema-oauth.ts';

export type KeyRow = {
  id: string;
  name: string;
  last4: string;
  createdAt: number;
  lastUsedAt: number | null;
  appId: string | null;
  appName: string | null;
};
export type NewKey = Pick<typeof apiKeys.$inferInsert, 'id' | 'accountId' | 'name' | 'hash' | 'last4' | 'createdAt'>;
export type KeyHolder = AccountHolder & { keyId: string; hash: Buffer; app: ActingApp | undefined };

const metadata = {
  id: apiKeys.id,
  name: apiKeys.name,
  last4: apiKeys.last4,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  appId: apiKeys.appId,
  appName: connectedApps.name,
};

/** Whether this app is connected at `now`, under this grant unless the app is a foreign issuer's. As for its tokens. */
const isConnected = (appId: SQL, grantId: SQL, now: number): SQL => sql`EXISTS (
  SELECT 1 FROM connected_apps a LEFT JOIN oauth_grants g ON g.id = ${grantId} AND g.app_id = a.id
  WHERE a.id = ${appId} AND a.revoked_at IS NULL
    AND (a.issuer <> '' OR (g.revoked_at IS NULL AND g.expires_at > ${now}))
    AND NOT EXISTS (SELECT 1 FROM oauth_clients c WHERE a.issuer = '' AND c.id = a.client_id AND c.disabled_at IS NOT NULL))`;

export type KeysStore = ReturnType<typeof createKeysStore>;

export function createKeysStore(db: Drizzle) {
  const listed = () => db.select(metadata).from(apiKeys).leftJoin(connectedApps, eq(connectedApps.id, apiKeys.appId));

  return {
    listOf: (accountId: string): Promise<KeyRow[]> =>
      listed().where(eq(apiKeys.accountId, accountId)).orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),

    /**
     * Inserts unless the account already has `limit` keys or has gone, or the app that makes the key was disconnected, in
     * one statement.
     */
    async insertWithin(
      limit: number,
      key: NewKey,
      madeBy: ActingApp | undefined,
      now: number,
    ): Promise<KeyRow | 'full' | 'gone'> {
      const appId = madeBy?.id ?? null;
      const grantId = madeBy?.grantId ?? null;
      const mayMake = madeBy ? isConnected(sql`${appId}`, sql`${grantId}`, now) : sql`TRUE`;
      const { rowsAffected } = await db.run(sql`
        INSERT INTO api_keys (id, account_id, name, hash, last4, created_at, app_id, grant_id)
        SELECT ${key.id}, id, ${key.name}, ${key.hash}, ${key.last4}, ${key.createdAt}, ${appId}, ${grantId} FROM accounts
        WHERE id = ${key.accountId} AND ${mayMake}
          AND (SELECT count(*) FROM api_keys WHERE account_id = accounts.id) < ${limit}`);
      if (rowsAffected === 1) {
        const [row] = await listed().where(eq(apiKeys.id, key.id));
        return row ?? 'gone';
      }
      const found = await db
        .select({ id: accounts.id })
        .from(accounts)
        .where(and(eq(accounts.id, key.accountId), mayMake));
      return found.length > 0 ? 'full' : 'gone';
    },

    /** A key that an app made holds only while the app is connected. */
    async holderOf(hash: Buffer, now: number): Promise<KeyHolder | undefined> {
      const rows = await db
        .select({
          keyId: apiKeys.id,
          hash: apiKeys.hash,
          accountId: accounts.id,
          email: accounts.email,
          role: accounts.role,
          teamId: teams.id,
          plan: teams.plan,
          appId: apiKeys.appId,
          grantId: apiKeys.grantId,
        })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(
          and(
            eq(apiKeys.hash, hash),
            sql`(${apiKeys.appId} IS NULL OR ${isConnected(sql`${apiKeys.appId}`, sql`${apiKeys.grantId}`, now)})`,
          ),
        );
      const [row] = rows;
      if (!row) return undefined;
      const { appId, grantId, ...holder } = row;
      return { ...holder, app: appId === null ? undefined : { id: appId, grantId } };
    },

    /** The hash of every key. */
    hashes: async (): Promise<Buffer[]> => (await db.select({ hash: apiKeys.hash }).from(apiKeys)).map(row => row.hash),

    /** Those of the given hashes that a key has. */
    existing: async (hashes: Buffer[]): Promise<Buffer[]> =>
      (await db.select({ hash: apiKeys.hash }).from(apiKeys).where(inArray(apiKeys.hash, hashes))).map(row => row.hash),

    async remove(accountId: string, id: string): Promise<boolean> {
      const { rowsAffected } = await db
        .delete(apiKeys)
        .where(and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId)));
      return rowsAffected === 1;
    },

    async removeAllOf(accountId: string): Promise<number> {
      return (await db.delete(apiKeys).where(eq(apiKeys.accountId, accountId))).rowsAffected;
    },

    async removeById(id: string): Promise<boolean> {
      return (await db.delete(apiKeys).where(eq(apiKeys.id, id))).rowsAffected === 1;
    },

    /** Keeps the newest use of each key. */
    async recordUse(uses: ReadonlyMap<string, number>): Promise<void> {
      const ids = [...uses.keys()];
      if (ids.length === 0) return;
      await db
        .update(apiKeys)
        .set({ lastUsedAt: lastUsedCase(uses) })
        .where(inArray(apiKeys.id, ids));
    },
  };
}
