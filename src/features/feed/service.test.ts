/* What cannot be timed from outside: a server that shuts down, and events that expire, while a call reads. */
import { expect, test } from 'bun:test';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { decodeFeedCursor, encodeFeedCursor } from '../../core/ids/feed-cursor.ts';
import { eventId, nonceBytes } from '../../core/ids/ids.ts';
import { summaryOf } from '../../testing/tail-source.ts';
import type { EventSummary } from '../events/model.ts';
import type { Tail, TailResult } from '../notifications/tail.ts';
import { createFeedService, type FeedRequest } from './service.ts';

const endpointId = 'ep_01m2ab3cd4ef5gh6jk7mn8pq9r0s1t';
const access = {
  principal: { teamId: 'team', plan: 'pro', accountId: 'acc' },
  endpoint: { seq: 1, token: '', retentionMs: null },
} as const;
const withId = (seq: number): EventSummary => ({ ...summaryOf(seq), id: eventId(seq, new Uint8Array(nonceBytes)) });

/** Events of one endpoint. `atTail`: what happens when the tail reads. */
function setUp(atTail: (read: () => Promise<TailResult>) => Promise<TailResult> = read => read()) {
  const stored: number[] = [];
  const expired = new Set<number>();
  let lastSeq = 10;
  const window = async (_: number, __: number, position: number, limit: number) => ({
    seqs: stored.filter(seq => seq > position && !expired.has(seq)).slice(0, limit),
    upTo: lastSeq,
    lastSeq,
    sweptSeq: 0,
    hasExpired: [...expired].some(seq => seq > position),
  });
  /** Expire when they have been found and are not read yet. */
  const expiring: number[] = [];
  const feed = createFeedService({
    store: {
      window,
      far: async () => ({ seqs: [], lastSeq, sweptSeq: 0, hasExpired: false }),
      lastSeq: async () => lastSeq,
      contents: async () => new Map(),
      largeContent: async () => undefined,
    },
    clock: { monotonic: () => 0 },
    endpoint: async () => access.endpoint,
    events: {
      retentionCutoff: () => 0,
      listBySeq: async (_, __, seqs) => {
        for (const seq of expiring) expired.add(seq);
        return seqs.filter(seq => !expired.has(seq)).map(withId);
      },
    },
    openTail: async ({ after, source }) => {
      let position = after ?? 0;
      const read = async (): Promise<TailResult> => {
        const found = await source?.({
          principal: () => access.principal,
          endpoint: () => access.endpoint,
        }).listAfter(position, 100);
        position = found?.position ?? position;
        return { kind: 'events', events: found?.events ?? [] };
      };
      const next = () => atTail(read);
      return { next, position: () => position, close: () => {}, ended: new Promise(() => {}) } satisfies Tail;
    },
    filterOf: () => undefined,
    readContent: async () => ({ taken: 0, toStream: () => new ReadableStream() }),
    waitSemaphore: createSemaphore(1),
  });
  const store = (seq: number): void => {
    stored.push(seq);
    lastSeq = seq;
  };
  const page = (given: Partial<FeedRequest> = {}) =>
    feed.page(
      { principal: access.principal, recheck: async () => access.principal, signal: undefined },
      { endpointId, after: 'now', where: '', limit: 25, waitMs: 25_000, waitSemaphore: createSemaphore(1), ...given },
    );
  return { page, store, expiring };
}

test('a server that shuts down while a waiting call reads skips none of the events that were read', async () => {
  const { page, store } = setUp(async read => {
    store(12);
    await read();
    return { kind: 'ended', end: { reason: 'shutdown' } };
  });
  const { events, cursor } = await page();
  expect([events, decodeFeedCursor(endpointId, cursor)]).toEqual([[], 10]);
});

test('the cursor of a waiting call is after the events that it gives out', async () => {
  const { page, store } = setUp(async read => {
    store(12);
    return read();
  });
  const { events, cursor } = await page();
  expect([events.map(({ id }) => id), cursor]).toEqual([[withId(12).id], encodeFeedCursor(endpointId, 12)]);
});

test('an event that expires between being found and being read is reported as missing', async () => {
  const { page, store, expiring } = setUp();
  store(11);
  store(12);
  expiring.push(11);
  const { events, truncated } = await page({ after: 'start' });
  expect([events.map(({ id }) => id), truncated]).toEqual([[withId(12).id], true]);
});

test('a cursor from before a backup was restored goes on with the next event', async () => {
  const { page, store } = setUp();
  const { cursor } = await page({ after: encodeFeedCursor(endpointId, 5000), waitMs: 0 });
  store(12);
  const { events } = await page({ after: cursor, waitMs: 0 });
  expect(events.map(({ id }) => id)).toEqual([withId(12).id]);
});
