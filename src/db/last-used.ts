/* Writes when API keys and connected apps were last used, many rows in one statement. */
import { sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import type { apiKeys } from './schema.ts';
import type { connectedApps } from './schema-oauth.ts';

/** @param lastUses epoch ms by id; not empty */
export async function writeLastUses(
  db: Drizzle,
  table: typeof apiKeys | typeof connectedApps,
  lastUses: ReadonlyMap<string, number>,
): Promise<void> {
  const ids = sql.join(
    [...lastUses.keys()].map(id => sql`${id}`),
    sql`, `,
  );
  const times = sql.join(
    [...lastUses].map(([id, usedAt]) => sql`WHEN ${id} THEN ${usedAt}`),
    sql` `,
  );
  await db.run(sql`UPDATE ${table} SET last_used_at = CAST(CASE id ${times} END AS INTEGER) WHERE id IN (${ids})`);
}
