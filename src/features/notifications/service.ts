/*
 * Notifications about stored events: one hub, and tails over an endpoint's history. A tail waits for the next events, checks
 * access again before it returns any, and ends when access ends. Event streams and the waiting calls of agents are tails.
 */

import type { MemberAccess } from '../../core/access/principal.ts';
import type { Clock } from '../../core/clock.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { Semaphore } from '../../core/concurrency/semaphore.ts';
import { AppError, invalidAt, unavailable } from '../../core/errors.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { parseWhere } from '../../core/where.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { EventsService } from '../events/service.ts';
import type { EventFilter } from '../search/event-filter.ts';
import { type AccessCheck, type AccountCheck, type CheckedPrincipal, createAccessChecks } from './access-check.ts';
import { createEventStream } from './event-stream.ts';
import { createHub, type Look, type Topic } from './hub.ts';
import { createSharedReads } from './shared-reads.ts';
import { createTail, type Tail, type TailSource } from './tail.ts';

export type TailRequest = {
  principal: CheckedPrincipal;
  endpointId: string;
  /** Row number of the last event that the reader has: 0 if it has none, undefined to start now. */
  after: number | undefined;
  /** Only matching events; all if it is undefined. */
  filter?: Filter | undefined;
  /** Authenticates the request again; undefined when its credentials are no longer valid. */
  recheck: () => Promise<CheckedPrincipal | undefined>;
  /** Aborting it closes the tail. */
  signal?: AbortSignal | undefined;
  /** For a tail that outlives one response: a reader that stalls is disconnected. */
  isLongLived?: boolean;
  /** Reads the events for this tail; by default, all events of the endpoint except imported ones. */
  source?: (access: Pick<AccessCheck, 'principal' | 'endpoint'>) => Pick<TailSource, 'listAfter'>;
  /** Also returns changes of events of the endpoint. */
  withChanges?: boolean;
};

export type NotificationsService = ReturnType<typeof createNotificationsService>;

