import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createOutbound, type Outbound, type OutboundResult } from '../../net/outbound.ts';
import {
  base,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
} from '../../testing/oauth-harness.ts';
import { closePeers, peer, reply } from '../../testing/raw-destination.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createMetadataFetcher, isMetadataUrl } from './client-metadata-document.ts';

const url = 'https://c.test/oauth/client.json';
const client: TestClient = { id: url, secret: undefined, redirectUri: 'https://c.test/cb' };
const good = { client_id: url, client_name: 'A client', redirect_uris: ['https://c.test/cb'] };

let harness: OAuthHarness;
let ada: SignedInAccount;
let sent: string[];
let answer: (url: string) => Partial<Extract<OutboundResult, { kind: 'answered' }>> | OutboundResult;

const json = (body: unknown, headers: [string, string][] = []) => ({
  status: 200,
  headers: [['Content-Type', 'application/json'] as [string, string], ...headers],
  preview: new TextEncoder().encode(JSON.stringify(body)),
});
const send: Outbound['send'] = async request => {
  sent.push(request.url);
  return { kind: 'answered', truncated: false, durationMs: 1, ...answer(request.url) } as OutboundResult;
};

beforeAll(async () => {
  harness = await openOAuthHarness({ overrides: { send } });
  ada = await harness.createAccount('ada@example.com');
});
beforeEach(async () => {
  sent = [];
  answer = () => json(good);
  // Deletes all clients, and waits until the limits are reset.
  harness.clock.advance(60_000);
  await harness.services.database.client.batch(['DELETE FROM oauth_clients', 'DELETE FROM connected_apps'], 'write');
});
afterEach(closePeers);
afterAll(() => harness.close());

const ask = (over = {}, who = client) => harness.visit(harness.request(who, over), ada.cookie);
const isRefused = async (response: Response, status = 400): Promise<string> => {
  expect([response.status, response.headers.has('location')]).toEqual([status, false]);
  return response.text();
};

