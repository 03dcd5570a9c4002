/* The secrets of one-time codes, and the hashes of recovery codes. Each use of a code is one conditional statement, so it counts once. */
import { and, eq, exists, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { recoveryCodes, totps } from '../../db/schema.ts';

type TotpRow = typeof totps.$inferSelect;

export type TotpStore = ReturnType<typeof createTotpStore>;

export function createTotpStore(db: Drizzle) {
  const isPending = (accountId: string, secret: Buffer) =>
    and(eq(totps.accountId, accountId), eq(totps.secret, secret), isNull(totps.confirmedAt));

  return {
    find: async (accountId: string): Promise<TotpRow | undefined> =>
      (await db.select().from(totps).where(eq(totps.accountId, accountId)))[0],

    /** Replaces a secret that was not confirmed. @returns false when one is confirmed */
    async insert(row: Pick<TotpRow, 'accountId' | 'secret' | 'createdAt'>): Promise<boolean> {
      const { secret, createdAt } = row;
      const { rowsAffected } = await db
        .insert(totps)
        .values(row)
        .onConflictDoUpdate({
          target: totps.accountId,
          set: { secret, createdAt },
          setWhere: isNull(totps.confirmedAt),
        });
      return rowsAffected === 1;
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
    async useStep({ accountId, secret }: Pick<TotpRow, 'accountId' | 'secret'>, step: number): Promise<boolean> {
      const isEarlier = lt(totps.lastStep, step);
      const { rowsAffected } = await db
        .update(totps)
        .set({ lastStep: step })
        .where(and(eq(totps.accountId, accountId), eq(totps.secret, secret), isNotNull(totps.confirmedAt), isEarlier));
      return rowsAffected === 1;
    },

    /** @returns false when it was used, or is no code of the account */
    async useRecoveryCode(accountId: string, hash: Buffer): Promise<boolean> {
      const { rowsAffected } = await db
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.hash, hash)));
      return rowsAffected === 1;
    },

    /** A foreign key deletes the recovery codes. @returns false when the codes were off */
    async remove(accountId: string): Promise<boolean> {
      const { rowsAffected } = await db
        .delete(totps)
        .where(and(eq(totps.accountId, accountId), isNotNull(totps.confirmedAt)));
      return rowsAffected === 1;
    },
  };
}
