/*
 * The destinations of earlier replays. An agent may only use known ones, so a person used each of them first. A listener's report
 * names a destination but never permits one.
 */
import { and, eq, inArray, ne } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { events, replays } from '../../db/schema.ts';

export function createDestinationsStore(scanDb: Drizzle) {
  return {
    /** Whether events of the endpoint were replayed to exactly this URL, as written or in its canonical form. */
    async isKnown(endpoint: number, url: string): Promise<boolean> {
      const rows = await scanDb
        .select({ seq: replays.seq })
        .from(replays)
        .innerJoin(events, eq(events.seq, replays.event))
        .where(
          and(
            eq(events.endpoint, endpoint),
            inArray(replays.destination, [url, new URL(url).href]),
            ne(replays.via, 'listen'),
          ),
        )
        .limit(1);
      return rows.length > 0;
    },
  };
}
