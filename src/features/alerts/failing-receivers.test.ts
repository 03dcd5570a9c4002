/* Alerts whose receiver fails, or is away for a while. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { type AlertBench, openAlerts, to, typesOf } from '../../testing/alerts.ts';

const minute = 60_000;
let bench: AlertBench;
beforeAll(async () => {
  bench = await openAlerts();
});
afterAll(() => bench.close());
afterEach(() => bench.clear());

describe('a receiver that fails', () => {
  test('gets the same notification again, with the same id, and then the next one', async () => {
    const target = bench.receiver(n => new Response('', { status: n <= 3 ? 503 : 200 }));
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
    await bench.pass(minute + 10_000);
    expect(await bench.alert(endpoint.id)).toMatchObject({ lastError: 'the receiver answered 503', lastSentAt: null });
    await bench.pass(3 * minute);
    expect(typesOf(target.received)).toEqual(Array(4).fill('alert.fired'));
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await bench.alert(endpoint.id)).toMatchObject({ lastError: null, lastSentAt: expect.any(Number) });
  });

  test('for good is given up after three attempts', async () => {
    const target = bench.receiver(() => new Response('', { status: 404 }));
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
    await bench.pass(30 * minute);
    expect(target.received).toHaveLength(3);
    expect((await bench.alert(endpoint.id)).lastError).toBe('given up: the receiver answered 404');
  });
});

describe('a receiver that was away', () => {
  /** A condition that begins and ends again and again. */
  const flap = async (where: { origin: string }, times: number) => {
    const endpoint = await bench.ada.createEndpoint();
    const alert = await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(where) });
    for (let i = 0; i < times; i++) {
      await bench.pass(2.5 * minute);
      await bench.server.deliver(endpoint);
    }
    return { endpoint, path: `/api/endpoints/${endpoint.id}/alerts/${alert.id}` };
  };
  const awayAtFirst = () => {
    const state = { isAway: true };
    return { ...bench.receiver(() => new Response('', { status: state.isAway ? 503 : 200 })), state };
  };

  test('gets the notification that it missed, and not all that changed meanwhile', async () => {
    const target = awayAtFirst();
    await flap(target, 6);
    const before = target.received.length;
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    target.state.isAway = false;
    await bench.pass(20 * minute);
    // The condition holds again, so nothing else is to be said.
    expect(typesOf(target.received.slice(before))).toEqual(['alert.fired']);
  });

  test('is forgotten with a new channel, which gets what waits at once', async () => {
    const { endpoint, path } = await flap(awayAtFirst(), 3);
    const target = bench.receiver();
    await bench.ada.json(200, 'PATCH', path, to(target));
    await bench.check();
    expect(typesOf(target.received)).toEqual(['alert.fired']);
    expect(await bench.alert(endpoint.id)).toMatchObject({ lastError: null, lastSentAt: expect.any(Number) });
  });

  test('gets nothing of a former condition', async () => {
    const target = awayAtFirst();
    const { path } = await flap(target, 3);
    target.state.isAway = false;
    const before = target.received.length;
    await bench.ada.json(200, 'PATCH', path, { minutes: 600 });
    await bench.pass(20 * minute);
    expect(target.received).toHaveLength(before);
  });
});
