import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from './testing/clock.ts';
import { exchange } from './testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from './testing/test-server.ts';

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
afterAll(() => server.close());

describe('the order of checks', () => {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const post = (headers: Record<string, string>, body: string) =>
    server.fetch('/api/endpoints', { method: 'POST', headers, body });

  test.each([
    ['nothing', {}],
    ['a malformed key', bearer('nonsense')],
    ['a key that was never made', bearer(`htk_${'0'.repeat(52)}`)],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('401 before 400 and 404 with %s', async (_name, headers) => {
    for (const response of [
      await post(headers, '{broken'),
      await server.fetch('/api/events?limit=zero', { headers }),
      await server.fetch('/api/no/such/thing', { headers }),
    ]) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer');
      expect(await response.json()).toEqual({ error: expect.any(String) });
    }
  });

  test('the scheme is not case-sensitive', async () => {
    expect((await server.fetch('/api/me', { headers: { authorization: `bEaReR ${ada.key}` } })).status).toBe(200);
  });

  test.each([['{broken'], [''], ['[]'], ['null'], ['"name"'], ['{}'], ['{"name":5}'], ['{"name":null}']])(
    '400 with { error } for the body %s',
    async body => {
      const response = await post({ ...bearer(ada.key), 'content-type': 'application/json' }, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: expect.any(String),
        problems: [{ path: expect.any(String), message: expect.any(String) }],
      });
    },
  );

  test('a JSON body is JSON whatever its content type says', async () => {
    const response = await post({ ...bearer(ada.key), 'content-type': 'text/plain' }, '{"name":"typed"}');
    expect(response.status).toBe(201);
  });

  test.each([
    ['GET', '/api/nothing'],
    ['GET', '/api/endpoints/%2e%2e%2f%00'],
    ['GET', '/api/events/evt_..%2f'],
    ['DELETE', '/api/keys/%ff'],
  ])('404 with { error } for %s %s', async (method, path) => {
    const response = await ada.call(method, path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  test('413 with { error } for a huge API body, but 401 first', async () => {
    const origin = await server.listen();
    const request = (auth: string) =>
      `POST /api/endpoints HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\nContent-Length: 999999999\r\n\r\n`;
    expect(await exchange(origin, request(''))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await exchange(origin, request(`Authorization: Bearer ${ada.key}\r\n`))).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*\{"error"/,
    );
  });

  test.each(['', 'a', 'evil.test/@x', 'a b', 'x:99999'])('a Host of %j changes nothing for the API', async host => {
    const answer = await exchange(
      await server.listen(),
      `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ada.key}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the rate limit', () => {
  test('is exact: the full number in a minute and no more; waiting Retry-After is enough; per credential', async () => {
    const limited = await openTestServer({ clock, env: { HOOKTAPE_RATE_LIMIT: '5' } });
    const eve = await limited.createAccount('eve@example.com');
    const status = async (path = '/api/me') => (await eve.call('GET', path)).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    clock.advance(20_000);
    expect([await status(), await status('/api/nothing'), await status()]).toEqual([200, 404, 200]);
    const refused = await eve.call('POST', '/api/endpoints', '{broken');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(await refused.json()).toEqual({ error: expect.any(String) });

    const other = await limited.services.keys.create(eve.accountId, 'other');
    expect((await limited.fetch('/api/me', { headers: { authorization: `Bearer ${other.key}` } })).status).toBe(200);

    clock.advance(39_999);
    expect(await status()).toBe(429);
    clock.advance(1);
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    clock.setNow(clock.now() + 86_400_000);
    expect(await status()).toBe(429);
    await limited.close();
  });
});

describe('/healthz and /readyz', () => {
  test('need no credentials', async () => {
    expect((await server.fetch('/healthz')).status).toBe(200);
    expect((await server.fetch('/readyz')).status).toBe(200);
  });
});
