/*
 * The feed of an endpoint: all its events in the order in which they were stored, each once, a page at a time. The reader keeps
 * the cursor. A call may wait for the next event that matches; it waits on a tail of the notifications, which costs no query.
 */

import type { MemberAccess, TeamAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import { AppError, invalidAt } from '../../core/errors.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import { seqOf } from '../../core/ids/ids.ts';
import { defaultPageSize } from '../../core/limits.ts';
import type { EventSummary } from '../events/model.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { EventsService } from '../events/service.ts';
import type { NotificationsService } from '../notifications/service.ts';
import type { createFeedContent } from './content.ts';
import type { FeedPage, FeedQuery } from './model.ts';
import { createScan, type FeedFilter, type Scan } from './scan.ts';
import type { FeedStore } from './store.ts';

/** The request that reads the feed. */
export type FeedReader = {
  principal: MemberAccess;
  /** Authenticates the request again; undefined when its credentials are no longer valid. */
  recheck: () => Promise<MemberAccess | undefined>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal | undefined;
};

export type FeedRequest = {
  endpointId: string;
  /** A cursor, `start` or `now`. */
  after: string;
  where: string;
  limit: number;
  waitMs: number;
  /** Limits the waiting calls of each account. */
  waitSemaphore: Semaphore;
};

/** The events after a position. `endpoint`: its row number. */
type Page = Omit<FeedPage, 'events'> & { events: EventSummary[]; endpoint: number };

export type FeedService = ReturnType<typeof createFeedService>;

const cursorAfter = (endpointId: string, event: EventSummary): string => encodeFeedCursor(endpointId, seqOf(event));

/** The most events of one step through all matching events. */
const maxMatching = 500;

export function createFeedService(options: {
  store: FeedStore;
  clock: Pick<Clock, 'monotonic'>;
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: TeamAccess, id: string) => Promise<ReadableEndpoint>;
  events: Pick<EventsService, 'listBySeq' | 'retentionCutoff'>;
  openTail: NotificationsService['openTail'];
  /** Decides which events match; undefined when all do. @throws invalid for a filter that cannot be read */
  filterOf: (where: string) => FeedFilter | undefined;
  readContent: ReturnType<typeof createFeedContent>;
  /** Limits the waiting calls of each account. */
  waitSemaphore: Semaphore;
}) {
  const { store, clock, endpoint: findEndpoint, events, openTail, filterOf, readContent, waitSemaphore } = options;
  const scan = createScan({ store, retentionCutoff: events.retentionCutoff, monotonic: clock.monotonic });

  /** The row number of a cursor, `start` or `now`. @throws invalid */
  const positionOf = async (endpointId: string, after: string): Promise<number> => {
    if (after === 'start') return 0;
    if (after === 'now') return store.lastSeq();
    const position = decodeFeedCursor(endpointId, after);
    if (position === undefined) throw invalidAt(['after'], 'invalid', 'invalid cursor');
    return position;
  };

  /**
   * The next events after a row number that match. A scan that takes long returns fewer events, or none, and a position that has
   * moved on.
   * @throws as `ContentReads.run`
   */
  const readAfter = async (reading: Scan) => {
    const { teamId, plan } = reading.principal;
    const { seqs, ...found } = await scan(reading);
    const { reader, endpoint } = reading;
    const listed = seqs.length > 0 ? await events.listBySeq({ teamId, plan, ...reader }, endpoint, seqs) : [];
    // Some were deleted since, or have expired.
    const isIncomplete = listed.length < seqs.length;
    const again = isIncomplete ? await scan({ ...reading, limit: 1, filter: undefined }) : found;
    return { ...found, events: listed, truncated: found.truncated || again.truncated };
  };

  /**
   * The next events that match, waiting for the first of them at most `waitMs`. A scan that takes long returns no events, and a
   * cursor that has moved on.
   * @throws invalid for the cursor and the filter, not_found, unauthorized when access ends during the wait, rate_limited when
   * the account waits in too many calls, unavailable during shutdown
   */
  const page = async ({ principal, recheck, signal }: FeedReader, request: FeedRequest): Promise<Page> => {
    const { endpointId, limit, waitMs } = request;
    const filter = filterOf(request.where);
    const endpoint = await findEndpoint(principal, endpointId);
    const start = await positionOf(endpointId, request.after);
    let truncated = false;
    let more = false;

    const read = async (now: { principal: MemberAccess; endpoint: ReadableEndpoint }, after: number, most: number) => {
      const reader = { ...now.principal, signal };
      const found = await readAfter({ ...now, after, limit: most, filter, reader });
      truncated ||= found.truncated;
      more = found.more;
      return found;
    };
    const answer = (found: EventSummary[], position: number): Page => {
      return { events: found, cursor: encodeFeedCursor(endpointId, position), more, truncated, endpoint: endpoint.seq };
    };

    const first = await read({ principal, endpoint }, start, limit);
    if (first.events.length > 0 || first.more || waitMs === 0 || signal?.aborted)
      return answer(first.events, first.position);

    const release = request.waitSemaphore.tryAcquire(principal.accountId);
    if (!release)
      throw new AppError('rate_limited', 'too many calls of this account are waiting', { retryAfterSeconds: 5 });
    try {
      const tail = await openTail({
        principal,
        endpointId,
        after: first.position,
        recheck,
        signal,
        source: access => ({
          listAfter: (position, most) =>
            read({ principal: access.principal(), endpoint: access.endpoint() }, position, most),
        }),
      });
      const next = await tail.next({ waitMs, limit }).finally(tail.close);
      if (next.kind === 'ended' && next.end.reason === 'access_ended') throw next.end.error;
      // An ended tail may have read events that it did not return.
      if (next.kind === 'ended') return answer([], first.position);
      // The tail begins earlier when the newest events have been deleted.
      return answer(next.kind === 'events' ? next.events : [], Math.max(first.position, tail.position()));
    } finally {
      release();
    }
  };

  return {
    page,

    /** @param where a valid filter @throws as `ContentReads.run` */
    readAfter: ({ where, ...reading }: Omit<Scan, 'filter'> & { where: string }) =>
      readAfter({ ...reading, filter: filterOf(where) }),

    /** The events among these that match a valid filter. @throws as `ContentReads.run` */
    select: async (
      { endpoint, reader, where }: Pick<Scan, 'endpoint' | 'reader'> & { where: string },
      seqs: readonly number[],
    ): Promise<ReadonlySet<number>> => filterOf(where)?.(endpoint, seqs, reader) ?? new Set(seqs),

    /** The highest row number that any event ever had; 0 without one. */
    lastSeq: store.lastSeq,

    /**
     * The row numbers of the events after `after` that match, oldest first, up to the newest one now, a few hundred at a time.
     * @param reader undefined: background work
     * @throws invalid for the filter, not_found; as `ContentReads.run`
     */
    async *matching(
      principal: TeamAccess,
      { endpointId, where, after = 0 }: { endpointId: string; where: string; after?: number },
      reader?: Reader,
    ): AsyncGenerator<{ seqs: number[]; position: number }> {
      const filter = filterOf(where);
      const last = await store.lastSeq();
      for (let position = after; ; ) {
        const endpoint = await findEndpoint(principal, endpointId);
        const found = await scan({ principal, endpoint, after: position, limit: maxMatching, filter, reader });
        position = found.position;
        // Events that arrived since are not returned, so the position is before them.
        yield { seqs: found.seqs.filter(seq => seq <= last), position: Math.min(position, last) };
        if (!found.more || position >= last) return;
      }
    },

    /**
     * The response of the API; with contents, its JSON text.
     * @throws as `page`; rate_limited, overloaded when memory for large events is short
     */
    async read(
      reader: FeedReader,
      endpointId: string,
      query: FeedQuery,
    ): Promise<FeedPage | ReadableStream<Uint8Array>> {
      const { endpoint, ...found } = await page(reader, {
        endpointId,
        after: query.after ?? 'start',
        where: query.where ?? '',
        limit: query.limit === undefined ? defaultPageSize : Number(query.limit),
        waitMs: Number(query.wait ?? 0) * 1000,
        waitSemaphore,
      });
      const { events: listed, ...rest } = found;
      const events = listed.map(event => ({ ...event, cursor: cursorAfter(endpointId, event) }));
      if (query.content !== 'full' || events.length === 0) return { events, ...rest };
      const filled = await readContent({ ...reader.principal, signal: reader.signal }, endpoint, events);
      const last = events[filled.taken - 1];
      if (filled.taken === events.length || !last) return filled.toStream(rest);
      return filled.toStream({ ...rest, cursor: last.cursor, more: true });
    },
  };
}
