/*
 * What the list of endpoints and the overview count of each endpoint, as parts of queries on `endpoints`. Expired events are left out,
 * whether or not the sweeper has removed them yet; pinned ones count. Every part seeks in indexes. Table names are literal, because
 * Drizzle omits the table in a query on one table, and `seq` would then refer to a different table.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { hourMs } from '../core/activity.ts';
import type { PlanCutoff } from '../core/events/retention.ts';
import type { Drizzle } from './database.ts';
import { endpointCutoff } from './event-marks.ts';

export function endpointCounters(cutoff: PlanCutoff) {
  const since = endpointCutoff(cutoff);
  const expired = sql`WHERE endpoint = endpoints.seq AND received_at < ${since}`;
  return {
    /** If the newest event has expired, all have, and no count is needed. Otherwise the expired ones are few. */
    eventCount: sql<number>`(SELECT count(*) FROM pins ${expired}) + CASE WHEN last_received_at < ${since} THEN 0 ELSE
      event_count - (SELECT count(*) FROM events ${expired}) END`,
    lastReceivedAt: sql<number | null>`CASE WHEN last_received_at >= ${since} THEN last_received_at ELSE
      (SELECT max(received_at) FROM pins ${expired}) END`,
    /** The age in ms that the oldest event which has not expired can still gain; null without such an event. */
    untilExpiryMs: sql<number | null>`CASE WHEN last_received_at >= ${since} THEN (SELECT min(received_at) FROM events
      WHERE endpoint = endpoints.seq AND received_at >= ${since}) - ${since} END`,
    /** The number of events in each of these hours, as a JSON list. @param hours the beginnings, epoch ms */
    activity: (hours: readonly number[]) => {
      const within = sql`endpoint = endpoints.seq AND received_at < hours.value + ${hourMs} AND received_at >=`;
      return sql<string>`(SELECT json_group_array(
        (SELECT count(*) FROM events WHERE ${within} max(hours.value, ${since})) +
        (SELECT count(*) FROM pins WHERE ${within} hours.value AND received_at < ${since})
      ) FROM json_each(${JSON.stringify(hours)}) AS hours)`;
    },
  };
}

/** Rows as one JSON text: thousands of rows cost a fifth of one by one. Columns cannot be BLOBs, and text is not converted. */
export async function jsonRows<
  Columns extends Record<string, SQL | SQLWrapper>,
  T extends Record<keyof Columns, unknown>,
>(db: Drizzle, columns: Columns, from: SQL): Promise<T[]> {
  const names = Object.keys(columns);
  const values = sql.join(Object.values(columns), sql`, `);
  const [row] = await db.all<{ list: string }>(sql`SELECT json_group_array(json_array(${values})) AS list ${from}`);
  const rows = JSON.parse(row?.list ?? '[]') as unknown[][];
  // A loop makes objects of one shape, which costs a third of Object.fromEntries.
  return rows.map(one => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) row[names[i] ?? ''] = one[i];
    return row as T;
  });
}
