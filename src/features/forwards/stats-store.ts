/* How many attempts of forwards ended in each minute and in each hour, by their duration. */
import { and, eq, gt, lt, lte, sql } from 'drizzle-orm';
import { statsPeriods } from '../../core/forward.ts';
import type { Database } from '../../db/database.ts';
import { forwardStats, forwards } from '../../db/schema-queues.ts';

/** Attempts of a forward, by its row number, in a period that began `at`, epoch minutes. */
export type AttemptCount = { forward: number; minutes: number; at: number; bucket: number; attempts: number };
export type StatsStore = ReturnType<typeof createStatsStore>;

export function createStatsStore({ db, scanDb }: Pick<Database, 'db' | 'scanDb'>) {
  return {
    /** Adds to what is there, in one statement. Attempts of removed forwards are left out. */
    async add(counts: readonly AttemptCount[]): Promise<void> {
      const rows = counts.map(({ forward, minutes, at, bucket, attempts }) => [forward, minutes, at, bucket, attempts]);
      await db.run(sql`INSERT INTO forward_stats (forward, minutes, at, bucket, attempts)
        SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${JSON.stringify(rows)})
        WHERE value ->> 0 IN (SELECT seq FROM forwards)
        ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts`);
    },

    /** The attempts by slots of `minutes`, counted from the epoch, and by bucket. @param from, to epoch minutes, `to` excluded */
    read(
      forward: number,
      { from, to, minutes }: { from: number; to: number; minutes: number },
    ): Promise<{ slot: number; bucket: number; attempts: number }[]> {
      const { at, bucket, attempts } = forwardStats;
      const period = statsPeriods.findLast(length => minutes % length === 0) ?? 1;
      // Numbers bind as REAL, and a division by a REAL is no integer.
      const slot = sql<number>`${at} / CAST(${minutes} AS INTEGER)`;
      return scanDb
        .select({ slot, bucket, attempts: sql<number>`sum(${attempts})` })
        .from(forwardStats)
        .where(
          and(eq(forwardStats.forward, forward), eq(forwardStats.minutes, period), gt(at, from - period), lt(at, to)),
        )
        .groupBy(slot, bucket);
    },

    /** Removes periods that ended before this minute. */
    async removeBefore(minute: number): Promise<void> {
      // By forward and length, because the key begins with them.
      const all = db.select({ seq: forwards.seq }).from(forwards);
      for (const minutes of statsPeriods)
        await db
          .delete(forwardStats)
          .where(
            and(
              sql`${forwardStats.forward} IN ${all}`,
              eq(forwardStats.minutes, minutes),
              lte(forwardStats.at, minute - minutes),
            ),
          );
    },
  };
}
