/* Credentials that end between the head of a request and the end of its body. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Browser, openBrowser } from '../testing/browser.ts';
import { openWire } from '../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

const password = 'correct horse battery';

let server: TestServer;
let ada: TestAccount;
let browser: Browser;
let count = 0;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createAccount(`ada${++count}@example.com`, { password });
  browser = openBrowser(server);
  await browser.json(201, 'POST', '/api/session', { email: ada.email, password });
});

const bearer = (key: string): string => `Authorization: Bearer ${key}\r\n`;
const cookie = (): string => `Cookie: ${browser.cookie}\r\nSec-Fetch-Site: same-origin\r\n`;

/** Sends a head, runs `meanwhile` when the server asks for the body, and sends that. @returns the status of the answer */
async function post(path: string, fields: string, body: object, meanwhile: () => Promise<unknown>): Promise<number> {
  const text = JSON.stringify(body);
  const wire = await openWire(await server.listen());
  wire.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}Content-Type: application/json\r\n` +
      `Accept: application/json, text/event-stream\r\nExpect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n`,
  );
  await wire.until(/^HTTP\/1\.1 100 /);
  await meanwhile();
  wire.write(text);
  const answer = await wire.until(/\r\n\r\nHTTP\/1\.1 \d{3} /);
  wire.destroy();
  return Number(/\r\n\r\nHTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}

const reset = () => server.services.account.resetPassword(ada.email, 'a fresh long password');
const keysOf = () => server.services.keys.list(ada.accountId);

describe('a request whose body comes after its credentials ended is refused', () => {
  test('an API key that was revoked makes no new key', async () => {
    const [key = { id: '' }] = await keysOf();
    const revoke = () => server.services.keys.revoke(ada.accountId, key.id);
    expect(await post('/api/keys', bearer(ada.key), { name: 'another' }, revoke)).toBe(401);
    expect(await keysOf()).toEqual([]);
  });

  test('a session that a password reset ended makes no key', async () => {
    expect(await post('/api/keys', cookie(), { name: 'another' }, reset)).toBe(401);
    expect(await keysOf()).toEqual([]);
  });

  test('nor does it invite anybody', async () => {
    expect(await post('/api/team/invitations', cookie(), { email: 'eve@example.com' }, reset)).toBe(401);
  });

  test('an agent’s call does nothing', async () => {
    const call = { name: 'create_endpoint', arguments: { name: 'by an agent' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    expect(await post('/mcp', bearer(ada.key), message, reset)).toBe(401);
    const { services } = server;
    const account = await services.account.byEmail(ada.email);
    expect(await services.endpoints.list({ ...account, app: undefined })).toMatchObject({ endpoints: [] });
  });
});

test('a request whose credentials hold is served with the rights of now', async () => {
  await server.services.account.setPlan(ada.email, 'free');
  const upgrade = () => server.services.account.setPlan(ada.email, 'pro');
  await ada.createEndpoint();
  expect(await post('/api/endpoints', bearer(ada.key), { name: 'second' }, upgrade)).toBe(201);
});

test('signing in needs no session, so one that ends meanwhile is no obstacle', async () => {
  const end = () => browser.json(200, 'DELETE', '/api/session');
  const given = { email: ada.email, password };
  expect(await post('/api/session', cookie(), given, end)).toBe(201);
});
