/* Proves that the database can be written. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { meta } from './schema.ts';

/** @throws the database's error if it cannot be written */
export async function checkWritable(db: Drizzle): Promise<void> {
  // A new value each time: SQLite writes nothing when a row stays the same.
  const value = sql`randomblob(8)`;
  await db
    .insert(meta)
    .values({ name: 'write-check', value })
    .onConflictDoUpdate({ target: meta.name, set: { value } });
}
