/* Last-used times of keys and apps are collected in memory and written from time to time, many in one statement. */
import { type SQL, sql } from 'drizzle-orm';

/** The new value of a `lastUsedAt` column, a time for each id. @param uses epoch ms by id; not empty */
export function lastUsedCase(uses: ReadonlyMap<string, number>): SQL {
  const when = sql.join(
    [...uses].map(([id, at]) => sql`WHEN ${id} THEN ${at}`),
    sql` `,
  );
  return sql`CAST(CASE id ${when} END AS INTEGER)`;
}
