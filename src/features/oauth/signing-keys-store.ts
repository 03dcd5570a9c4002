/* Signing keys. Private keys are sealed. Unique indexes allow one `active` and one `next` key, whichever process writes. */
import { and, desc, eq, exists, lte } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { signingKeys } from '../../db/schema-oauth.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

export type SigningKeysStore = ReturnType<typeof createSigningKeysStore>;

export function createSigningKeysStore(db: Drizzle) {
  return {
    all: (): Promise<SigningKeyRow[]> => db.select().from(signingKeys).orderBy(desc(signingKeys.createdAt)),

    /** Does nothing when there is already a key in this state. */
    async insertIfAbsent(row: SigningKeyRow): Promise<void> {
      await db.insert(signingKeys).values(row).onConflictDoNothing();
    },

    /** Makes the next key active. The key that was active verifies tokens until `deleteAt`. */
    async activate(kid: string, deleteAt: number): Promise<void> {
      const isNext = and(eq(signingKeys.kid, kid), eq(signingKeys.state, 'next'));
      const next = db.select({ kid: signingKeys.kid }).from(signingKeys).where(isNext);
      await db.batch([
        db
          .update(signingKeys)
          .set({ state: 'retired', deleteAt })
          .where(and(eq(signingKeys.state, 'active'), exists(next))),
        db.update(signingKeys).set({ state: 'active' }).where(isNext),
      ]);
    },

    async deleteRetired(now: number): Promise<void> {
      await db.delete(signingKeys).where(and(eq(signingKeys.state, 'retired'), lte(signingKeys.deleteAt, now)));
    },
  };
}
