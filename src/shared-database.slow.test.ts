/* Several Hooktape processes on one libSQL server (HOOKTAPE_DATABASE_URL). */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createAuthenticator } from './testing/authenticator.ts';
import { openBrowser } from './testing/browser.ts';
import { eventually } from './testing/poll.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './testing/remote/libsql-server.ts';
import { readSse } from './testing/sse.ts';
import { openTestServer, type TestServer } from './testing/test-server.ts';

describe.skipIf(noLibsqlServer !== undefined)('two processes on one libSQL server', () => {
  let libsql: LibsqlServer;
  const open: TestServer[] = [];
  beforeAll(async () => {
    libsql = await startLibsqlServer();
  }, 20_000);
  afterEach(async () => {
    await Promise.all(open.splice(0).map(server => server.close()));
  });
  afterAll(() => libsql.remove());

  const join = async (): Promise<TestServer> => {
    const server = await openTestServer({ env: { HOOKTAPE_DATABASE_URL: libsql.url } });
    open.push(server);
    return server;
  };

  test('that start at the same time on an empty database both become ready', async () => {
    const [one, two] = await Promise.all([join(), join()]);
    expect([await one?.services.readiness.problem(), await two?.services.readiness.problem()]).toEqual([
      undefined,
      undefined,
    ]);
  }, 20_000);

  test('accept deliveries at the same time: every response has its own event, and nothing is stored twice or lost', async () => {
    const [one, two] = [await join(), await join()];
    const ada = await one.createAccount();
    const endpoint = await ada.createEndpoint();
    const sent = Array.from({ length: 60 }, (_, n) => `{"n":${n}}`);
    const ids = await Promise.all(sent.map((body, i) => (i % 2 ? one : two).deliver(endpoint, body)));
    expect(new Set(ids).size).toBe(sent.length);
    const read = async (id: string) =>
      (await ada.json<{ payloadRaw: string }>(200, 'GET', `/api/events/${id}`)).payloadRaw;
    expect(await Promise.all(ids.map(read))).toEqual(sent);
    const { eventCount } = await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${endpoint.id}`);
    expect(eventCount).toBe(sent.length);

    // An endpoint deleted through one process is soon unknown to the other.
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    const late = () =>
      two.deliver(endpoint).then(
        () => 'stored',
        error => String(error),
      );
    await eventually(async () => (await late()).includes('404'));
  }, 20_000);

  test('a passkey’s response that one has accepted is refused by the other', async () => {
    const [one, two] = [await join(), await join()];
    const email = 'passkeys@example.com';
    const password = 'a good long password';
    await one.createAccount(email, { password });
    const browser = openBrowser(one);
    await browser.json(201, 'POST', '/api/session', { email, password });
    const authenticator = createAuthenticator('http://localhost:4665');
    const creation = authenticator.create(await browser.json(200, 'POST', '/api/me/passkeys/options', {}));
    await browser.json(201, 'POST', '/api/me/passkeys', { name: 'phone', response: creation });
    const options = () => openBrowser(one).json<{ challenge: string }>(200, 'POST', '/api/session/passkey/options', {});
    const signIn = async (at: TestServer, response: object) =>
      (await openBrowser(at).call('POST', '/api/session/passkey', { response })).status;
    const response = authenticator.get(await options());
    await browser.json(200, 'GET', '/api/me');
    expect(await signIn(two, response)).toBe(201);
    expect(await signIn(one, response)).toBe(401);
    expect(await signIn(two, authenticator.get(await options()))).toBe(201);
  }, 20_000);

  test('a new URL, its overlap and a pause that one makes are soon known to the other', async () => {
    const [one, two] = [await join(), await join()];
    const ada = await one.createAccount('urls@example.com');
    const before = await ada.createEndpoint();
    await two.deliver(before);
    const post = async (url: string) =>
      (await fetch(`${await two.listen()}${new URL(url).pathname}`, { method: 'POST', body: '{}' })).status;
    const path = `/api/endpoints/${before.id}`;
    const after = await ada.json<{ url: string; previousUrls: { id: string }[] }>(200, 'POST', `${path}/rotate`, {});
    expect([await post(after.url), await post(before.url)]).toEqual([200, 200]);
    await ada.json(200, 'DELETE', `${path}/previous-urls/${after.previousUrls[0]?.id}`);
    await eventually(async () => (await post(before.url)) === 404);
    await ada.json(200, 'PATCH', path, { paused: true });
    await eventually(async () => (await post(after.url)) === 503);
    await ada.json(200, 'PATCH', path, { paused: false });
    await eventually(async () => (await post(after.url)) === 200);
  }, 20_000);

  test('a stream of one soon ends when the other ends its access, even if that stops at once like a command', async () => {
    const [one, two] = [await join(), await join()];
    const ada = await one.createAccount('revoked@example.com');
    const endpoint = await ada.createEndpoint();
    const { id, key } = await one.services.keys.create(ada.accountId, 'stream');
    const url = `${await one.listen()}/api/endpoints/${endpoint.id}/stream`;
    const [ended, other] = await Promise.all(
      [key, ada.key].map(token => readSse(url, { authorization: `Bearer ${token}` })),
    );
    const event = await one.deliver(endpoint);
    expect((await ended?.count(1))?.[0]?.id).toBe(event);
    await two.services.keys.revokeById(id);
    open.splice(open.indexOf(two), 1);
    await two.close();
    await eventually(() => ended?.ended() === 'ended', 3000);
    expect(other?.ended()).toBe('no');
    other?.close();
  }, 20_000);

  test('a feed read through one has what the other stores, in order, also while a call waits', async () => {
    const [one, two] = [await join(), await join()];
    const ada = await one.createAccount('feed@example.com');
    const endpoint = await ada.createEndpoint();
    const feed = (query: string) =>
      ada.json<{ events: { id: string }[]; cursor: string }>(200, 'GET', `/api/endpoints/${endpoint.id}/feed?${query}`);
    const waiting = feed('wait=25');
    await eventually(() => one.services.notifications.openTails() === 1);
    const ids = [await two.deliver(endpoint)];
    const first = await waiting;
    ids.push(...(await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).deliver(endpoint)))));
    const rest = await feed(`after=${first.cursor}&limit=100`);
    expect([...first.events, ...rest.events].map(({ id }) => id)).toEqual(ids.sort());
  }, 20_000);

  test('answer 503 with Retry-After and are not ready when the libSQL server is down', async () => {
    const server = await join();
    const ada = await server.createAccount('bob@example.com');
    const endpoint = await ada.createEndpoint();
    const origin = await server.listen();
    await libsql.remove();
    const known = await fetch(`${origin}${new URL(endpoint.url).pathname}`, { method: 'POST', body: 'x' });
    expect([known.status, Number(known.headers.get('retry-after')) > 0]).toEqual([503, true]);
    // Another process may have created the endpoint, so 404 would be wrong.
    const perhaps = await fetch(`${origin}/in/${'0'.repeat(32)}`, { method: 'POST', body: 'x' });
    expect([perhaps.status, Number(perhaps.headers.get('retry-after')) > 0]).toEqual([503, true]);
    expect((await ada.call('GET', '/api/me')).status).toBe(503);
    expect((await server.fetch('/readyz')).status).toBe(503);
  }, 20_000);
});
