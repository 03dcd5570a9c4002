/* Which backups this database was part of, newest last. A restored database was part of the backup that it came from. */
import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { meta } from '../../db/schema.ts';

const chainsName = 'backup-chains';
const maxChains = 20;

export type BackupStore = ReturnType<typeof createBackupStore>;

export function createBackupStore({ db }: Pick<Database, 'db'>) {
  const chains = async (): Promise<string[]> => {
    const [row] = await db.select({ value: meta.value }).from(meta).where(eq(meta.name, chainsName));
    return row ? (JSON.parse(row.value.toString()) as string[]) : [];
  };
  return {
    chains,
    async addChain(chain: string): Promise<void> {
      const value = Buffer.from(JSON.stringify([...(await chains()), chain].slice(-maxChains)));
      await db
        .insert(meta)
        .values({ name: chainsName, value })
        .onConflictDoUpdate({ target: meta.name, set: { value } });
    },
  };
}
