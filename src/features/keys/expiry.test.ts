/* Keys that expire, and keys that only read. What a read-only key may do is tried for every operation in http/conformance.long.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { callTool } from '../../testing/mcp.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { ApiKey, CreatedApiKey } from './model.ts';

const day = 86_400_000;
const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

const create = (body: object) => ada.json<CreatedApiKey>(201, 'POST', '/api/keys', { name: 'ci', ...body });
const use = async ({ key }: { key: string }, path = '/api/me', init: RequestInit = {}) =>
  server.fetch(path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
const remove = ({ id }: { id: string }) => ada.json(200, 'DELETE', `/api/keys/${id}`);
const listed = async ({ id }: { id: string }) =>
  (await ada.json<{ keys: ApiKey[] }>(200, 'GET', '/api/keys')).keys.find(key => key.id === id);

describe('a key with an expiry', () => {
  test.each([
    ['expiresIn', { expiresIn: '30d' }],
    ['expiresAt', { expiresAt: clock.now() + 30 * day }],
  ])('given by %s is refused with 401 from then on, and stays in the list', async (_, given) => {
    clock.setNow(Date.UTC(2026, 10, 1));
    const key = await create(given);
    expect([key.expiresAt, key.readOnly]).toEqual([clock.now() + 30 * day, false]);
    clock.advance(30 * day - 1);
    expect((await use(key)).status).toBe(200);
    clock.advance(1);
    const refused = await use(key);
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: 'credentials are missing, invalid or revoked' },
    ]);
    expect(await listed(key)).toMatchObject({ expiresAt: clock.now() });
    await remove(key);
  });

  test('cannot go on in a stream that was opened before', async () => {
    const { id } = await ada.createEndpoint();
    const key = await create({ expiresIn: '1h' });
    const origin = await server.listen();
    const stream = await fetch(`${origin}/api/endpoints/${id}/stream`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    expect(stream.status).toBe(200);
    clock.advance(3_600_000);
    // Ends by itself: access is checked every second.
    await stream.text();
    await remove(key);
  });

  test.each([[{}], [{ expiresAt: null }], [{ expiresIn: null }]])('%j: it never expires', async given => {
    const key = await create(given);
    expect(key.expiresAt).toBeNull();
    clock.advance(4000 * day);
    expect((await use(key)).status).toBe(200);
    await remove(key);
  });

  test.each([
    [{ expiresAt: 0 }],
    [{ expiresAt: 1.5 }],
    [{ expiresAt: '2027-01-01' }],
    [{ expiresAt: 9e15 }],
    [{ expiresIn: '0' }],
    [{ expiresIn: '1y' }],
    [{ expiresIn: '3651d' }],
    [{ expiresIn: '30d', expiresAt: 9e15 }],
    [{ readOnly: 'yes' }],
  ])('400 for %j', async given => {
    const { error } = await ada.json<{ error: string }>(400, 'POST', '/api/keys', { name: 'x', ...given });
    expect(error).toMatch(/expires|readOnly/);
  });

  // Processes that share a database look up every key that they do not know.
  test.skipIf(isRemote)('is not looked up once the index was read again', async () => {
    const key = await create({ expiresIn: '1h' });
    clock.advance(3_600_000);
    await server.services.readCredentials();
    let queries = 0;
    const { client } = server.services.database;
    const { execute } = client;
    client.execute = ((...given: Parameters<typeof execute>) => {
      queries++;
      return execute(...given);
    }) as typeof execute;
    expect((await use(key)).status).toBe(401);
    client.execute = execute;
    expect(queries).toBe(0);
    await remove(key);
  });
});

describe('a read-only key', () => {
  test('reads events and streams, and changes nothing', async () => {
    const endpoint = await ada.createEndpoint();
    const event = await server.deliver(endpoint);
    const key = await create({ readOnly: true });
    expect(await listed(key)).toMatchObject({ readOnly: true, expiresAt: null });
    expect((await use(key, `/api/events/${event}`)).status).toBe(200);
    const tested = await use(key, `/api/endpoints/${endpoint.id}/where/test`, {
      method: 'POST',
      body: '{"where":"method:POST"}',
    });
    expect(await tested.json()).toMatchObject({ matched: [{ id: event }] });
    const refused = await use(key, `/api/events/${event}`, { method: 'DELETE' });
    expect([refused.status, await refused.json()]).toEqual([403, { error: expect.stringContaining('read-only') }]);
    expect((await ada.call('GET', `/api/events/${event}`)).status).toBe(200);
    await remove(key);
  });

  test('has no tools over MCP that change or replay', async () => {
    const endpoint = await ada.createEndpoint();
    const event = await server.deliver(endpoint);
    const key = await create({ readOnly: true });
    const call = (name: string, given: Record<string, unknown>) => callTool(server.fetch, key.key, name, given);
    expect((await call('get_event', { eventId: event })).structuredContent).toMatchObject({ id: event });
    const count = async () => (await ada.json<{ endpoints: object[] }>(200, 'GET', '/api/endpoints')).endpoints.length;
    const before = await count();
    for (const [name, given] of [
      ['create_endpoint', { name: 'by an agent' }],
      ['replay_event', { eventId: event, url: endpoint.url }],
    ] as const)
      expect((await call(name, given))?.structuredContent).toBeUndefined();
    expect(await count()).toBe(before);
    expect(await ada.json(200, 'GET', `/api/events/${event}`)).toMatchObject({ replays: [] });
    await remove(key);
  });
});
