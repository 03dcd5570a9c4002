/* API keys. Only a SHA-256 of each is stored. */
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { lastUse } from '../../db/last-use.ts';
import { accounts, apiKeys, teams } from '../../db/schema.ts';

export type KeyRow = Omit<typeof apiKeys.$inferSelect, 'hash'>;
export type KeyHolder = {
  keyId: string;
  hash: Buffer;
  accountId: string;
  email: string;
  role: 'owner' | 'member';
  teamId: string;
  plan: 'free' | 'pro';
};

const metadata = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  name: apiKeys.name,
  last4: apiKeys.last4,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
};

export type KeysStore = ReturnType<typeof createKeysStore>;

export function createKeysStore(db: Drizzle) {
  return {
    listOf: (accountId: string): Promise<KeyRow[]> =>
      db
        .select(metadata)
        .from(apiKeys)
        .where(eq(apiKeys.accountId, accountId))
        .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),

    /** Inserts unless the account already has `limit` keys, or has gone, in one statement. */
    async insertWithin(limit: number, key: typeof apiKeys.$inferInsert): Promise<'inserted' | 'full' | 'gone'> {
      const { rowsAffected } = await db.run(sql`
        INSERT INTO api_keys (id, account_id, name, hash, last4, created_at)
        SELECT ${key.id}, id, ${key.name}, ${key.hash}, ${key.last4}, ${key.createdAt} FROM accounts
        WHERE id = ${key.accountId} AND (SELECT count(*) FROM api_keys WHERE account_id = accounts.id) < ${limit}`);
      if (rowsAffected === 1) return 'inserted';
      const found = await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, key.accountId));
      return found.length > 0 ? 'full' : 'gone';
    },

    async holderOf(hash: Buffer): Promise<KeyHolder | undefined> {
      const rows = await db
        .select({
          keyId: apiKeys.id,
          hash: apiKeys.hash,
          accountId: accounts.id,
          email: accounts.email,
          role: accounts.role,
          teamId: teams.id,
          plan: teams.plan,
        })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .innerJoin(teams, eq(teams.id, accounts.teamId))
        .where(eq(apiKeys.hash, hash));
      return rows[0];
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
        .set({ lastUsedAt: lastUse(uses) })
        .where(inArray(apiKeys.id, ids));
    },
  };
}
