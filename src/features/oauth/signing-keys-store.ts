/* Signing keys. Private halves are sealed; at most one key is active and at most one is next, whoever writes. */
import type { Client } from '@libsql/client';
import { desc, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { signingKeys } from '../../db/schema-oauth.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

export type SigningKeysStore = ReturnType<typeof createSigningKeysStore>;

export function createSigningKeysStore(db: Drizzle, client: Pick<Client, 'batch'>) {
  return {
    all: (): Promise<SigningKeyRow[]> => db.select().from(signingKeys).orderBy(desc(signingKeys.createdAt)),

    /** Does nothing when there is a key of this state already. */
    async insertUnlessThere(row: SigningKeyRow): Promise<void> {
      await db.insert(signingKeys).values(row).onConflictDoNothing();
    },

    /** The next key becomes active, and the active one is kept for verifying until `deleteAt`. */
    async promote(kid: string, deleteAt: number): Promise<void> {
      const isNext = `EXISTS (SELECT 1 FROM signing_keys WHERE kid = ? AND state = 'next')`;
      await client.batch(
        [
          {
            sql: `UPDATE signing_keys SET state = 'retired', delete_at = ? WHERE state = 'active' AND ${isNext}`,
            args: [deleteAt, kid],
          },
          { sql: `UPDATE signing_keys SET state = 'active' WHERE kid = ? AND state = 'next'`, args: [kid] },
        ],
        'write',
      );
    },

    async removeRetired(now: number): Promise<void> {
      await db.delete(signingKeys).where(sql`state = 'retired' AND delete_at <= ${now}`);
    },
  };
}
