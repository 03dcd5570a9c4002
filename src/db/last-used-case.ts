/* When keys and apps were last used is counted in memory and written now and then, many of them in one statement. */
import { type SQL, sql } from 'drizzle-orm';

/** The value for a `lastUsedAt` column: each row's own time. @param uses epoch ms by id; not empty */
export function lastUsedCase(uses: ReadonlyMap<string, number>): SQL {
  const when = sql.join(
    [...uses].map(([id, at]) => sql`WHEN ${id} THEN ${at}`),
    sql` `,
  );
  return sql`CAST(CASE id ${when} END AS INTEGER)`;
}
