import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { callTool } from '../../testing/mcp.ts';
import { storedEvent } from '../../testing/schemas.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { SchemaChange, TypeSchema } from './model.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

const github = (event: string) => ({ headers: { 'content-type': 'application/json', 'x-github-event': event } });

const learnAll = async (): Promise<void> => {
  server.services.schemaLearner.wake();
  await server.services.background.idle();
};

/** Stores events of a new endpoint, in this order, and learns from them. */
async function endpointWith(events: readonly Parameters<typeof storedEvent>[1][]) {
  const { id, url } = await ada.createEndpoint();
  const { seq } = await server.services.endpoints.owned(await teamOf(), id);
  if (events.length > 0) await server.services.insertImported(events.map(event => storedEvent(seq, event)));
  await learnAll();
  const base = `/api/endpoints/${id}/schemas`;
  return {
    id,
    url,
    list: async () => (await ada.json<{ schemas: TypeSchema[] }>(200, 'GET', base)).schemas,
    changes: async () => (await ada.json<{ changes: SchemaChange[] }>(200, 'GET', `${base}/changes`)).changes,
    get: (type: string, query = '') => ada.call('GET', `${base}/${type}${query}`),
    json: (type: string, query = '') => ada.json(200, 'GET', `${base}/${type}${query}`),
  };
}
const teamOf = async () => {
  const { rows } = await server.services.database.client.execute('SELECT team_id FROM accounts');
  return { teamId: String(rows[0]?.[0]) };
};

