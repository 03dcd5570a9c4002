/* The secrets of one-time codes, and the hashes of recovery codes. Each use of a code is one conditional statement, so it counts once. */
import { and, eq, exists, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { recoveryCodes, totps } from '../../db/schema.ts';

type TotpRow = typeof totps.$inferSelect;

export type TotpStore = ReturnType<typeof createTotpStore>;

export function createTotpStore(db: Drizzle) {
  const isPending = (accountId: string, secret: Buffer) =>
    and(eq(totps.accountId, accountId), eq(totps.secret, secret), isNull(totps.confirmedAt));

  return {
    find: (accountId: string): Promise<TotpRow | undefined> =>
      db.select().from(totps).where(eq(totps.accountId, accountId)).get(),

    /** Replaces a secret that was not confirmed. @returns false when one is confirmed */
    insert(row: Pick<TotpRow, 'accountId' | 'secret' | 'createdAt'>): Promise<boolean> {
      const { secret, createdAt } = row;
      const set = { secret, createdAt };
      const unlessConfirmed = { target: totps.accountId, set, setWhere: isNull(totps.confirmedAt) };
      return changesOne(db.insert(totps).values(row).onConflictDoUpdate(unlessConfirmed));
    },

    /**
     * Turns the codes on. @param lastStep of the code that confirms the secret @param hashes of the recovery codes
     * @returns false, with nothing written, when the secret was replaced or confirmed in the meantime
     */
    async confirm(
      { accountId, secret }: Pick<TotpRow, 'accountId' | 'secret'>,
      { lastStep, confirmedAt, hashes }: { lastStep: number; confirmedAt: number; hashes: Buffer[] },
    ): Promise<boolean> {
      const pending = exists(db.select({ id: totps.accountId }).from(totps).where(isPending(accountId, secret)));
      const list = JSON.stringify(hashes.map(hash => hash.toString('hex')));
      const [, confirmed] = await db.batch([
        db.run(sql`INSERT INTO ${recoveryCodes} (account_id, hash)
          SELECT ${accountId}, unhex(value) FROM json_each(${list}) WHERE ${pending}`),
        db.update(totps).set({ lastStep, confirmedAt }).where(isPending(accountId, secret)),
      ]);
      return confirmed.rowsAffected === 1;
    },

    /** @returns false when a code of this step or a later one was used */
    useStep({ accountId, secret }: Pick<TotpRow, 'accountId' | 'secret'>, step: number): Promise<boolean> {
      const isConfirmed = and(eq(totps.accountId, accountId), eq(totps.secret, secret), isNotNull(totps.confirmedAt));
      return changesOne(
        db
          .update(totps)
          .set({ lastStep: step })
          .where(and(isConfirmed, lt(totps.lastStep, step))),
      );
    },

    /** @returns false when it was used, or is no code of the account */
    useRecoveryCode: (accountId: string, hash: Buffer): Promise<boolean> =>
      changesOne(
        db.delete(recoveryCodes).where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.hash, hash))),
      ),

    /** A foreign key deletes the recovery codes. @returns false when the codes were off */
    remove: (accountId: string): Promise<boolean> =>
      changesOne(db.delete(totps).where(and(eq(totps.accountId, accountId), isNotNull(totps.confirmedAt)))),
  };
}
