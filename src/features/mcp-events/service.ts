/*
 * MCP Events: what a client of an event type gets after a cursor. Polls, streams and webhooks all read here, so a cursor means the
 * same to each of them.
 */
import type { TeamAccess } from '../../core/access/principal.ts';
import { invalid } from '../../core/errors.ts';
import type { EndpointsService } from '../endpoints/service.ts';
import { createReadWatch, type Watch, type WatchOf } from './arguments.ts';
import { type CursorScope, decodeCursor, type EventsPosition, encodeCursor } from './cursor.ts';
import type { EventName, Occurrence } from './model.ts';
import type { EventSource, Found, Reading } from './source.ts';

export type EventSources = { [N in EventName]: EventSource<WatchOf<N>> };

export type OccurrencesAfter = {
  occurrences: Occurrence[];
  cursor: string;
  /** Retention, or the client’s `maxAgeMs`, took something after the cursor. */
  truncated: boolean;
  /** There are more: read again at once. They may turn out not to match. */
  hasMore: boolean;
};

export type McpEventsService = ReturnType<typeof createMcpEventsService>;

export function createMcpEventsService(options: {
  endpoints: Pick<EndpointsService, 'owned' | 'named'>;
  sources: EventSources;
  now: () => number;
}) {
  const { sources, now } = options;
  const sourceOf = ({ name }: Watch) => sources[name] as EventSource<Watch>;
  const scopeOf = (principal: TeamAccess, watch: Watch): CursorScope => ({
    name: watch.name,
    id: sourceOf(watch).scopeId(principal, watch),
  });

  const cursorOf = (principal: TeamAccess, watch: Watch, position: EventsPosition): string =>
    encodeCursor(scopeOf(principal, watch), position);

  const toOccurrences = (principal: TeamAccess, watch: Watch, since: number, found: readonly Found[]): Occurrence[] => {
    const scope = scopeOf(principal, watch);
    return found.map(({ seq, eventId, at, data }) => ({
      eventId,
      name: watch.name,
      timestamp: new Date(at).toISOString(),
      data,
      cursor: encodeCursor(scope, { seq, since }),
    }));
  };

  /** @param cursor null: from now on @throws invalid */
  const positionOf = async (principal: TeamAccess, watch: Watch, cursor: string | null): Promise<EventsPosition> => {
    if (cursor === null) {
      const seq = await sourceOf(watch).newest();
      return { seq, since: seq };
    }
    const position = decodeCursor(scopeOf(principal, watch), cursor);
    if (!position) throw invalid('cursor: is not a cursor of this event type and endpoint');
    return position;
  };

  /**
   * The occurrences after a position, at most `limit`, oldest first, and the row number up to which they were read.
   * @param request `oldest`: earlier ones are left out, epoch ms @throws not_found; as `ContentReads.run`
   */
  const readAfter = async (
    reading: Reading,
    watch: Watch,
    request: EventsPosition & { limit: number; oldest: number },
  ): Promise<Omit<OccurrencesAfter, 'cursor'> & { seq: number }> => {
    const { found, ...rest } = await sourceOf(watch).after(reading, watch, request);
    return { occurrences: toOccurrences(reading.principal, watch, request.since, found), ...rest };
  };

  return {
    /** Checks the name and the arguments of a subscription. */
    readWatch: createReadWatch(options.endpoints),
    positionOf,
    cursorOf,
    readAfter,
    /** @throws not_found when the endpoint does not exist any more */
    check: (principal: TeamAccess, watch: Watch): Promise<void> => sourceOf(watch).check(principal, watch),

    /**
     * The occurrences after a cursor, at most `limit`, oldest first.
     * @param request `cursor` null: none, and the cursor of now. `maxAgeMs`: older ones are left out; not with a null cursor
     * @throws invalid for the cursor, not_found; as `ContentReads.run`
     */
    async occurrencesAfter(
      reading: Reading,
      watch: Watch,
      request: { cursor: string | null; limit: number; maxAgeMs?: number | undefined },
    ): Promise<OccurrencesAfter> {
      const { principal } = reading;
      const { cursor, limit, maxAgeMs } = request;
      const { seq, since } = await positionOf(principal, watch, cursor);
      if (cursor === null) {
        await sourceOf(watch).check(principal, watch);
        return {
          occurrences: [],
          cursor: cursorOf(principal, watch, { seq, since }),
          truncated: false,
          hasMore: false,
        };
      }
      const oldest = maxAgeMs === undefined ? Number.NEGATIVE_INFINITY : now() - maxAgeMs;
      const { seq: last, ...found } = await readAfter(reading, watch, { seq, since, limit, oldest });
      return { ...found, cursor: cursorOf(principal, watch, { seq: last, since }) };
    },

    /**
     * The occurrence with this row number; undefined when it does not exist any more.
     * @param since as in the cursors of the reader @throws not_found; as `ContentReads.run`
     */
    async occurrence(reading: Reading, watch: Watch, { seq, since }: EventsPosition): Promise<Occurrence | undefined> {
      const found = await sourceOf(watch).find(reading, watch, seq);
      return found && toOccurrences(reading.principal, watch, since, [found])[0];
    },
  };
}
