/* Finds the endpoints that have new events. Nothing is added before a row number that has been read. */
import { and, gt, lte, type SQL, sql } from 'drizzle-orm';
import type { Drizzle } from './database.ts';
import { events } from './schema.ts';

// Raw: the table is SQLite's own.
/** The highest row number that any event ever had; 0 without one. */
export const lastSeqSql: SQL<number> = sql`ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`;

/** How many row numbers one read covers: a few milliseconds of the reader thread. */
const windowRows = 20_000;
/** After this many unread events, it is faster to look at everything that is configured. */
const maxUnread = 500_000;

/** `endpoints` undefined: any endpoint may have new events. */
export type NewEvents = { upTo: number; endpoints: number[] | undefined };

/** The endpoints of the next events after a position. @param last the highest row number of an event */
export async function newEventsAfter(db: Drizzle, position: number, last: number): Promise<NewEvents> {
  if (last - position > maxUnread) return { upTo: last, endpoints: undefined };
  const upTo = Math.min(last, position + windowRows);
  if (upTo <= position) return { upTo: position, endpoints: [] };
  // The `+` rules out the index by time, which would be read completely.
  const rows = await db
    .selectDistinct({ endpoint: sql<number>`+${events.endpoint}` })
    .from(events)
    .where(and(gt(events.seq, position), lte(events.seq, upTo)));
  return { upTo, endpoints: rows.map(({ endpoint }) => endpoint) };
}
