/* The way of an event through forwards, in the detail of the event, and the statistics of its attempts. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ForwardBench, openForwards, quickRetry } from '../../testing/forwards.ts';
import { eventually } from '../../testing/poll.ts';
import { ok } from '../../testing/replay-jobs.ts';
import { openTestServer } from '../../testing/test-server.ts';
import type { EventDetail } from '../events/model.ts';

setDefaultTimeout(120_000);

let forwards: ForwardBench;
beforeAll(async () => {
  forwards = await openForwards();
});
afterAll(() => forwards.close());

const wayOf = async (event: string, { key }: { key: string } = forwards.ada): Promise<EventDetail['forwards']> => {
  const answer = await forwards.server.fetch(`/api/events/${event}`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as EventDetail).forwards;
};
const untilState = (event: string, state: string) =>
  eventually(async () => (await wayOf(event)).some(way => way.state === state), 20_000);
const reply = (status: number) => (): Response => new Response(null, { status });
const none = { attempts: 0, lastStatus: null, nextAt: null };

describe('the forwards of an event', () => {
  test('that has none', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    expect(await wayOf(await forwards.server.deliver(endpoint))).toEqual([]);
  });

  test('delivered, after how many attempts', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    let calls = 0;
    const { url } = forwards.destination(() => new Response(null, { status: ++calls < 3 ? 503 : 202 }));
    const { id } = await forwards.create(endpoint, { url, retry: quickRetry });
    const event = await forwards.server.deliver(endpoint);
    await untilState(event, 'delivered');
    const delivered = { id, name: 'one', state: 'delivered' as const, attempts: 3, lastStatus: 202, nextAt: null };
    expect(await wayOf(event)).toEqual([delivered]);
    const stats = await forwards.ada.json(200, 'GET', `${forwards.path(endpoint, id)}/stats`);
    expect(stats).toMatchObject({ delivered: 1, failed: 2, p50Ms: expect.any(Number) });
    const { key } = await forwards.ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    expect(await wayOf(event, { key })).toEqual([delivered]);
    // Another forward with the same URL did not send it.
    await forwards.create(endpoint, { url, name: 'two' });
    expect(await wayOf(event)).toEqual([delivered]);
    // A row of an earlier version has only the URL.
    const { client } = forwards.server.services.database;
    await client.execute('UPDATE replays SET forward = NULL, attempts = NULL');
    expect(await wayOf(event)).toMatchObject([{ id, state: 'delivered', attempts: 1 }, { state: 'delivered' }]);
    await client.execute('DELETE FROM replays');
    expect(await wayOf(event)).toMatchObject([{ id, state: 'skipped' }]);
  });

  test('failed, given up, waiting and skipped', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const [failing, refusing] = [forwards.destination(reply(503)), forwards.destination(reply(404))];
    const retry = { for: '1h', first: '10m', max: '10m' };
    const failed = await forwards.create(endpoint, { url: failing.url, name: 'failed', retry });
    const gone = await forwards.create(endpoint, { url: refusing.url, name: 'given up', retry: quickRetry });
    const paused = await forwards.create(endpoint, { url: failing.url, name: 'paused', enabled: false });
    const event = await forwards.server.deliver(endpoint);
    await untilState(event, 'given_up');
    await untilState(event, 'failed');
    const way = await wayOf(event);
    expect(way).toMatchObject([
      { id: failed.id, name: 'failed', state: 'failed', attempts: 1, lastStatus: 503, nextAt: expect.any(Number) },
      { id: gone.id, state: 'given_up', attempts: 3, lastStatus: 404, nextAt: null },
      { id: paused.id, state: 'waiting', attempts: 0, lastStatus: null },
    ]);
    for (const { id } of [failed, gone, paused]) await forwards.act(endpoint, id, 'skip', { eventId: event });
    expect(await wayOf(event)).toEqual(way.map(({ id, name }) => ({ id, name, state: 'skipped', ...none })));
  });

  test('only of those that take it: not the ones that began later, do not match, or do not send refused events', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const before = await forwards.server.deliver(endpoint, '{"n":2}');
    const { url } = forwards.destination(ok);
    await forwards.create(endpoint, { url, where: 'body.n>1' });
    await forwards.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, {
      guard: { methods: ['POST'], onRefuse: 'record' },
    });
    const [small, large] = [
      await forwards.server.deliver(endpoint, '{"n":1}'),
      await forwards.server.deliver(endpoint, '{"n":2}'),
    ];
    await forwards.server.deliver(endpoint, '{"n":3}', { method: 'PUT' }).catch(() => {});
    const listed = `/api/events?endpointId=${endpoint.id}`;
    const { events } = await forwards.ada.json<{ events: { id: string; method: string }[] }>(200, 'GET', listed);
    const refused = events.find(({ method }) => method === 'PUT')?.id ?? '';
    expect(refused).not.toBe('');
    await untilState(large, 'delivered');
    await forwards.idle();
    expect([await wayOf(before), await wayOf(small), await wayOf(refused)]).toEqual([[], [], []]);
  });

  test('an attempt of a delivery whose first attempt is forwarded is not listed', async () => {
    const endpoint = await forwards.ada.createEndpoint();
    const { url } = forwards.destination(ok);
    await forwards.create(endpoint, { url, per: 'delivery' });
    const headers = { 'x-github-event': 'push', 'x-github-delivery': 'one' };
    const [first, second] = [
      await forwards.server.deliver(endpoint, '{}', { headers }),
      await forwards.server.deliver(endpoint, '{}', { headers }),
    ];
    await untilState(first, 'delivered');
    await eventually(async () => (await wayOf(second)).length === 0, 20_000);
  });
});

test('attempts that were counted just before a stop are counted after it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-stats-'));
  try {
    const before = await openForwards({ directory });
    const endpoint = await before.ada.createEndpoint();
    const { url } = before.destination(ok);
    await before.create(endpoint, { url });
    await before.server.deliver(endpoint);
    await before.idle();
    await before.close();
    const after = await openTestServer({ directory });
    const { rows } = await after.services.database.client.execute(
      'SELECT sum(attempts) AS n FROM forward_stats WHERE minutes = 1',
    );
    expect(rows[0]?.['n']).toBe(1);
    await after.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
