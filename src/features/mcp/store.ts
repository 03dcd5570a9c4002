/* Where events of an endpoint were sent before. Agents only follow, so whatever is there, a person used first. */
import { and, eq, inArray } from 'drizzle-orm';
import type { Drizzle } from '../../db/database.ts';
import { events, replays } from '../../db/schema.ts';

export function createDestinationsStore(scanDb: Drizzle) {
  return {
    /** Whether this very URL was a destination, as it was typed then or as it is spelled canonically. */
    async isKnown(endpoint: number, url: string): Promise<boolean> {
      const rows = await scanDb
        .select({ seq: replays.seq })
        .from(replays)
        .innerJoin(events, eq(events.seq, replays.event))
        .where(and(eq(events.endpoint, endpoint), inArray(replays.destination, [url, new URL(url).href])))
        .limit(1);
      return rows.length > 0;
    },
  };
}