describe('client ID metadata documents', () => {
  test('a client with a metadata document connects, and its host is shown as verified', async () => {
    const page = await (await ask()).text();
    expect(page).toContain('<p class="origin verified">c.test</p>');
    const { access_token, refresh_token } = await harness.connect(client, ada);
    expect((await harness.use(access_token)).status).toBe(200);
    expect((await harness.refresh(client, refresh_token)).status).toBe(200);
    const { apps } = await ada.json<{ apps: unknown[] }>(200, 'GET', '/api/apps');
    expect(apps).toMatchObject([{ name: 'A client', clientId: url, verifiedHost: 'c.test' }]);
    expect(sent).toEqual([url]);
  });

  test.each([
    'https://h.test',
    'https://h.test/',
    'http://h.test/c',
    'https://h.test/c#x',
    'https://u@h.test/c',
    'https://h.test/./c',
    'https://h.test/a/../c',
    'https://h.test/a/%2e%2e/c',
    'https://H.test/c',
    'ftp://h.test/c',
  ])('%s is not accepted as a client id, and nothing is fetched', async id => {
    await isRefused(await ask({ client_id: id }));
    expect([isMetadataUrl(id), sent]).toEqual([false, []]);
  });

  test.each([`${url}x`, `${url}/`, url.replace('client', 'Client')])(
    'a document with client_id %s is refused',
    async id => {
      answer = () => json({ ...good, client_id: id });
      await isRefused(await ask());
    },
  );
  test.each([301, 302, 307, 308])('a redirect (%d) is refused and not followed', async status => {
    answer = () => ({ ...json(good), status, headers: [['Location', 'https://c.test/x']] as [string, string][] });
    await isRefused(await ask());
    expect(sent).toEqual([url]);
  });
  test.each([204, 404, 500])('status %d is refused, and the next request fetches again', async status => {
    answer = () => ({ ...json(good), status });
    await isRefused(await ask());
    answer = () => json(good);
    expect((await ask()).status).toBe(200);
    expect(sent).toHaveLength(2);
  });
  test('a document that is too large or too slow is refused', async () => {
    answer = () => ({ ...json(good), truncated: true });
    await isRefused(await ask());
    answer = () => ({ kind: 'unreachable', reason: 'no complete response within 5 s', durationMs: 5000 });
    expect(await isRefused(await ask())).toContain('within 5 s');
  });
  test('a document may be 5 KB and no larger', async () => {
    const limits: (number | undefined)[] = [];
    const fetchDocument = createMetadataFetcher(async request => {
      limits.push(request.previewBytes, request.timeoutMs);
      return { kind: 'refused', reason: 'x' };
    });
    expect(await thrownBy(fetchDocument(url))).toThrow('x');
    expect(limits).toEqual([5120, 5000]);
  });
  test.each([
    ['text/html', 400],
    ['application/foo+json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/jsonx', 400],
  ])('the content type %s is answered %d', async (type, status) => {
    answer = () => ({ ...json(good), headers: [['content-type', type]] as [string, string][] });
    expect((await ask()).status).toBe(status);
  });
  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'])(
    'a host at %s is never connected to, even when it also has a public address',
    async address => {
      const listener = await peer(reply('HTTP/1.1 200 OK'));
      for (const addresses of [[address], ['93.184.216.34', address]]) {
        const guarded = createOutbound({
          allow: [],
          allowLoopback: false,
          clock: harness.clock,
          resolve: async () => addresses.map(text => ({ address: text, family: text.includes(':') ? 6 : 4 })),
        });
        const fetchDocument = createMetadataFetcher(guarded.send);
        expect(await thrownBy(fetchDocument(`https://c.test:${listener.port}/c`))).toThrow('not a public address');
      }
      expect(listener.connects()).toBe(0);
    },
  );
  test('the host name is resolved once, and the connection goes to the checked address', async () => {
    const listener = await peer(reply('HTTP/1.1 200 OK'));
    let lookups = 0;
    const guarded = createOutbound({
      allow: [],
      allowLoopback: false,
      clock: harness.clock,
      // A documentation address, where nothing answers.
      resolve: async () => [{ address: lookups++ === 0 ? '203.0.113.1' : '127.0.0.1', family: 4 }],
    });
    expect(await thrownBy(createMetadataFetcher(guarded.send)(`https://c.test:${listener.port}/c`))).toThrow();
    expect([lookups, listener.connects()]).toEqual([1, 0]);
  });
  test.each([
    [{ client_secret: 'x' }],
    [{ jwks: { keys: [{ kty: 'EC', d: 'x' }] } }],
    [{ token_endpoint_auth_method: 'client_secret_basic' }],
    [{ token_endpoint_auth_methods_supported: ['none', 'client_secret_post'] }],
  ])('a document that contains %j is refused', async over => {
    answer = () => json({ ...good, ...over });
    await isRefused(await ask());
  });
  test.each([
    ['private_key_jwt', 400],
    [['private_key_jwt', 'none'], 200],
    ['none', 200],
  ])('the authentication method %j is answered %d', async (token_endpoint_auth_method, status) => {
    answer = () => json({ ...good, token_endpoint_auth_method });
    expect((await ask()).status).toBe(status);
  });
  test.each([
    ['no-store', 5],
    ['max-age=1', 5],
    ['max-age=3600', 60],
    ['max-age=99999999', 24 * 60],
  ])('with %s the document is fetched again after %d minutes', async (control, minutes) => {
    answer = () => json(good, [['Cache-Control', control]]);
    await ask();
    harness.clock.advance(minutes * 60_000 - 1);
    await ask();
    expect(sent).toHaveLength(1);
    harness.clock.advance(1);
    await ask();
    expect(sent).toHaveLength(2);
  });
  test('existing connections keep working for a week after the document becomes unavailable', async () => {
    let { refresh_token } = await harness.connect(client, ada);
    answer = () => ({ ...json(good), status: 500 });
    for (let day = 1; day < 7; day++) {
      harness.clock.advance(24 * 3_600_000);
      const response = await harness.refresh(client, refresh_token);
      expect(response.status).toBe(200);
      ({ refresh_token } = (await response.json()) as { refresh_token: string });
    }
    await isRefused(await ask());
    harness.clock.advance(24 * 3_600_000);
    expect((await harness.refresh(client, refresh_token)).status).toBe(401);
    answer = () => json(good);
    expect((await harness.refresh(client, refresh_token)).status).toBe(200);
  });
  test('a redirect URI that was removed from the document is refused', async () => {
    await harness.connect(client, ada);
    answer = () => json({ ...good, redirect_uris: ['https://c.test/new'] });
    harness.clock.advance(24 * 3_600_000);
    await isRefused(await ask());
    expect((await ask({ redirect_uri: 'https://c.test/new' })).status).toBe(200);
  });
  test('the documents fetched for one address are limited per minute', async () => {
    const statuses: number[] = [];
    answer = client_id => json({ ...good, client_id });
    for (let i = 0; i < 100; i++) statuses.push((await ask({ client_id: `https://c.test/${i}` })).status);
    expect(statuses.filter(status => status === 429)).toHaveLength(90);
    expect(sent).toHaveLength(10);
  });
  test('concurrent document fetches are limited', async () => {
    const never = createMetadataFetcher(() => new Promise(() => {}));
    for (let i = 0; i < 8; i++) void never(`https://c.test/${i}`);
    expect(() => never('https://c.test/8')).toThrow('too many');
    expect(never('https://c.test/7')).toBeInstanceOf(Promise);
  });
  test('nothing is fetched for a user who is not signed in', async () => {
    const response = await harness.visit(harness.request(client));
    expect([response.status, new URL(response.headers.get('location') ?? '', base).pathname]).toEqual([303, '/login']);
    expect(sent).toEqual([]);
  });
  test('token requests with the id of a known client do not fetch its unavailable document each time', async () => {
    await harness.connect(client, ada);
    harness.clock.advance(24 * 3_600_000);
    sent = [];
    answer = () => ({ ...json(good), status: 500 });
    for (let i = 0; i < 30; i++) expect((await harness.refresh(client, 'x')).status).toBe(400);
    expect(sent).toHaveLength(10);
  });
  test('token requests of unknown clients do not fetch documents', async () => {
    expect((await harness.refresh({ ...client, id: 'https://c.test/unknown' }, 'x')).status).toBe(401);
    expect(sent).toEqual([]);
  });
});
