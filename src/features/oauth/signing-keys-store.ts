/* Signing keys. Private keys are sealed. Unique indexes allow one `active` and one `next` key, whichever process writes. */
import type { Client } from '@libsql/client';
import { desc, sql } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { signingKeys } from '../../db/schema-oauth.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

export type SigningKeysStore = ReturnType<typeof createSigningKeysStore>;

export function createSigningKeysStore(db: Drizzle, client: Pick<Client, 'batch'>) {
  return {
    all: (): Promise<SigningKeyRow[]> => db.select().from(signingKeys).orderBy(desc(signingKeys.createdAt)),

    /** Does nothing when there is already a key in this state. */
    async insertIfAbsent(row: SigningKeyRow): Promise<void> {
      await db.insert(signingKeys).values(row).onConflictDoNothing();
    },

    /** Makes the next key active. The key that was active verifies tokens until `deleteAt`. */
    async activate(kid: string, deleteAt: number): Promise<void> {
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

    async deleteRetired(now: number): Promise<void> {
      await db.delete(signingKeys).where(sql`state = 'retired' AND delete_at <= ${now}`);
    },
  };
}
