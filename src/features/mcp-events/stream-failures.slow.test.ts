/* What a stream tells its client when reading fails, when events expire while it reads, and when its client stalls or leaves. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Principal } from '../../core/access/principal.ts';
import { systemClock } from '../../core/clock.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { AppError, notFound } from '../../core/errors.ts';
import { type EventsHarness, eventsRequest, openEventsHarness, readStream } from '../../testing/mcp-events.ts';
import { eventually } from '../../testing/poll.ts';
import { createTail, type HubTail } from '../notifications/tail.ts';
import type { Occurrence } from './model.ts';
import type { McpEventsService } from './service.ts';
import { createOpenStream } from './stream.ts';

let harness: EventsHarness;
beforeAll(async () => {
  harness = await openEventsHarness();
});
afterAll(() => harness.close());

type Read = Awaited<ReturnType<McpEventsService['readAfter']>>;
const nothing = (seq: number): Read => ({ occurrences: [], seq, hasMore: false, truncated: false });
const occurrence = (seq: number): Occurrence => ({ eventId: `evt_${seq}`, cursor: `c${seq}` }) as unknown as Occurrence;

/** A stream whose reads return `reads` in turn, then nothing. */
async function openWith(reads: (Read | Error)[]) {
  const principal = { accountId: 'acc', teamId: 'team', credential: { kind: 'key', id: 'key' } } as Principal;
  const faults: unknown[] = [];
  let tail: HubTail | undefined;
  let access: Error | undefined;
  const semaphore = createSemaphore(1);
  const openStream = createOpenStream({
    service: {
      check: async () => {},
      positionOf: async () => ({ seq: 0, since: 0 }),
      cursorOf: (_, __, { seq }) => `c${seq}`,
      readAfter: async (_, __, { seq }) => {
        const next = reads.shift() ?? nothing(seq);
        if (next instanceof Error) throw next;
        return next;
      },
    },
    openSource: async ({ source, position }) => {
      const verify = async (): Promise<void> => {
        if (access) throw access;
      };
      const made = createTail({
        source: source(() => principal),
        position,
        access: { verify, isDue: () => false },
        isShared: false,
        monotonic: systemClock.monotonic,
      });
      tail = made;
      return made;
    },
    semaphore,
    clock: systemClock,
  });
  const reader = {
    principal,
    recheck: async () => principal,
    signal: new AbortController().signal,
    onFault: (error: unknown) => void faults.push(error),
  };
  const request = { cursor: 'c0', maxAgeMs: undefined, id: 1, dialect: 'sketch' as const };
  const opened = await openStream(reader, { name: 'alert.changed', endpointId: undefined }, request);
  return {
    ...readStream(new Response(opened)),
    faults,
    tail: () => tail as HubTail,
    endAccess: (error: Error): void => {
      access = error;
    },
    isReleased: (): boolean => semaphore.tryAcquire('key') !== undefined,
  };
}

test('a read that fails is reported once, and repeated until it succeeds', async () => {
  const broken = new Error('SELECT secret');
  const busy = new AppError('overloaded', 'busy');
  const found = { ...nothing(1), occurrences: [occurrence(1)] };
  const stream = await openWith([nothing(0), broken, busy, found]);
  expect(await stream.names(1)).toEqual(['active']);
  const error = await stream.next();
  expect(error).toMatchObject({
    method: 'notifications/events/error',
    params: { error: { code: -32603, message: 'internal error' } },
  });
  expect((await stream.next())?.params).toMatchObject({ eventId: 'evt_1' });
  expect(stream.faults).toEqual([broken]);
});

test('a gap that appears while it reads is a further active', async () => {
  const stream = await openWith([
    { ...nothing(1), occurrences: [occurrence(1)], hasMore: true },
    { ...nothing(9), occurrences: [occurrence(9)], truncated: true },
  ]);
  const messages = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
  expect(messages.map(message => message?.params)).toMatchObject([
    { cursor: 'c0', truncated: false },
    { eventId: 'evt_1' },
    { cursor: 'c1', truncated: true },
    { eventId: 'evt_9' },
  ]);
});

test('an endpoint that is gone when it is read ends the stream when access is checked', async () => {
  const stream = await openWith([nothing(0), notFound('endpoint')]);
  expect(await stream.names(1)).toEqual(['active']);
  stream.endAccess(notFound('endpoint'));
  await stream.tail().recheck();
  expect(await stream.names(3)).toEqual(['terminated', 'result', 'end']);
  expect(stream.isReleased()).toBe(true);
});

test('a stalled client is disconnected without a result', async () => {
  const stream = await openWith([]);
  expect(await stream.names(1)).toEqual(['active']);
  stream.tail().end({ reason: 'stalled' });
  const failure = await stream.next().catch((error: Error) => error.message);
  expect(failure).toContain('stalled');
  expect(stream.isReleased()).toBe(true);
});

test('clients that disconnect leave nothing behind', async () => {
  const { server, ada } = harness;
  const origin = await server.listen();
  await ada.createEndpoint('left');
  const leaving = new AbortController();
  for (const params of [{ name: 'alert.changed' }, { name: 'webhook.received', arguments: { endpoint: 'left' } }]) {
    const request = eventsRequest(ada.key, 'events/stream', params);
    const stream = readStream(await fetch(`${origin}/mcp`, { ...request, signal: leaving.signal }));
    expect(await stream.names(1)).toEqual(['active']);
  }
  expect(server.services.notifications.openTails()).toBe(2);
  leaving.abort();
  await eventually(() => server.services.notifications.openTails() === 0);
});
