/* A destination that is down for a long time, with a held clock: it is asked once a minute, and then everything arrives. */
import { afterEach, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { type ForwardBench, openForwards } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';
import { createForwardsStore } from './store.ts';

let forwards: ForwardBench | undefined;
afterEach(() => forwards?.close());

const down = (): Response => new Response(null, { status: 503 });
const minutes = 60_000;

describe('a destination that is down', () => {
  for (const mode of ['parallel', 'ordered'] as const)
    test(`${mode}: one event a minute for 40 minutes, then everything, each once`, async () => {
      const clock = holdClock();
      forwards = await openForwards({ clock });
      const { server, ada } = forwards;
      const endpoint = await ada.createEndpoint();
      let isDown = true;
      const { url, received } = forwards.destination(() => (isDown ? down() : ok()));
      const lanes = mode === 'ordered' ? { mode, orderBy: 'body.lane' } : { mode };
      const { id } = await forwards.create(endpoint, { url, ...lanes, retry: { for: '24h', first: '5s', max: '1h' } });
      const sent: string[] = [];
      const deliver = async (): Promise<void> => {
        sent.push(`{"lane":${sent.length % 3},"n":${sent.length}}`);
        await server.deliver(endpoint, sent.at(-1));
      };
      for (let n = 0; n < 12; n++) await deliver();
      const step = async (ms: number): Promise<void> => {
        clock.advance(ms);
        await forwards?.idle();
      };
      await forwards.idle();
      for (let n = 0; n < 200 && (await forwards.show(endpoint, id)).state !== 'probing'; n++) await step(5000);
      expect((await forwards.show(endpoint, id)).state).toBe('probing');
      const before = received.length;
      expect(before).toBeGreaterThanOrEqual(10);
      expect(before).toBeLessThan(20);
      await step(1 * minutes);
      const probed = received.length;
      for (let minute = 0; minute < 38; minute++) {
        if (minute % 2 === 0) await deliver();
        await step(1 * minutes);
      }
      expect(received.length - probed).toBeGreaterThan(34);
      expect(received.length - probed).toBeLessThanOrEqual(38);
      const shown = await forwards.show(endpoint, id);
      expect(shown.waiting + shown.failed).toBe(sent.length);
      expect(shown.lagS).toBeGreaterThan(2300);
      isDown = false;
      const during = received.length;
      await step(1 * minutes);
      await step(1 * minutes);
      await eventually(async () => {
        const { waiting, failed, state } = (await forwards?.show(endpoint, id)) ?? {};
        if (waiting === 0 && failed === 0) return state === 'ok';
        await step(1 * minutes);
        return false;
      });
      const arrived = received.slice(during).map(({ body }) => body);
      expect(arrived.toSorted()).toEqual(sent.toSorted());
      if (mode === 'ordered')
        for (const lane of [0, 1, 2]) {
          const inLane = (body: string): boolean => body.startsWith(`{"lane":${lane},`);
          expect(arrived.filter(inLane)).toEqual(sent.filter(inLane));
        }
    }, 120_000);

  test('five minutes of failures are enough, and an event is given up after `retry.for`; the clock may go back', async () => {
    const clock = holdClock();
    forwards = await openForwards({ clock });
    const { server, ada } = forwards;
    const endpoint = await ada.createEndpoint();
    const { url, received } = forwards.destination(down);
    const { id } = await forwards.create(endpoint, { url, retry: { for: '20m', first: '1m', max: '2m' } });
    await server.deliver(endpoint, '{}');
    await forwards.idle();
    for (let n = 0; n < 7; n++) {
      clock.advance(1 * minutes);
      await forwards.idle();
    }
    expect((await forwards.show(endpoint, id)).state).toBe('probing');
    expect(received.length).toBeLessThan(10);
    clock.setNow(clock.now() - 48 * 3_600_000);
    for (let n = 0; n < 30; n++) {
      clock.advance(1 * minutes);
      await forwards.idle();
    }
    expect(await forwards.deliveries(endpoint, id)).toMatchObject([
      { state: 'given_up', lastStatus: 503, lastError: 'not delivered within 20m' },
    ]);
  }, 120_000);
});

test('an event is tried again when its first wait is as long as the whole time', async () => {
  const held = holdClock();
  // No two readings are the same.
  const now = (): number => {
    held.advance(1);
    return held.now();
  };
  forwards = await openForwards({ clock: { ...held, now } });
  const endpoint = await forwards.ada.createEndpoint();
  const retry = { for: '1h', first: '1h', max: '1h' };
  const { id } = await forwards.create(endpoint, { url: forwards.destination(down).url, retry });
  await forwards.server.deliver(endpoint, '{}');
  await forwards.idle();
  expect(await forwards.show(endpoint, id)).toMatchObject({ failed: 1, givenUp: 0 });
});

test('a URL that is changed while the old one is probed gets its events at once', async () => {
  const clock = holdClock();
  forwards = await openForwards({ clock });
  const { server, ada } = forwards;
  const endpoint = await ada.createEndpoint();
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const before = forwards.destination(async () => {
    if (isHeld) await held.promise;
    return down();
  });
  const { id } = await forwards.create(endpoint, { url: before.url, retry: { for: '24h', first: '5s', max: '5s' } });
  for (let n = 0; n < 20; n++) await server.deliver(endpoint, `{"n":${n}}`);
  await forwards.idle();
  for (let n = 0; n < 20 && (await forwards.show(endpoint, id)).state !== 'probing'; n++) {
    clock.advance(5000);
    await forwards.idle();
  }
  isHeld = true;
  const probes = before.received.length;
  clock.advance(1 * minutes);
  server.services.queues.wake('forward', id);
  await eventually(() => before.received.length === probes + 1);
  const after = forwards.destination(ok);
  await ada.json(200, 'PATCH', forwards.path(endpoint, id), { url: after.url });
  held.resolve();
  await forwards.idle();
  expect(after.received.map(({ body }) => body)).toContain('{"n":19}');
  expect(await forwards.show(endpoint, id)).toMatchObject({ state: 'ok', failingSince: null });
}, 120_000);

test('events are not queued under settings that were changed meanwhile', async () => {
  forwards = await openForwards();
  const { server, ada } = forwards;
  const endpoint = await ada.createEndpoint();
  const { id } = await forwards.create(endpoint, { url: forwards.destination(ok).url });
  const store = createForwardsStore(server.services.database);
  const stale = await store.open(id);
  if (!stale) throw new Error('the forward is gone');
  const move = () => store.writeMoved(store.movePositionStatements(stale, stale.position));
  expect(await move()).toBe(true);
  for (const change of [{ where: 'type:x' }, { where: '', mode: 'ordered' }, { mode: 'parallel', per: 'delivery' }]) {
    await ada.json(200, 'PATCH', forwards.path(endpoint, id), change);
    expect(await move()).toBe(false);
  }
});
