/* Passkeys. What must hold for a change is in its statement, so that it also holds for concurrent requests. */
import { and, asc, eq, exists, isNull, lt, lte, or } from 'drizzle-orm';
import { pick } from '../../core/pick.ts';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { type ConfiguredWays, hasAnotherWay } from '../../db/other-ways.ts';
import { accounts, passkeys } from '../../db/schema.ts';
import { isUniqueViolation } from '../../db/unique-violation.ts';

export type PasskeyRow = typeof passkeys.$inferSelect;

const listed = pick(passkeys, 'id', 'name', 'createdAt', 'lastUsedAt');

export type PasskeysStore = ReturnType<typeof createPasskeysStore>;

export function createPasskeysStore(db: Drizzle) {
  const isOwn = (accountId: string, id: string) => and(eq(passkeys.id, id), eq(passkeys.accountId, accountId));

  return {
    countOf: (accountId: string): Promise<number> => db.$count(passkeys, eq(passkeys.accountId, accountId)),

    listOf: (accountId: string) =>
      db
        .select(listed)
        .from(passkeys)
        .where(eq(passkeys.accountId, accountId))
        .orderBy(asc(passkeys.createdAt), asc(passkeys.id)),

    credentialsOf: (accountId: string): Promise<Pick<PasskeyRow, 'credentialId' | 'transports'>[]> =>
      db
        .select(pick(passkeys, 'credentialId', 'transports'))
        .from(passkeys)
        .where(eq(passkeys.accountId, accountId)),

    findByCredentialId: (credentialId: Buffer): Promise<PasskeyRow | undefined> =>
      db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId)).get(),

    /** `refused`: the account has `limit` passkeys, or was deleted. `taken`: an account has this credential. */
    async insert(passkey: typeof passkeys.$inferInsert, limit: number): Promise<'inserted' | 'refused' | 'taken'> {
      const { accountId } = passkey;
      const isBelowLimit = lt(db.$count(passkeys, eq(passkeys.accountId, accountId)), limit);
      const account = db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId));
      try {
        const isInserted = await changesOne(insertIf(db, passkeys, passkey, and(isBelowLimit, exists(account))));
        return isInserted ? 'inserted' : 'refused';
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken';
        throw error;
      }
    },

    /**
     * Records a sign-in. @returns false if the passkey was deleted, has another counter than when it was read, or was used after
     * `unusedSince` (epoch ms)
     */
    use(
      { id, counter }: Pick<PasskeyRow, 'id' | 'counter'>,
      used: { counter: number; lastUsedAt: number },
      unusedSince?: number,
    ): Promise<boolean> {
      const isUnused =
        unusedSince === undefined ? undefined : or(isNull(passkeys.lastUsedAt), lte(passkeys.lastUsedAt, unusedSince));
      return changesOne(
        db
          .update(passkeys)
          .set(used)
          .where(and(eq(passkeys.id, id), eq(passkeys.counter, counter), isUnused)),
      );
    },

    async rename(accountId: string, id: string, name: string) {
      const rows = await db.update(passkeys).set({ name }).where(isOwn(accountId, id)).returning(listed);
      return rows[0];
    },

    /** `last`: the account could not sign in without it. */
    async remove(accountId: string, id: string, ways: ConfiguredWays): Promise<'removed' | 'last' | 'unknown'> {
      const mayGo = and(isOwn(accountId, id), hasAnotherWay(db, accountId, { passkey: id }, ways));
      if (await changesOne(db.delete(passkeys).where(mayGo))) return 'removed';
      return (await db.$count(passkeys, isOwn(accountId, id))) === 1 ? 'last' : 'unknown';
    },
  };
}
