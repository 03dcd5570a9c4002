/*
 * Counts the events of an endpoint that match a filter. A call works within the budget of a search, so a large history takes
 * several: each returns the number of events it found and the position at which the next one continues.
 */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import { invalidAt } from '../../core/errors.ts';
import { decodeCursor, encodeCursor } from '../../core/ids/cursor.ts';
import { parseWhere } from '../../core/where.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { EventCount, EventCountQuery } from './model.ts';
import { type FindMatching, foundAtOnce } from './selection.ts';

/** A call starts no further search after this time. */
const budgetMs = 250;

/** A filter that matches all events. */
const everyEvent = 'size>=0';

export type CountingService = ReturnType<typeof createCountingService>;

export function createCountingService(options: {
  /** @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  find: FindMatching;
  monotonic: () => number;
}) {
  const { endpoint: findEndpoint, retentionCutoff, find, monotonic } = options;
  return {
    /**
     * @param signal aborted when the client disconnects
     * @throws invalid for the filter and the cursor, not_found; as `ContentReads.run`
     */
    async count(
      principal: MemberAccess,
      endpointId: string,
      { where = '', cursor }: EventCountQuery,
      signal?: AbortSignal,
    ): Promise<EventCount> {
      const filter = parseWhere(where.trim() === '' ? everyEvent : where);
      let after = cursor === undefined ? undefined : decodeCursor(cursor);
      if (cursor !== undefined && !after) throw invalidAt(['cursor'], 'invalid', 'invalid cursor');
      const endpoint = await findEndpoint(principal, endpointId);
      const since = retentionCutoff(principal, endpoint);
      let count = 0;
      const until = monotonic() + budgetMs;
      for (;;) {
        const { found, next } = await find({
          endpoint: endpoint.seq,
          q: '',
          where: { filter, endpoint },
          since,
          after,
          limit: foundAtOnce,
          reader: { ...principal, signal },
        });
        count += found.length;
        const isFull = found.length === foundAtOnce;
        after = isFull ? found.at(-1) : next;
        // A search that stopped before it was full has spent its budget, or is complete.
        if (!isFull || monotonic() >= until) break;
      }
      return { count, nextCursor: after ? encodeCursor(after) : null };
    },
  };
}
