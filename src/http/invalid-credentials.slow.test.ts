import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '../testing/browser.ts';
import { holdClock } from '../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

const clock = holdClock();
const password = 'a good long password';
const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const invented = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(52)), byte => letters[byte % 32]).join('');

let server: TestServer;
let ada: TestAccount;
let cookieName: string;
beforeAll(async () => {
  server = await openTestServer({ clock, env: { HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1' } });
  ada = await server.createAccount('ada@example.com', { password });
  cookieName = server.services.cookie.name;
});
afterAll(() => server.close());
// Each test has a minute of its own.
beforeEach(() => clock.advance(60_000));

const invalid: Record<string, () => Record<string, string>> = {
  'API key': () => ({ authorization: `Bearer htk_${invented()}` }),
  token: () => ({ authorization: `Bearer ${invented()}` }),
  cookie: () => ({ host: 'localhost:4665', cookie: `${cookieName}=${invented()}` }),
};
const me = (headers: Record<string, string>) => server.fetch('/api/me', { headers });
const statuses = async (count: number, ask: () => Promise<Response>): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (let i = 0; i < count; i++) {
    const { status } = await ask();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
};

describe('an invented credential', () => {
  test.each(Object.keys(invalid))('%s is refused without a database query', async kind => {
    const { client } = server.services.database;
    const queries = [spyOn(client, 'execute'), spyOn(client, 'batch')];
    expect((await me(invalid[kind]?.() ?? {})).status).toBe(401);
    for (const query of queries) {
      // A shared database has to be asked: another process may have made the credential.
      if (!server.services.isShared) expect(query).not.toHaveBeenCalled();
      query.mockRestore();
    }
  });
});

test('GET /api/session with an invalid cookie makes no database query once there is an account', async () => {
  const ask = () => server.fetch('/api/session', { headers: invalid['cookie']?.() ?? {} });
  expect(await (await ask()).json()).toMatchObject({ error: 'not signed in', setupRequired: false });
  const query = spyOn(server.services.database.client, 'execute');
  expect((await ask()).status).toBe(401);
  if (!server.services.isShared) expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});

test('deleting the last account is noticed', async () => {
  const own = await openTestServer();
  try {
    const session = async (): Promise<unknown> => (await own.fetch('/api/session')).json();
    await own.createAccount('last@example.com');
    expect(await session()).toMatchObject({ setupRequired: false });
    await own.services.account.remove('last@example.com');
    expect(await session()).toMatchObject({ setupRequired: true });
  } finally {
    await own.close();
  }
});

describe('after 300 refusals in a minute', () => {
  test.each(Object.keys(invalid))('%s is refused with 429 and a sufficient Retry-After', async kind => {
    const ask = () => me(invalid[kind]?.() ?? {});
    expect(await statuses(302, ask)).toEqual({ 401: 300, 429: 2 });
    clock.advance(20_000);
    const throttled = await ask();
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '40']);
    clock.advance(40_000);
    expect((await ask()).status).toBe(401);
  });

  test('valid credentials from that address are still accepted, including new ones', async () => {
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/session', { email: 'ada@example.com', password });
    expect(await statuses(301, () => me(invalid['API key']?.() ?? {}))).toEqual({ 401: 300, 429: 1 });
    expect((await ada.call('GET', '/api/me')).status).toBe(200);
    expect((await browser.call('GET', '/api/me')).status).toBe(200);
    const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'made meanwhile' });
    expect((await me({ authorization: `Bearer ${key}` })).status).toBe(200);
    await openBrowser(server).json(201, 'POST', '/api/session', { email: 'ada@example.com', password });
  });

  test('a revoked key is refused with 429, too', async () => {
    const { id, key } = await ada.json<{ id: string; key: string }>(201, 'POST', '/api/keys', { name: 'revoked' });
    await ada.json(200, 'DELETE', `/api/keys/${id}`);
    const use = () => me({ authorization: `Bearer ${key}` });
    expect(await statuses(301, use)).toEqual({ 401: 300, 429: 1 });
  });

  test('429 comes before 400 and 404, and signing in with an old cookie still works', async () => {
    await statuses(300, () => me(invalid['API key']?.() ?? {}));
    const headers = { ...invalid['API key']?.(), 'content-type': 'application/json' };
    const wrongBody = await server.fetch('/api/endpoints', { method: 'POST', headers, body: '{' });
    expect(wrongBody.status).toBe(429);
    expect((await server.fetch('/api/events/evt_none', { headers })).status).toBe(429);
    const browser = openBrowser(server);
    browser.cookie = `${cookieName}=${invented()}`;
    await browser.json(201, 'POST', '/api/session', { email: 'ada@example.com', password });
  });

  test('a request without credentials still gets 401', async () => {
    expect(await statuses(320, () => me({}))).toEqual({ 401: 320 });
    await statuses(301, () => me(invalid['API key']?.() ?? {}));
    const none = await me({});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
  });

  test('/mcp answers 429 to an invalid credential, and serves a valid one', async () => {
    const call = (authorization: string) =>
      server.fetch('/mcp', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
    expect(await statuses(301, () => call(`Bearer htk_${invented()}`))).toEqual({ 401: 300, 429: 1 });
    expect([401, 429]).not.toContain((await call(`Bearer ${ada.key}`)).status);
  });
});

test('each client address behind a trusted proxy has its own count', async () => {
  const origin = await server.listen();
  const ask = (address: string) =>
    fetch(`${origin}/api/me`, { headers: { authorization: 'Bearer htk_no', 'x-forwarded-for': address } });
  expect(await statuses(301, () => ask('198.51.100.1'))).toEqual({ 401: 300, 429: 1 });
  expect((await ask('198.51.100.2')).status).toBe(401);
});

test('keys and sessions from before a restart are still valid', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  try {
    const before = await openTestServer({ directory, clock });
    const bob = await before.createAccount('bob@example.com', { password });
    const browser = openBrowser(before);
    await browser.json(201, 'POST', '/api/session', { email: 'bob@example.com', password });
    await before.close();
    const after = await openTestServer({ directory, clock });
    const use = (headers: Record<string, string>) => after.fetch('/api/me', { headers });
    expect((await use({ authorization: `Bearer ${bob.key}` })).status).toBe(200);
    expect((await use({ host: 'localhost:4665', cookie: browser.cookie })).status).toBe(200);
    await after.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('sessions of one account', () => {
  test('share one rate limit, apart from that of other accounts', async () => {
    const small = await openTestServer({ clock, env: { HOOKTAPE_RATE_LIMIT: '1' } });
    try {
      const signIn = async (email: string) => {
        const browser = openBrowser(small);
        await browser.json(201, 'POST', '/api/session', { email, password });
        return browser;
      };
      await small.createAccount('ada@example.com', { password });
      await small.createAccount('bob@example.com', { password });
      const [phone, laptop, other] = [
        await signIn('ada@example.com'),
        await signIn('ada@example.com'),
        await signIn('bob@example.com'),
      ];
      for (let i = 0; i < 5; i++) for (const browser of [phone, laptop]) await browser.json(200, 'GET', '/api/me');
      for (const browser of [phone, laptop]) expect((await browser.call('GET', '/api/me')).status).toBe(429);
      await other.json(200, 'GET', '/api/me');
    } finally {
      await small.close();
    }
  });
});
