/* Sign-in links. A session that one of them starts uses it up (sessions/store.ts). */
import { and, eq, gt, lte, or } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { accounts, signInLinks } from '../../db/schema.ts';

export type SignInLinksStore = ReturnType<typeof createSignInLinksStore>;

export function createSignInLinksStore(db: Drizzle) {
  return {
    /** Replaces an earlier link of the account, and deletes expired ones. */
    async insert(link: typeof signInLinks.$inferInsert): Promise<void> {
      const { accountId, createdAt } = link;
      await db.batch([
        db.delete(signInLinks).where(or(eq(signInLinks.accountId, accountId), lte(signInLinks.expiresAt, createdAt))),
        db.insert(signInLinks).values(link),
      ]);
    },

    find: (hash: Buffer, now: number): Promise<{ accountId: string; email: string } | undefined> =>
      db
        .select({ accountId: accounts.id, email: accounts.email })
        .from(signInLinks)
        .innerJoin(accounts, eq(accounts.id, signInLinks.accountId))
        .where(and(eq(signInLinks.hash, hash), gt(signInLinks.expiresAt, now)))
        .get(),
  };
}