describe('GET /api/endpoints/{id}/schemas', () => {
  test('lists the types by name, with what was just delivered', async () => {
    const endpoint = await endpointWith([]);
    expect(await endpoint.list()).toEqual([]);
    await server.deliver(endpoint, '{"a":1}', github('push'));
    await server.deliver(endpoint, '{"a":2}', github('push'));
    await server.deliver(endpoint, '{"a":2}', github('fork'));
    await server.deliver(endpoint, '[1]');
    await learnAll();
    const { events } = await ada.json<{ events: { receivedAt: number }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${endpoint.id}`,
    );
    const [untyped = 0, fork = 0, second = 0, first = 0] = events.map(({ receivedAt }) => receivedAt);
    expect(await endpoint.list()).toEqual([
      { platform: null, type: null, count: 1, firstAt: untyped, lastAt: untyped, changedAt: untyped },
      { platform: 'github', type: 'fork', count: 1, firstAt: fork, lastAt: fork, changedAt: fork },
      { platform: 'github', type: 'push', count: 2, firstAt: first, lastAt: second, changedAt: first },
    ]);
  });

  test('changes when a path, a kind of value or an absence is new', async () => {
    const bodies = [
      '{"a":1}',
      '{"a":2}',
      '{"a":3,"b":1}',
      '{"a":4,"b":2}',
      '{"a":5,"b":3}',
      '{"a":null,"b":3}',
      '{"b":3}',
    ];
    const seen: number[] = [];
    for (let count = 1; count <= bodies.length; count++) {
      const endpoint = await endpointWith(bodies.slice(0, count).map((body, n) => ({ body, receivedAt: 100 + n })));
      seen.push((await endpoint.list())[0]?.changedAt ?? 0);
    }
    expect(seen).toEqual([100, 100, 102, 102, 102, 105, 106]);
  });

  test('times are the first and last of receipt, also of imported events', async () => {
    const endpoint = await endpointWith([5000, 1000, 3000].map(receivedAt => ({ body: '1', receivedAt })));
    expect(await endpoint.list()).toMatchObject([{ count: 3, firstAt: 1000, lastAt: 5000 }]);
  });

  test('leaves out bodies that are not JSON', async () => {
    const bodies = [
      'a=1&b=2',
      '<a/>',
      '',
      '{"a":1',
      '{"a":1}x',
      'nope',
      Buffer.from([0x22, 0xff, 0x22]),
      '\ufeff{"b":1}',
    ];
    const endpoint = await endpointWith(bodies.map(body => ({ body })));
    expect(await endpoint.list()).toMatchObject([{ count: 1 }]);
    expect(await endpoint.json('-')).toMatchObject({ properties: { b: { type: 'integer' } } });
  });

  test('reads large bodies up to 8 MiB', async () => {
    const padded = (megabytes: number): string => `{"size${megabytes}":1,"text":"${'x'.repeat(megabytes << 20)}"}`;
    const endpoint = await endpointWith([{ body: padded(1) }, { body: padded(7) }, { body: padded(8) }]);
    expect(Object.keys((await endpoint.json('-'))['properties'] as object)).toEqual(['size1', 'text', 'size7']);
  });

  test('learns at most 500 types of an endpoint', async () => {
    const endpoint = await endpointWith(
      Array.from({ length: 1030 }, (_, n) => ({ body: '{}', type: `t${String(n % 515).padStart(3, '0')}` })),
    );
    const schemas = await endpoint.list();
    expect([schemas.length, schemas[0], schemas.at(-1)]).toMatchObject([500, { count: 2 }, { type: 't499', count: 2 }]);
  });
});

describe('GET /api/endpoints/{id}/schemas/{type}', () => {
  const order = '{"id":9007199254740993,"paid":true}';

  test('is a bare JSON Schema, or source code', async () => {
    const endpoint = await endpointWith([{ body: order, platform: 'stripe', type: 'invoice.paid' }]);
    const expected = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'invoice.paid',
      type: 'object',
      properties: { id: { type: 'integer' }, paid: { type: 'boolean' } },
      required: ['id', 'paid'],
    };
    for (const query of ['', '?as=jsonschema', '?platform=stripe', '?platform=Stripe']) {
      const response = await endpoint.get('invoice.paid', query);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual(expected);
    }
    for (const [as, start] of [
      ['typescript', 'export type InvoicePaid = {'],
      ['zod', 'export const InvoicePaid = z.object({'],
    ]) {
      const response = await endpoint.get('invoice.paid', `?as=${as}`);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const lines = (await response.text()).split('\n');
      expect(lines.filter(line => line.startsWith('export'))).toEqual([start as string]);
    }
  });

  test.each([
    ['a/b', 'a%2Fb'],
    ['größe 100%', encodeURIComponent('größe 100%')],
    ['?#&', '%3F%23%26'],
    ['</script>', encodeURIComponent('</script>')],
    ['changes', '%63hanges'],
  ])('has the type %s in its path', async (type, encoded) => {
    const endpoint = await endpointWith([{ body: order, type }]);
    expect((await endpoint.list())[0]?.type).toBe(type);
    expect(await endpoint.json(encoded)).toMatchObject({ title: type });
  });

  test('has "-" for events without a type, and counts a type of that name among them', async () => {
    const endpoint = await endpointWith([{ body: order }, { body: '{"id":1}', type: '-' }]);
    expect(await endpoint.list()).toMatchObject([{ type: null, count: 2 }]);
    const schema = await endpoint.json('-');
    expect([schema['required'], 'title' in schema]).toEqual([['id'], false]);
  });

  test('is of the platform with the most events, unless one is given', async () => {
    const push = (platform: string | null, body: string) => ({ body, platform, type: 'push' });
    const endpoint = await endpointWith([
      push('GitHub', '{"a":1}'),
      push('gitlab', '{"b":1}'),
      push('gitlab', '{"b":1}'),
      push(null, '{"c":1}'),
    ]);
    const keys = async (query: string) => Object.keys((await endpoint.json('push', query))['properties'] as object);
    expect(await keys('')).toEqual(['b']);
    expect(await keys('?platform=github')).toEqual(['a']);
    expect(await keys('?platform=-')).toEqual(['c']);
    expect((await endpoint.get('push', '?platform=stripe')).status).toBe(404);
  });

  test.each([['%'], ['%zz'], ['%ff'], ['%00']])('is refused for the path %s, which names no type', async path => {
    const endpoint = await endpointWith([{ body: order }]);
    expect([400, 404]).toContain((await endpoint.get(path)).status);
  });

  test.each([
    ['?as=xml', 400],
    ['?platform=', 400],
    ['?as=zod&as=zod', 400],
    ['', 404],
  ])('%s is %d for a type that was never seen', async (query, status) => {
    const endpoint = await endpointWith([{ body: order }]);
    expect((await endpoint.get('unknown', query)).status).toBe(status);
  });
});

describe('GET /api/endpoints/{id}/schemas/changes', () => {
  const times = (count: number, body: string, type = 'order.paid') =>
    Array.from({ length: count }, () => ({ body, type, platform: 'acme' }));

  test('has a planted rename and a planted change of type once each, newest first, with the event', async () => {
    const endpoint = await endpointWith([
      ...times(30, '{"data":{"amount":1},"items":[{"sku":"A"}]}'),
      ...times(60, '{"data":{"total":1},"items":[{"sku":"A"}]}'),
      ...times(10, '{"data":{"total":1},"items":[{"sku":1}]}'),
      ...times(10, '{"other":true}', 'order.sent'),
    ]);
    const changes = await endpoint.changes();
    const order = { platform: 'acme', type: 'order.paid' };
    expect(changes).toMatchObject([
      { ...order, kind: 'type', path: 'items[].sku' },
      { ...order, kind: 'vanished', path: 'data.amount' },
      { ...order, kind: 'new', path: 'data.total' },
    ]);
    for (const { eventId, at } of changes) {
      const event = await ada.json(200, 'GET', `/api/events/${eventId}`);
      expect(event['receivedAt']).toBe(at);
    }
    expect(await endpoint.changes()).toEqual(changes);
  });

  test('keeps the newest 500', async () => {
    const many = (kind: string) =>
      `{${Array.from({ length: 520 }, (_, n) => `"${kind}${n}":${n % 2 ? 1 : '"x"'}`).join()}}`;
    const endpoint = await endpointWith([...times(20, '{"a":1}'), ...times(1, many('field_x'))]);
    const changes = await endpoint.changes();
    expect([changes.length, changes[0]?.path, changes.at(-1)?.path]).toEqual([500, 'field_x519', 'field_x20']);
  });
});

test('schemas stay when their events are removed, and go with the endpoint', async () => {
  const endpoint = await endpointWith([{ body: '{"a":1}' }, { body: '{"a":2}' }]);
  expect(await endpoint.list()).toMatchObject([{ count: 2 }]);
  const { client } = server.services.database;
  const { events } = await ada.json<{ events: { id: string }[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
  for (const { id } of events) await ada.json(200, 'DELETE', `/api/events/${id}`);
  expect(await endpoint.list()).toMatchObject([{ count: 2 }]);
  await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
  expect((await endpoint.get('-')).status).toBe(404);
  await client.execute({ sql: 'UPDATE endpoints SET deleted_at = 1 WHERE id = ?', args: [endpoint.id] });
  server.services.retention.wake();
  await server.services.background.idle();
  for (const table of ['schemas', 'schema_changes']) {
    const { rows } = await client.execute(
      `SELECT count(*) FROM ${table} WHERE endpoint NOT IN (SELECT seq FROM endpoints)`,
    );
    expect(Number(rows[0]?.[0])).toBe(0);
  }
  const { rows } = await client.execute({ sql: 'SELECT 1 FROM endpoints WHERE id = ?', args: [endpoint.id] });
  expect(rows).toHaveLength(0);
});

test('an agent reads the types and a schema, with the notice', async () => {
  const endpoint = await endpointWith([{ body: '{"a":1}', platform: 'stripe', type: 'invoice.paid' }]);
  const tool = async (given: object) =>
    (await callTool(server.fetch, ada.key, 'get_schema', { endpointId: endpoint.id, ...given })).structuredContent;
  expect(await tool({})).toMatchObject({
    notice: expect.stringContaining('Untrusted'),
    schemas: [{ platform: 'stripe', type: 'invoice.paid', count: 1 }],
    text: null,
    truncated: false,
  });
  expect(await tool({ type: 'invoice.paid' })).toMatchObject({
    schemas: [{ type: 'invoice.paid' }],
    text: expect.stringContaining('export type InvoicePaid = {\n  a: number;\n};'),
  });
  expect(await tool({ type: 'invoice.paid', as: 'jsonschema' })).toMatchObject({
    text: expect.stringContaining('"title": "invoice.paid"'),
  });
  const wide = `{${Array.from({ length: 1900 }, (_, n) => `"property_number_${n}":${n % 2 ? 1 : '"x"'}`).join()}}`;
  const large = await endpointWith([{ body: wide }]);
  expect(await tool({ endpointId: large.id, type: '-' })).toMatchObject({
    text: expect.stringContaining('property_number_10'),
    truncated: true,
  });
});