export function createNotificationsService(options: {
  clock: Clock;
  /** The endpoint, when it belongs to the principal's team. @throws not_found */
  endpoint: (principal: MemberAccess, id: string) => Promise<ReadableEndpoint>;
  events: Pick<EventsService, 'newest' | 'listAfter' | 'listBySeq'>;
  /** Decides which events match. */
  createEventFilter: (filter: Filter, endpoint: ReadableEndpoint, reader: Reader) => EventFilter;
  /** For each filter, which of the endpoint's events with these row numbers match it. */
  selectForEach: (
    filters: readonly Filter[],
    endpoint: ReadableEndpoint,
    seqs: readonly number[],
    reader: Reader,
  ) => Promise<Map<Filter, Set<number>>>;
  /** Limits the open streams of each account. */
  streamSemaphore: Semaphore;
  /** What other processes did; undefined if none uses the same database. */
  look: Look | undefined;
  /** Resolves once it is known whether every recorded event can be read. After false, `lookAgain` must be called later. */
  areAllStored?: (() => Promise<boolean>) | undefined;
  checkEveryMs?: number;
  heartbeatMs?: number;
  stalledMs?: number;
}) {
  const { clock, endpoint: findEndpoint, events, createEventFilter, selectForEach, streamSemaphore, look } = options;
  const { areAllStored = async () => true, checkEveryMs = 1000, heartbeatMs = 15_000, stalledMs = 60_000 } = options;
  const isShared = look !== undefined;
  const accessChecks = createAccessChecks({ clock, findEndpoint, isShared });
  const hub = createHub({ look, forgetAccess: accessChecks.forget, checkEveryMs, stalledMs });
  const sharedReads = createSharedReads<{ reader: MemberAccess & Reader; endpoint: ReadableEndpoint }>({
    list: ({ reader, endpoint }, seqs) => events.listBySeq(reader, endpoint, seqs),
    match: ({ reader, endpoint }, seqs, filters) => selectForEach(filters, endpoint, seqs, reader),
  });
  let openStreams = 0;

  const startTail = <E>({
    source,
    topic,
    isLongLived,
    signal,
    ...options
  }: {
    source: TailSource<E>;
    topic: Topic;
    position: number;
    access: AccountCheck;
    isLongLived: boolean;
    signal: AbortSignal | undefined;
  }): Tail<E> => {
    const { monotonic } = clock;
    const tail = createTail<E>({ ...options, source: { ...source, areAllStored }, isShared, monotonic });
    void tail.ended.then(options.access.leave);
    hub.add({ tail, topic, isLongLived });
    if (signal?.aborted) tail.close();
    signal?.addEventListener('abort', tail.close, { once: true });
    return tail;
  };

  /**
   * Follows an endpoint's events from a position on. The caller must close the tail, and limits how many it opens.
   * @throws not_found, unavailable during shutdown
   */
  const openTail = async (request: TailRequest): Promise<Tail> => {
    const { principal, endpointId, after, filter: given, recheck, signal, isLongLived = false } = request;
    const endpoint = await findEndpoint(principal, endpointId);
    const closing = new AbortController();
    const readerNow = () => ({ ...access.principal(), signal: closing.signal, isPatient: true });
    const filter =
      given && createEventFilter(given, endpoint, { ...principal, signal: closing.signal, isPatient: true });
    const newest = await events.newest();
    if (hub.isShuttingDown()) throw unavailable('shutting down, try again', 5);
    const access = accessChecks.open({ principal, endpointId, endpoint, recheck });
    /** The endpoint as it is now, because signatures may cover its URL. A tail checks access itself before it returns events. */
    const endpointNow = async (): Promise<ReadableEndpoint> => {
      await access.verify().catch(() => {});
      return access.endpoint();
    };
    const own: TailSource = {
      listAfter: async (position, limit) => events.listAfter(readerNow(), await endpointNow(), position, limit, filter),
      // Without this tail's signal: the events may be read for others, too.
      listBySeq: async seqs => {
        const now = await endpointNow();
        const reader = { ...access.principal(), isPatient: true };
        return sharedReads.listBySeq({ reader, endpoint: now }, seqs, given);
      },
      ...(request.withChanges && {
        listChanged: async seqs => events.listBySeq(readerNow(), await endpointNow(), seqs),
      }),
    };
    const tail = startTail({
      source: request.source?.(access) ?? own,
      // After a backup was restored, a reader may have a later event than the database: it must get the next ones.
      position: Math.min(after ?? newest, newest),
      access,
      topic: endpoint.seq,
      isLongLived,
      signal,
    });
    void tail.ended.then(() => closing.abort());
    return tail;
  };

  /**
   * Follows a topic for a reader with a source of its own. The tail ends when access to the endpoint or, without one, to the account
   * ends. The caller must close it, and limits how many it opens.
   * @throws not_found, unavailable during shutdown
   */
  const openSource = async <E>({
    endpointId,
    topic,
    position,
    signal,
    source,
    ...request
  }: Pick<TailRequest, 'principal' | 'recheck' | 'signal'> & {
    endpointId: string | undefined;
    /** By default, the events of the endpoint. */
    topic?: 'alerts' | undefined;
    position: number;
    source: (principal: () => MemberAccess) => Pick<TailSource<E>, 'listAfter'>;
  }): Promise<Tail<E>> => {
    const endpoint = endpointId === undefined ? undefined : await findEndpoint(request.principal, endpointId);
    const followed = topic ?? endpoint?.seq;
    if (followed === undefined) throw new Error('a tail needs a topic or an endpoint');
    if (hub.isShuttingDown()) throw unavailable('shutting down, try again', 5);
    const access =
      endpointId === undefined || !endpoint
        ? accessChecks.openAccount(request)
        : accessChecks.open({ ...request, endpointId, endpoint });
    // From this check on, the hub knows when the next one is due.
    await access.verify().catch((error: unknown) => {
      access.leave();
      throw error;
    });
    return startTail({
      source: source(access.principal),
      position,
      access,
      topic: followed,
      isLongLived: true,
      signal,
    });
  };

  return {
    recorded: hub.recorded,
    imported: hub.imported,
    changed: hub.changed,
    recheckAll: hub.recheckAll,
    lookAgain: hub.lookAgain,
    openTail,
    openSource,

    /**
     * Server-sent events, a message per event that matches, from after `lastEventId` (empty: from the first event), else from now.
     * @throws not_found, invalid for `lastEventId` and `where`, rate_limited when the account has all its streams open, unavailable
     */
    async openStream({
      lastEventId,
      where,
      ...request
    }: Pick<TailRequest, 'principal' | 'endpointId' | 'recheck' | 'withChanges'> & {
      lastEventId: string | undefined;
      where?: string | undefined;
    }): Promise<ReadableStream<Uint8Array>> {
      const lastEvent = lastEventId ? parseEventId(lastEventId) : undefined;
      if (lastEventId && !lastEvent)
        throw invalidAt(['lastEventId'], 'is not the id of an event', 'Last-Event-ID is not the id of an event');
      const filter = where === undefined ? undefined : parseWhere(where);
      const release = streamSemaphore.tryAcquire(request.principal.accountId);
      if (!release)
        throw new AppError('rate_limited', 'too many live streams of this account', { retryAfterSeconds: 5 });
      try {
        const after = lastEventId === undefined ? undefined : (lastEvent?.seq ?? 0);
        const tail = await openTail({ ...request, after, filter, isLongLived: true });
        openStreams++;
        void tail.ended.then(() => {
          openStreams--;
          release();
        });
        return createEventStream(tail, heartbeatMs);
      } catch (error) {
        release();
        throw error;
      }
    },

    openStreams: (): number => openStreams,
    /** Open streams and waiting calls together. */
    openTails: hub.openTails,
    shutDown: hub.shutDown,
  };
}
