/* How many attempts of forwards ended in each minute, by their duration. */
import { and, between, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { forwardStats, forwards } from '../../db/schema-queues.ts';

/** `forward`: its row number. `minute`: epoch minutes. */
export type AttemptCount = { forward: number; minute: number; bucket: number; attempts: number };
export type StatsStore = ReturnType<typeof createStatsStore>;

export function createStatsStore({ db, scanDb }: Pick<Database, 'db' | 'scanDb'>) {
  return {
    /** Adds to what is there, in one statement. Attempts of removed forwards are left out. */
    async add(counts: readonly AttemptCount[]): Promise<void> {
      const rows = counts.map(({ forward, minute, bucket, attempts }) => [forward, minute, bucket, attempts]);
      await db.run(sql`INSERT INTO forward_stats (forward, minute, bucket, attempts)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(${JSON.stringify(rows)})
        WHERE value ->> 0 IN (SELECT seq FROM forwards)
        ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts`);
    },

    /** The attempts by slots of `minutes`, counted from the epoch, and by bucket. */
    read(
      forward: number,
      { fromMinute, toMinute, minutes }: { fromMinute: number; toMinute: number; minutes: number },
    ): Promise<{ slot: number; bucket: number; attempts: number }[]> {
      // Numbers bind as REAL, and a division by a REAL is no integer.
      const slot = sql<number>`${forwardStats.minute} / CAST(${minutes} AS INTEGER)`;
      return scanDb
        .select({ slot, bucket: forwardStats.bucket, attempts: sql<number>`sum(${forwardStats.attempts})` })
        .from(forwardStats)
        .where(and(eq(forwardStats.forward, forward), between(forwardStats.minute, fromMinute, toMinute)))
        .groupBy(slot, forwardStats.bucket);
    },

    async removeBefore(minute: number): Promise<void> {
      // By forward, because the key begins with it.
      const all = db.select({ seq: forwards.seq }).from(forwards);
      await db.delete(forwardStats).where(and(sql`${forwardStats.forward} IN ${all}`, lt(forwardStats.minute, minute)));
    },
  };
}
