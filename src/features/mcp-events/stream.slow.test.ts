/* `events/stream`: the order of its messages, its ends, and how many an app may open. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EventsHarness, eventsRequest, openEventsHarness, readStream } from '../../testing/mcp-events.ts';
import type { TestAccount, TestServer } from '../../testing/test-server.ts';

let harness: EventsHarness;
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  harness = await openEventsHarness({ HOOKTAPE_RATE_LIMIT: '2000' });
  ({ server, ada } = harness);
});
afterAll(() => harness.close());

const watching = (endpoint: string, more: object = {}) => ({
  name: 'webhook.received',
  arguments: { endpoint },
  ...more,
});
const newKey = (more: object = {}): Promise<{ id: string; key: string }> =>
  ada.json(201, 'POST', '/api/keys', { name: 'streams', ...more });
const extension = { 'io.modelcontextprotocol/events': {} };

test('a stream begins with active, sends events as they come, and its cursors continue in polls', async () => {
  const endpoint = await ada.createEndpoint('live');
  const stream = await harness.stream(ada.key, watching('live'));
  expect(stream.response.headers.get('content-type')).toStartWith('text/event-stream');
  const active = await stream.next();
  expect(active).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/events/active',
    params: {
      cursor: expect.any(String),
      truncated: false,
      _meta: { 'io.modelcontextprotocol/subscriptionId': 7 },
    },
  } as never);
  const ids = [await server.deliver(endpoint, '{"n":1}'), await server.deliver(endpoint, '{"n":2}')];
  const first = await stream.next();
  expect(first).toMatchObject({
    method: 'notifications/events/event',
    params: {
      eventId: ids[0],
      name: 'webhook.received',
      data: { endpointName: 'live' },
      _meta: { 'io.modelcontextprotocol/subscriptionId': 7 },
    },
  });
  expect((await stream.next())?.params?.eventId).toBe(ids[1] ?? '');
  await stream.close();
  const poll = async (cursor: unknown) =>
    ((await harness.ask(ada.key, 'events/poll', watching('live', { cursor }))) as { result: { events: object[] } })
      .result.events;
  expect(await poll(active?.params?.cursor)).toHaveLength(2);
  expect(await poll(first?.params?.cursor)).toHaveLength(1);
  const again = await harness.stream(ada.key, watching('live', { cursor: first?.params?.cursor }));
  expect(await again.names(2)).toEqual(['active', 'event']);
  await again.close();
});

test('a backlog longer than one read comes whole and in order, while events arrive', async () => {
  const endpoint = await ada.createEndpoint('backlog');
  const start = (await harness.after(ada, 'webhook.received', { endpoint: 'backlog' })).cursor;
  const ids: string[] = [];
  const deliver = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) ids.push(await server.deliver(endpoint, `{"n":${ids.length}}`));
  };
  await deliver(45);
  const stream = await harness.stream(ada.key, watching('backlog', { cursor: start }));
  const arriving = deliver(15);
  expect((await stream.next())?.params).toMatchObject({ truncated: false });
  const got: unknown[] = [];
  while (got.length < 60) got.push((await stream.next())?.params?.eventId);
  await arriving;
  expect(got).toEqual(ids);
  await stream.close();
});

test('what maxAgeMs or retention took is said in active', async () => {
  const endpoint = await ada.createEndpoint('aged');
  const start = (await harness.after(ada, 'webhook.received', { endpoint: 'aged' })).cursor;
  await server.deliver(endpoint, '{"old":1}');
  harness.advance(60_000);
  const fresh = await server.deliver(endpoint, '{"new":1}');
  const stream = await harness.stream(ada.key, watching('aged', { cursor: start, maxAgeMs: 30_000 }));
  expect((await stream.next())?.params).toMatchObject({ truncated: true });
  expect((await stream.next())?.params).toMatchObject({ eventId: fresh });
  await stream.close();
});

test('changes of alerts come at once', async () => {
  const endpoint = await ada.createEndpoint('alerting');
  const other = await harness.bob.createEndpoint('alerting, too');
  const streams = [
    await harness.stream(ada.key, { name: 'alert.changed' }),
    await harness.stream(ada.key, { name: 'alert.changed', arguments: { endpoint: 'alerting' } }),
  ];
  for (const stream of streams) expect(await stream.names(1)).toEqual(['active']);
  await harness.addAlertChange(other, 'not this');
  await harness.addAlertChange(endpoint, 'this');
  for (const stream of streams) {
    expect((await stream.next())?.params).toMatchObject({ name: 'alert.changed', data: { text: 'this' } });
    await stream.close();
  }
});

describe('a stream ends', () => {
  const ends = [
    [undefined, -32012, -32011],
    [extension, -32024, -32023],
  ] as const;
  test.each(ends)(
    'with terminated when its key or its endpoint ends (extensions: %j)',
    async (declared, forbidden, gone) => {
      const { id, key } = await newKey({ readOnly: true });
      const endpoint = await ada.createEndpoint('ending');
      const open = (by: string, params: object) => harness.stream(by, params, declared);
      const ofKey = [await open(key, watching(endpoint.id)), await open(key, { name: 'alert.changed' })];
      const ofEndpoint = [
        await open(ada.key, watching(endpoint.id)),
        await open(ada.key, { name: 'alert.changed', arguments: { endpoint: endpoint.id } }),
      ];
      for (const stream of [...ofKey, ...ofEndpoint]) expect(await stream.names(1)).toEqual(['active']);
      await ada.json(200, 'DELETE', `/api/keys/${id}`);
      await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
      for (const stream of ofKey) {
        const { method, params } = (await stream.next()) ?? {};
        expect([method, params?.error?.code]).toEqual(['notifications/events/terminated', forbidden]);
      }
      for (const stream of ofEndpoint) {
        const { params } = (await stream.next()) ?? {};
        expect(params?.error).toMatchObject({ code: gone, data: { kind: 'endpoint' } });
      }
      for (const stream of [...ofKey, ...ofEndpoint]) {
        expect(await stream.next()).toMatchObject({ id: 7, result: { resultType: 'complete' } });
        expect(await stream.next()).toBeUndefined();
      }
    },
  );

  test('with terminated, when its key expires', async () => {
    const { key } = await newKey({ expiresIn: '1h' });
    const stream = await harness.stream(key, { name: 'alert.changed' });
    expect(await stream.names(1)).toEqual(['active']);
    harness.advance(3_600_000);
    expect(await stream.names(3)).toEqual(['terminated', 'result', 'end']);
  });
});

describe('a stream is refused', () => {
  test.each([
    ['for an unknown type', { name: 'nothing' }, -32011],
    ['for a missing endpoint', watching('ep_none'), -32011],
    ['for a wrong cursor', { name: 'alert.changed', cursor: 'x' }, -32602],
    ['without a name', {}, -32602],
  ])('%s', async (_, params, code) => {
    expect(await harness.ask(ada.key, 'events/stream', params)).toMatchObject({ error: { code } });
  });

  test('in a batch', async () => {
    const request = eventsRequest(ada.key, 'events/stream', { name: 'alert.changed' });
    const legacy = { jsonrpc: '2.0', id: 1, method: 'events/stream', params: { name: 'alert.changed' } };
    const { 'mcp-method': _, 'mcp-protocol-version': __, ...headers } = request.headers as Record<string, string>;
    const response = await server.fetch('/mcp', { ...request, headers, body: JSON.stringify([legacy]) });
    expect(await response.text()).toContain('must be the only message');
    const stream = readStream(
      await server.fetch('/mcp', { ...request, headers, body: JSON.stringify(legacy).replace('/', '\\/') }),
    );
    expect(await stream.names(1)).toEqual(['active']);
    await stream.close();
  });
});

test('an app or a key has 100 streams, and they do not count as requests', async () => {
  const own = await openEventsHarness({ HOOKTAPE_RATE_LIMIT: '3' });
  const open = () => own.stream(own.bob.key, { name: 'alert.changed' });
  const streams = [];
  for (let n = 0; n < 100; n++) streams.push(await open());
  for (const stream of streams) expect(await stream.names(1)).toEqual(['active']);
  expect(await own.ask(own.bob.key, 'events/stream', { name: 'alert.changed' })).toMatchObject({
    error: { code: -32013, data: { limit: 'streams', max: 100 } },
  });
  expect(await (await own.stream(own.ada.key, { name: 'alert.changed' })).names(1)).toEqual(['active']);
  await streams[0]?.close();
  expect(await (await open()).names(1)).toEqual(['active']);
  // A header that names a stream does not exempt another method.
  const claiming = eventsRequest(own.bob.key, 'events/list', {});
  const headers = { ...(claiming.headers as Record<string, string>), 'mcp-method': 'events/stream' };
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await own.server.fetch('/mcp', { ...claiming, headers })).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
  own.server.services.notifications.shutDown();
  expect(await streams[1]?.names(2)).toEqual(['result', 'end']);
  await own.close();
});

test('a quiet stream has a heartbeat with a cursor at least every 30 s', async () => {
  const endpoint = await ada.createEndpoint('quiet');
  const where = { arguments: { endpoint: 'quiet', where: 'type:never' } };
  const stream = await harness.stream(ada.key, { name: 'webhook.received', ...where });
  const active = await stream.next();
  await server.deliver(endpoint);
  const startedAt = performance.now();
  const heartbeat = await stream.next();
  expect(heartbeat?.method).toBe('notifications/events/heartbeat');
  expect(performance.now() - startedAt).toBeLessThan(30_000);
  // Events that do not match move it on.
  expect(heartbeat?.params?.cursor).not.toBe(active?.params?.cursor ?? '');
  await stream.close();
}, 60_000);
