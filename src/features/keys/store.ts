/* API keys. Only the SHA-256 of a key is stored. */

import {
  and,
  asc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notExists,
  or,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { AccountIdentity, ActingApp } from '../../core/access/principal.ts';
import { pick } from '../../core/pick.ts';
import { accountColumns } from '../../db/account-columns.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { writeLastUses } from '../../db/last-used.ts';
import { accounts, apiKeys, teams } from '../../db/schema.ts';
import { connectedApps, oauthClients, oauthGrants } from '../../db/schema-oauth.ts';

type KeyRow = Pick<
  typeof apiKeys.$inferSelect,
  'id' | 'name' | 'last4' | 'createdAt' | 'lastUsedAt' | 'appId' | 'expiresAt' | 'isReadOnly'
> & { appName: string | null };
type NewKey = Pick<
  typeof apiKeys.$inferInsert,
  'id' | 'accountId' | 'name' | 'hash' | 'last4' | 'createdAt' | 'expiresAt' | 'isReadOnly'
>;
export type AuthenticatedKey = AccountIdentity & {
  keyId: string;
  hash: Buffer;
  app: ActingApp | undefined;
  isReadOnly: boolean;
  /** Epoch ms; null: never. */
  expiresAt: number | null;
};

const listColumns = {
  ...pick(apiKeys, 'id', 'name', 'last4', 'createdAt', 'lastUsedAt', 'appId', 'expiresAt', 'isReadOnly'),
  appName: connectedApps.name,
};

export type KeysStore = ReturnType<typeof createKeysStore>;

export function createKeysStore(db: Drizzle) {
  const isUnexpired = (now: number | Placeholder) => or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
  const selectListed = () =>
    db.select(listColumns).from(apiKeys).leftJoin(connectedApps, eq(connectedApps.id, apiKeys.appId));
  /**
   * Whether the app may use this server at `now`, by the same rules as for its access tokens. An app of an external issuer
   * has no grant.
   */
  const isAppActive = (appId: SQLWrapper, grantId: SQLWrapper, now: number | Placeholder): SQL => {
    const disabledClient = db
      .select({ id: oauthClients.id })
      .from(oauthClients)
      .where(
        and(
          eq(connectedApps.issuer, ''),
          eq(oauthClients.id, connectedApps.clientId),
          isNotNull(oauthClients.disabledAt),
        ),
      );
    const activeApp = db
      .select({ id: connectedApps.id })
      .from(connectedApps)
      .leftJoin(oauthGrants, and(eq(oauthGrants.id, grantId), eq(oauthGrants.appId, connectedApps.id)))
      .where(
        and(
          eq(connectedApps.id, appId),
          isNull(connectedApps.revokedAt),
          or(ne(connectedApps.issuer, ''), and(isNull(oauthGrants.revokedAt), gt(oauthGrants.expiresAt, now))),
          notExists(disabledClient),
        ),
      );
    return exists(activeApp);
  };

  // Prepared: it runs at each request with a key, and building it takes as long as the query itself.
  const selectByHash = db
    .select({
      keyId: apiKeys.id,
      ...accountColumns,
      ...pick(apiKeys, 'hash', 'appId', 'grantId', 'isReadOnly', 'expiresAt'),
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .innerJoin(teams, eq(teams.id, accounts.teamId))
    .where(
      and(
        eq(apiKeys.hash, sql.placeholder('hash')),
        isUnexpired(sql.placeholder('now')),
        or(isNull(apiKeys.appId), isAppActive(apiKeys.appId, apiKeys.grantId, sql.placeholder('now'))),
      ),
    )
    .prepare();

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
      createdBy: ActingApp | undefined,
      now: number,
    ): Promise<KeyRow | 'full' | 'gone'> {
      const appId = createdBy?.id ?? null;
      const grantId = createdBy?.grantId ?? null;
      const creator = db
        .select({ id: accounts.id })
        .from(accounts)
        .where(and(eq(accounts.id, key.accountId), createdBy && isAppActive(sql`${appId}`, sql`${grantId}`, now)));
      const isBelowLimit = lt(db.$count(apiKeys, eq(apiKeys.accountId, key.accountId)), limit);
      const { rowsAffected } = await insertIf(
        db,
        apiKeys,
        { ...key, appId, grantId },
        and(exists(creator), isBelowLimit),
      );
      if (rowsAffected === 1) {
        const [row] = await selectListed().where(eq(apiKeys.id, key.id));
        return row ?? 'gone';
      }
      return (await creator).length > 0 ? 'full' : 'gone';
    },

    /** Finds a key that is valid at `now`: it has not expired and, if an app created it, the app is connected. */
    async findByHash(hash: Buffer, now: number): Promise<AuthenticatedKey | undefined> {
      const [row] = await selectByHash.execute({ hash, now });
      if (!row) return undefined;
      const { appId, grantId, ...key } = row;
      return { ...key, app: appId === null ? undefined : { id: appId, grantId } };
    },

    /** The hashes of all keys that have not expired. */
    hashes: async (now: number): Promise<Buffer[]> =>
      (await db.select({ hash: apiKeys.hash }).from(apiKeys).where(isUnexpired(now))).map(row => row.hash),

    /** The given hashes that belong to a key that has not expired. */
    async existing(hashes: Buffer[], now: number): Promise<Buffer[]> {
      const isWanted = and(inArray(apiKeys.hash, hashes), isUnexpired(now));
      return (await db.select({ hash: apiKeys.hash }).from(apiKeys).where(isWanted)).map(row => row.hash);
    },

    async remove(accountId: string, id: string): Promise<boolean> {
      const isOwn = and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));
      return (await db.delete(apiKeys).where(isOwn)).rowsAffected === 1;
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
