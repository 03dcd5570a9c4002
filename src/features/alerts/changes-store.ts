/* The changes of the state of alerts, which agents read in the order of their row numbers. */
import type { InStatement } from '@libsql/client';
import { and, asc, eq, gt, gte, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { endpoints } from '../../db/schema.ts';
import { alertChanges } from '../../db/schema-queues.ts';
import { toClientStatement } from '../../db/sql-fragments.ts';

type Row = typeof alertChanges.$inferSelect;
/** A change with its endpoint as it is now. */
export type AlertChangeRow = Row & { endpointId: string; endpointName: string };

// Raw: the table is SQLite's own.
const newestSql = "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'alert_changes'), 0)";

export function createChangesStore({ db, client }: Pick<Database, 'db' | 'client'>) {
  const columns = { change: alertChanges, endpointId: endpoints.id, endpointName: endpoints.name };
  const select = ({ teamId, endpoint }: { teamId: string; endpoint: number | undefined }, ...conditions: unknown[]) =>
    db
      .select(columns)
      .from(alertChanges)
      .innerJoin(endpoints, and(eq(endpoints.seq, alertChanges.endpoint), isNull(endpoints.deletedAt)))
      .where(
        and(
          eq(endpoints.teamId, teamId),
          endpoint === undefined ? undefined : eq(alertChanges.endpoint, endpoint),
          ...(conditions as Parameters<typeof and>),
        ),
      )
      .orderBy(asc(alertChanges.seq));
  const toRow = ({ change, ...endpoint }: Awaited<ReturnType<typeof select>>[number]): AlertChangeRow => ({
    ...change,
    ...endpoint,
  });

  return {
    addChangeStatement: (row: Omit<Row, 'seq'>): InStatement => toClientStatement(db.insert(alertChanges).values(row)),

    /** The highest row number that any change ever had; 0 without one. */
    newestChange: async (): Promise<number> => Number((await client.execute(newestSql)).rows[0]?.[0]),

    /**
     * Changes of the alerts of a team or of one endpoint, after a row number, at most `limit`, oldest first.
     * @param oldest epoch ms: earlier ones are left out @returns also whether `oldest` left some out
     */
    async changesSince(
      scope: { teamId: string; endpoint: number | undefined },
      { seq, oldest, limit }: { seq: number; oldest: number; limit: number },
    ): Promise<{ rows: AlertChangeRow[]; isIncomplete: boolean }> {
      const isAfter = gt(alertChanges.seq, seq);
      const [rows, left] = await Promise.all([
        select(scope, isAfter, gte(alertChanges.at, oldest)).limit(limit),
        select(scope, isAfter, lt(alertChanges.at, oldest)).limit(1),
      ]);
      return { rows: rows.map(toRow), isIncomplete: left.length > 0 };
    },

    /** Removes changes before a time, but not the newest of each endpoint, which shows that there were some. */
    async removeChangesBefore(time: number): Promise<void> {
      const kept = sql`SELECT max(seq) FROM alert_changes WHERE at < ${time} GROUP BY endpoint`;
      await db.delete(alertChanges).where(and(lt(alertChanges.at, time), sql`${alertChanges.seq} NOT IN (${kept})`));
    },
  };
}
