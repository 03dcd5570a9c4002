/* Alerts from a condition to a receiver, with a held clock; and their operations. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { type AlertBench, openAlerts, type ReceivedRequest, sentOf, to, typesOf } from '../../testing/alerts.ts';
import { createAlertsStore } from './store.ts';

const minute = 60_000;
let bench: AlertBench;
beforeAll(async () => {
  bench = await openAlerts();
});
afterAll(() => bench.close());
afterEach(() => bench.clear());
const alertsOf = async ({ id }: { id: string }): Promise<unknown> =>
  (await bench.ada.json(200, 'GET', `/api/endpoints/${id}`))['alerts'];

describe('silence', () => {
  test('fires once, is resolved once, and says of which alert and endpoint', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint('Shop');
    const { id, channel } = await bench.create(endpoint.id, {
      name: 'Quiet',
      kind: 'silence',
      minutes: 3,
      ...to(target),
    });
    await bench.pass(2.5 * minute);
    expect(target.received).toEqual([]);
    await bench.pass(5 * minute);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
    expect(await bench.alert(endpoint.id)).toMatchObject({ firing: true, lastError: null });
    expect(await alertsOf(endpoint)).toEqual({ enabled: 1, firing: 1 });
    await bench.server.deliver(endpoint);
    await bench.pass(2 * minute);
    expect(typesOf(target.received)).toEqual(['alert.fired', 'alert.resolved']);
    expect(await bench.alert(endpoint.id)).toMatchObject({ firing: false, lastSentAt: expect.any(Number) });
    expect(await alertsOf(endpoint)).toEqual({ enabled: 1, firing: 0 });
    await bench.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}/alerts/${id}`, { enabled: false });
    expect(await alertsOf(endpoint)).toEqual({ enabled: 0, firing: 0 });
    await bench.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}/alerts/${id}`, { enabled: true });

    const { path, headers, text } = target.received[0] as ReceivedRequest;
    expect(path).toBe('/hook');
    expect(sentOf({ path, headers, text })).toEqual({
      type: 'alert.fired',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: {
        alert: { id, name: 'Quiet', kind: 'silence' },
        endpoint: { id: endpoint.id, name: 'Shop' },
        reason: 'no event for 3 minutes',
        items: [],
        count: null,
        held: 0,
        url: `http://localhost:4665/app/endpoints/${endpoint.id}`,
      },
    });
    // The library compares with the real clock, and the server has a held one.
    const raw = new Webhook(channel.secret ?? '').sign(
      headers['webhook-id'] ?? '',
      new Date(Number(headers['webhook-timestamp']) * 1000),
      text,
    );
    expect(headers['webhook-signature']).toBe(raw);
  });

  test('counts only events that match', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 1, where: 'body.kind:order', ...to(target) });
    for (let i = 0; i < 4; i++) {
      await bench.server.deliver(endpoint, '{"kind":"order"}');
      await bench.pass(50_000);
    }
    expect(target.received).toEqual([]);
    await bench.server.deliver(endpoint, '{"kind":"other"}');
    await bench.pass(20_000);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });

  test('imported events do not end it', async () => {
    const target = bench.receiver();
    const [source, endpoint] = [await bench.ada.createEndpoint(), await bench.ada.createEndpoint()];
    await bench.server.deliver(source);
    await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
    await bench.pass(minute + 10_000);
    // An event with a new row number and an old time of receipt.
    await bench.server.services.database.client.execute({
      sql: `UPDATE events SET endpoint = (SELECT seq FROM endpoints WHERE id = ?) WHERE seq = (SELECT max(seq) FROM events)`,
      args: [endpoint.id],
    });
    await bench.server.services.database.client.execute('UPDATE alerts SET position = 0, due_at = -1');
    await bench.pass(minute);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });

  test.each([
    ['forward', 30 * 24 * 60 * minute],
    ['back', -30 * 24 * 60 * minute],
  ])('a clock that jumps %s changes nothing', async (_, jumpMs) => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 2, ...to(target) });
    await bench.pass(minute);
    bench.clock.setNow(bench.clock.now() + jumpMs);
    await bench.pass(50_000);
    expect(target.received).toEqual([]);
    await bench.pass(20_000);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });

  test('time in which the endpoint is paused does not count', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    const pause = (paused: boolean) => bench.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { paused });
    await bench.create(endpoint.id, { kind: 'silence', minutes: 2, ...to(target) });
    await bench.pass(minute);
    await pause(true);
    await bench.pass(10 * minute);
    await pause(false);
    await bench.pass(40_000);
    expect(target.received).toEqual([]);
    await bench.pass(40_000);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });

  test('an alert whose minutes are changed is checked by the new ones', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    const { id } = await bench.create(endpoint.id, { kind: 'silence', minutes: 600, ...to(target) });
    await bench.pass(minute);
    await bench.ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}/alerts/${id}`, { minutes: 1 });
    await bench.pass(minute + 10_000);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });

  test('an endpoint that is deleted does not fire', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
    await bench.ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    await bench.pass(3 * minute);
    expect(target.received).toEqual([]);
  });

  test('a suspended server has not waited', async () => {
    const target = bench.receiver();
    const endpoint = await bench.ada.createEndpoint();
    await bench.create(endpoint.id, { kind: 'silence', minutes: 2, ...to(target) });
    for (let i = 0; i < 20; i++) {
      bench.clock.advance(10 * minute);
      await bench.check();
    }
    expect(target.received).toEqual([]);
    await bench.pass(2 * minute + 5000);
    expect(typesOf(target.received)).toEqual(['alert.fired']);
  });
});

test('bad signatures: three in five minutes by default', async () => {
  const target = bench.receiver();
  const endpoint = await bench.ada.createEndpoint();
  await bench.ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'right' });
  const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
  const alert = await bench.create(endpoint.id, { kind: 'bad_signatures', ...to(target) });
  expect(alert).toMatchObject({ minutes: 5, count: 3, where: null, firing: false });
  for (let i = 0; i < 3; i++) {
    expect(target.received).toEqual([]);
    await bench.server.deliver(endpoint, '{}', { headers });
    await bench.server.deliver(endpoint, '{"no":"signature"}');
    await bench.pass(5000);
  }
  expect(typesOf(target.received)).toEqual(['alert.fired']);
  await bench.pass(6 * minute);
  expect(typesOf(target.received)).toEqual(['alert.fired', 'alert.resolved']);
});

test('new types: existing ones are not new, and several are one notification', async () => {
  const target = bench.receiver();
  const endpoint = await bench.ada.createEndpoint();
  const push = (type: string) =>
    bench.server.deliver(endpoint, '{"a":1}', { headers: { 'x-github-event': type, 'x-github-delivery': type } });
  await push('push');
  await bench.create(endpoint.id, { kind: 'new_type', ...to(target) });
  await push('push');
  await bench.pass(2 * minute);
  expect(target.received).toEqual([]);
  await push('star');
  await push('fork');
  // The first look has them learned, the second sees them.
  await bench.pass(20_000);
  expect(target.received.map(one => sentOf(one).data)).toMatchObject([
    { count: 2, reason: '2 new event types', items: ['star (github)', 'fork (github)'] },
  ]);
  expect((await bench.alert(endpoint.id)).firing).toBe(false);
});

test('schema changes, of the events that match', async () => {
  const target = bench.receiver();
  const endpoint = await bench.ada.createEndpoint();
  const push = (type: string, body: string) =>
    bench.server.deliver(endpoint, body, { headers: { 'x-github-event': type } });
  for (let i = 0; i < 60; i++) for (const type of ['push', 'star']) await push(type, `{"a":${i}}`);
  await bench.create(endpoint.id, { kind: 'schema_change', where: 'type:star', ...to(target) });
  for (const type of ['push', 'star']) await push(type, '{"a":1,"extra<!channel>":2}');
  await bench.server.services.schemaLearner.catchUp();
  await bench.pass(10_000);
  expect(target.received.map(one => sentOf(one).data)).toMatchObject([
    { count: 1, items: [expect.stringMatching(/^star \(github\): .*extra<!channel>"? is new$/)] },
  ]);
});

test('a disabled alert is silent, and starts anew when it is enabled', async () => {
  const target = bench.receiver();
  const endpoint = await bench.ada.createEndpoint();
  const { id } = await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
  const path = `/api/endpoints/${endpoint.id}/alerts/${id}`;
  await bench.ada.json(200, 'PATCH', path, { enabled: false });
  await bench.pass(5 * minute);
  expect(target.received).toEqual([]);
  await bench.ada.json(200, 'PATCH', path, { enabled: true });
  await bench.pass(50_000);
  expect(target.received).toEqual([]);
  await bench.pass(30_000);
  expect(typesOf(target.received)).toEqual(['alert.fired']);
});

test('a deleted alert sends nothing more, and leaves nothing', async () => {
  const target = bench.receiver(() => new Response('', { status: 503 }));
  const endpoint = await bench.ada.createEndpoint();
  const { id } = await bench.create(endpoint.id, { kind: 'silence', minutes: 1, ...to(target) });
  await bench.pass(minute + 10_000);
  const tries = target.received.length;
  expect(tries).toBeGreaterThan(0);
  await bench.ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/alerts/${id}`);
  await bench.pass(5 * minute);
  expect(target.received).toHaveLength(tries);
  const { rows } = await bench.server.services.database.client.execute({
    sql: `SELECT owner FROM queues WHERE owner = ?`,
    args: [id],
  });
  expect(rows).toEqual([]);
});

test('the queues of alerts that went with their endpoint are removed', async () => {
  const { database } = bench.server.services;
  await database.client.execute(
    `INSERT INTO queues (kind, owner) VALUES ('alert', 'alr_gone'), ('replay', 'job_there')`,
  );
  await createAlertsStore(database).sweep();
  const { rows } = await database.client.execute('SELECT owner FROM queues');
  expect(rows.map(({ owner }) => owner)).toContain('job_there');
  expect(rows.map(({ owner }) => owner)).not.toContain('alr_gone');
});
