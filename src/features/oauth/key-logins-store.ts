/*
 * Sign-ins of the command line. Only hashes of handles and codes are stored. Each step is one conditional statement, so of two
 * concurrent attempts exactly one succeeds.
 */
import { and, desc, eq, exists, gt, isNotNull, isNull, lt, notInArray, sql } from 'drizzle-orm';
import { changesOne } from '../../db/changes-one.ts';
import type { Drizzle } from '../../db/database.ts';
import { insertIf } from '../../db/insert-if.ts';
import { sessions } from '../../db/schema.ts';
import { keyLogins } from '../../db/schema-oauth.ts';

export type KeyLoginRow = typeof keyLogins.$inferSelect;

export type KeyLoginsStore = ReturnType<typeof createKeyLoginsStore>;

export function createKeyLoginsStore(db: Drizzle) {
  const isOpen = (hash: Buffer, now: number) => and(eq(keyLogins.hash, hash), gt(keyLogins.expiresAt, now));
  const isApproved = (hash: Buffer, now: number) => and(isOpen(hash, now), isNotNull(keyLogins.approvedAt));
  /** Signing out, or a new password, ends approvals of that session. */
  const isSessionLive = exists(
    db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, keyLogins.sessionId)),
  );

  return {
    /**
     * An account that already has `limits.perAccount` loses its oldest one.
     * @returns false, and inserts nothing, when there are `limits.total`
     */
    async insert(
      row: Omit<KeyLoginRow, 'approvedAt' | 'fails'>,
      limits: { perAccount: number; total: number },
    ): Promise<boolean> {
      const ofAccount = eq(keyLogins.accountId, row.accountId);
      const newest = db
        .select({ hash: keyLogins.hash })
        .from(keyLogins)
        .where(ofAccount)
        .orderBy(desc(keyLogins.expiresAt))
        .limit(limits.perAccount - 1);
      const [, inserted] = await db.batch([
        db.delete(keyLogins).where(and(ofAccount, notInArray(keyLogins.hash, newest))),
        insertIf(db, keyLogins, row, lt(db.$count(keyLogins), limits.total)),
      ]);
      return inserted.rowsAffected === 1;
    },

    /** Deletes and returns the request, so that it is decided once, and only in the session that opened it. */
    async take(
      hash: Buffer,
      asked: { accountId: string; sessionId: string },
      now: number,
    ): Promise<KeyLoginRow | undefined> {
      const isAsked = and(eq(keyLogins.accountId, asked.accountId), eq(keyLogins.sessionId, asked.sessionId));
      const rows = await db
        .delete(keyLogins)
        .where(and(isOpen(hash, now), isNull(keyLogins.approvedAt), isAsked))
        .returning();
      return rows[0];
    },

    async insertApproved(row: KeyLoginRow): Promise<void> {
      await db.insert(keyLogins).values(row);
    },

    /** An approved sign-in by its code. */
    findApproved: (hash: Buffer, now: number): Promise<KeyLoginRow | undefined> =>
      db.select().from(keyLogins).where(isApproved(hash, now)).get(),

    async countWrongVerifier(hash: Buffer): Promise<void> {
      await db
        .update(keyLogins)
        .set({ fails: sql`${keyLogins.fails} + 1` })
        .where(eq(keyLogins.hash, hash));
    },

    /** @returns whether the code was still valid, which is true for one caller only */
    redeem(hash: Buffer, maxWrongVerifiers: number, now: number): Promise<boolean> {
      const mayBe = and(isApproved(hash, now), lt(keyLogins.fails, maxWrongVerifiers), isSessionLive);
      return changesOne(db.delete(keyLogins).where(mayBe));
    },
  };
}
