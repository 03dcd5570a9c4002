/*
 * Live streams of an endpoint's deliveries, and the last day at a glance. The credentials of a stream are checked again
 * before any event is given out, when access of any kind ends in this process, and every second: with the key, the session,
 * the app, the account or the endpoint gone, the stream ends.
 */

import type { Clock } from '../../core/clock.ts';
import type { Slots } from '../../core/concurrency/slots.ts';
import { AppError, invalid, unavailable } from '../../core/errors.ts';
import { parseEventId } from '../../core/ids.ts';
import type { MemberAccess } from '../../core/principal.ts';
import type { EventSummary } from '../events/model.ts';
import { createMessageStream, type MessageStream } from './message-stream.ts';
import { type Activity, activityBuckets } from './model.ts';
import type { LiveStore } from './store.ts';
import { createTail, type Tail } from './tail.ts';

type Endpoint = { seq: number; token: string };

type Stream = {
  endpoint: number;
  endpointId: string;
  principal: MemberAccess;
  recheck: () => Promise<MemberAccess | undefined>;
  recheckState: 'idle' | 'running' | 'again';
  tail: Tail;
  messages: MessageStream;
};

export type LiveService = ReturnType<typeof createLiveService>;

const hourMs = 60 * 60 * 1000;

export function createLiveService(options: {
  store: LiveStore;
  clock: Clock;
  /** @throws not_found for an endpoint of another team */
  endpoint: (principal: MemberAccess, id: string) => Promise<Endpoint>;
  events: {
    since: (principal: MemberAccess) => number;
    newest: () => Promise<number>;
    after: (
      principal: MemberAccess,
      endpoint: Endpoint,
      position: number,
      limit: number,
    ) => Promise<{ events: EventSummary[]; position: number; more: boolean }>;
    those: (principal: MemberAccess, endpoint: Endpoint, seqs: number[]) => Promise<EventSummary[]>;
  };
  /** Places for each account. */
  slots: Slots;
  /** Other processes write to the same database: look there, too. */
  isShared: boolean;
  checkEveryMs?: number;
  quietMs?: number;
  stalledMs?: number;
}) {
  const { store, clock, endpoint: findEndpoint, events, slots, isShared } = options;
  const { checkEveryMs = 1000, quietMs = 15_000, stalledMs = 60_000 } = options;
  const streams = new Set<Stream>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isStopping = false;

  /**
   * Ends the stream when its credentials or its endpoint are gone.
   * @returns whether it may go on @throws what says nothing about rights, like a database that does not answer
   */
  const mayGoOn = async (stream: Stream): Promise<boolean> => {
    try {
      const principal = await stream.recheck();
      if (principal?.accountId === stream.principal.accountId) {
        stream.principal = principal;
        await findEndpoint(principal, stream.endpointId);
        return true;
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    stream.messages.end();
    return false;
  };
  /** One check at a time; one that is asked for meanwhile is made after it. */
  const recheck = async (stream: Stream): Promise<void> => {
    if (stream.recheckState !== 'idle') {
      stream.recheckState = 'again';
      return;
    }
    do {
      stream.recheckState = 'running';
      await mayGoOn(stream).catch(() => {});
    } while ((stream.recheckState as Stream['recheckState']) === 'again');
    stream.recheckState = 'idle';
  };
  const check = (stream: Stream): void => {
    if (stream.messages.stalledMs() > stalledMs) {
      stream.messages.fail(new Error('the reader of a live stream stalled'));
      return;
    }
    // By row number alone, another process's event could be passed by; here only the order of the database counts.
    if (isShared) stream.tail.look();
    void recheck(stream);
  };
  /** Gives events out only to a stream that may go on after they were stored. */
  const ifAllowed = async (stream: Stream, found: EventSummary[]): Promise<EventSummary[]> =>
    found.length === 0 || (await mayGoOn(stream)) ? found : [];

  const add = (stream: Stream): void => {
    streams.add(stream);
    timer ??= setInterval(() => {
      for (const one of streams) check(one);
    }, checkEveryMs);
  };
  const remove = (stream: Stream): void => {
    streams.delete(stream);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /** Told of every stored delivery, in the order of row numbers. */
    recorded({ endpoint, seq }: { endpoint: number; seq: number }): void {
      for (const stream of streams) {
        if (stream.endpoint !== endpoint) continue;
        if (isShared) stream.tail.look();
        else stream.tail.recorded(seq);
      }
    },

    /** Ends at once whatever may not go on. Called when access of any kind ended. */
    recheckAll(): void {
      for (const stream of streams) void recheck(stream);
    },

    /**
     * Server-sent events, one message per delivery, from after `lastEventId` (empty: from the first), else from now.
     * @param recheck who the credentials stand for by then
     * @throws not_found, invalid for `lastEventId`, rate_limited when the account has all its streams open
     */
    async open(request: {
      principal: MemberAccess;
      endpointId: string;
      lastEventId: string | undefined;
      recheck: () => Promise<MemberAccess | undefined>;
    }): Promise<ReadableStream<Uint8Array>> {
      if (isStopping) throw unavailable('shutting down, try again', 5);
      const { principal, endpointId, lastEventId, recheck } = request;
      const known = lastEventId ? parseEventId(lastEventId) : undefined;
      if (lastEventId && !known) throw invalid('Last-Event-ID is not the id of an event');
      const endpoint = await findEndpoint(principal, endpointId);
      const release = slots.take(principal.accountId);
      if (!release)
        throw new AppError('rate_limited', 'too many live streams of this account', { retryAfterSeconds: 5 });
      try {
        const newest = await events.newest();
        // An id of the future (a restored backup) must not silence what comes.
        const position = lastEventId === undefined ? newest : Math.min(known?.seq ?? 0, newest);
        const tail = createTail({
          source: {
            after: async (at, limit) => {
              const found = await events.after(stream.principal, endpoint, at, limit);
              return { ...found, events: await ifAllowed(stream, found.events) };
            },
            those: async seqs => ifAllowed(stream, await events.those(stream.principal, endpoint, seqs)),
          },
          position,
          quietMs,
        });
        const messages = createMessageStream({
          tail,
          monotonic: clock.monotonic,
          onClosed: () => {
            remove(stream);
            release();
          },
        });
        const stream: Stream = {
          endpoint: endpoint.seq,
          endpointId,
          principal,
          recheck,
          recheckState: 'idle',
          tail,
          messages,
        };
        add(stream);
        return messages.body;
      } catch (error) {
        release();
        throw error;
      }
    },

    /** Deliveries of the last 24 hours by the hour; the last bucket is the running one. @throws not_found */
    async activity(principal: MemberAccess, endpointId: string): Promise<Activity> {
      const { seq } = await findEndpoint(principal, endpointId);
      const until = (Math.floor(clock.now() / hourMs) + 1) * hourMs;
      const since = until - activityBuckets * hourMs;
      const counts = new Array<number>(activityBuckets).fill(0);
      const found = await store.counts(seq, { since, until, bucketMs: hourMs }, events.since(principal));
      for (const { bucket, count } of found) counts[bucket] = count;
      return { since, bucketMs: hourMs, counts };
    },

    openStreams: (): number => streams.size,

    /** Before the server stops, for good: streams would hold it up. */
    endAll(): void {
      isStopping = true;
      for (const { messages } of [...streams]) messages.end();
    },
  };
}
