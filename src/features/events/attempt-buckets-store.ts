/* The buckets of attempts (db/delivery-attempts.ts) and their contents. Raw SQL: Drizzle has no recursive queries. */
import type { Client } from '@libsql/client';

/**
 * The buckets in use after bucket `?`, and a last row of null. There are few of them, even if retention has left gaps between
 * them. For a statement that begins `WITH RECURSIVE`.
 */
export const bucketsAfter = `buckets (bucket) AS (
  SELECT min(bucket) FROM delivery_attempts WHERE bucket > ?
  UNION ALL
  SELECT (SELECT min(bucket) FROM delivery_attempts WHERE bucket > buckets.bucket) FROM buckets WHERE bucket IS NOT NULL)`;

const bucketsAfterSql = `WITH RECURSIVE ${bucketsAfter} SELECT bucket FROM buckets WHERE bucket IS NOT NULL`;

export type AttemptBucketsStore = ReturnType<typeof createAttemptBucketsStore>;

export function createAttemptBucketsStore(client: Pick<Client, 'execute'>) {
  return {
    /** The buckets in use after this one, in order. */
    buckets: async (after: number): Promise<number[]> =>
      (await client.execute({ sql: bucketsAfterSql, args: [after] })).rows.map(row => Number(row[0])),

    /** The row number up to which the packer has packed the rows of 1.0; undefined if all are packed. */
    async packedUpTo(): Promise<number | undefined> {
      const { rows } = await client.execute("SELECT value FROM meta WHERE name = 'rows-to-pack'");
      if (!rows[0]) return undefined;
      return (JSON.parse(Buffer.from(rows[0][0] as ArrayBuffer).toString()) as { after: number }).after;
    },

    /**
     * The numbers of the deliveries that have attempts in this bucket. They come as one value, because passing rows costs more.
     */
    async numbersIn(bucket: number): Promise<number[]> {
      const sql = 'SELECT json_group_array(delivery) FROM delivery_attempts WHERE bucket = ?';
      return JSON.parse(String((await client.execute({ sql, args: [bucket] })).rows[0]?.[0])) as number[];
    },
  };
}
