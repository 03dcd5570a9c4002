/* Writes when API keys and connected apps were last used, many rows in one statement. */
import { inArray, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import type { apiKeys } from './schema.ts';
import type { connectedApps } from './schema-oauth.ts';

/** @param lastUses epoch ms by id; not empty */
export async function writeLastUses(
  db: Drizzle,
  table: typeof apiKeys | typeof connectedApps,
  lastUses: ReadonlyMap<string, number>,
): Promise<void> {
  const times = sql.join(
    [...lastUses].map(([id, usedAt]) => sql`WHEN ${id} THEN ${usedAt}`),
    sql` `,
  );
  await db
    .update(table)
    // Numbers bind as REAL, which CASE passes on, hence the cast.
    .set({ lastUsedAt: sql`CAST(CASE ${table.id} ${times} END AS INTEGER)` })
    .where(inArray(table.id, [...lastUses.keys()]));
}
