import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { errorOf, isConsent, isErrorPage } from '../../testing/oauth-answers.ts';
import {
  base,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
/** Public, on the web. */
let P: TestClient;
/** Public, native. */
let L: TestClient;
/** Confidential. */
let S: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  P = await harness.register();
  L = await harness.register({ redirect_uris: ['http://127.0.0.1/cb', 'http://localhost/cb'] });
  S = await harness.register({ token_endpoint_auth_method: 'client_secret_basic' });
});
afterAll(() => harness.close());

const ask = (client: TestClient, over = {}) => harness.visit(harness.request(client, over), ada.cookie);

describe('clients and redirects', () => {
  test('an unknown client gets an error page', async () => {
    await isErrorPage(await ask({ ...P, id: 'dcr_nobody' }));
  });
  test('a request without client_id gets an error page', async () => {
    await isErrorPage(await ask(P, { client_id: undefined }));
  });
  test('a deleted or disabled client gets an error page', async () => {
    const gone = await harness.register();
    const off = await harness.register();
    await harness.services.database.client.batch(
      [
        { sql: 'DELETE FROM oauth_clients WHERE id = ?', args: [gone.id] },
        { sql: 'UPDATE oauth_clients SET disabled_at = 1 WHERE id = ?', args: [off.id] },
      ],
      'write',
    );
    await isErrorPage(await ask(gone));
    await isErrorPage(await ask(off));
  });
  test('an unregistered redirect URI gets an error page', async () => {
    await isErrorPage(await ask(P, { redirect_uri: 'https://other.test/cb' }));
  });
  test('redirect_uri may be absent when exactly one is registered', async () => {
    await isErrorPage(await ask(L, { redirect_uri: undefined }));
    await isConsent(await ask(P, { redirect_uri: undefined }));
  });
  test.each([
    'https://c.test/cb/x',
    'https://c.test/cb?x=1',
    'https://c.test/cb#x',
    'https://c.test/CB',
    'https://c.test/cb/',
    'https://c.test/x/%2e%2e/cb',
    'https://c.test@evil.test/cb',
    'https://c.test.evil.test/cb',
    'https://c.test:444/cb',
    'http://c.test/cb',
    'https://с.test/cb',
  ])('%s does not match https://c.test/cb', async redirect_uri => {
    await isErrorPage(await ask(P, { redirect_uri }));
  });
  test.each(['http://127.0.0.1:54321/cb', 'http://localhost:54321/cb'])(
    'a native app may use %s, with any port',
    async redirect_uri => {
      await isConsent(await ask(L, { redirect_uri }));
    },
  );
  test.each([
    'http://[::1]:1/cb',
    'http://127.0.0.2:1/cb',
    'https://127.0.0.1:1/cb',
    'http://localhost.evil.test/cb',
    'http://127.0.0.1:54321/cb?x=1',
    'http://127.0.0.1:99999/cb',
    'http://127.0.0.1:1@evil.test/cb',
  ])('a native app may not use %s', async redirect_uri => {
    await isErrorPage(await ask(L, { redirect_uri }));
  });
  test('localhost does not match 127.0.0.1', async () => {
    const client = await harness.register({ redirect_uris: ['http://localhost/cb'] });
    await isErrorPage(await ask(client, { redirect_uri: 'http://127.0.0.1:1/cb' }));
  });
});

describe('parameters', () => {
  test('a repeated client_id or redirect_uri gets an error page, other repeated parameters are reported to the client', async () => {
    for (const name of ['client_id', 'redirect_uri'])
      await isErrorPage(await ask(P, [[name, name === 'client_id' ? P.id : P.redirectUri]]));
    for (const name of ['state', 'response_type', 'code_challenge', 'code_challenge_method'])
      expect(await errorOf(await ask(P, [[name, 'x']]))).toBe('invalid_request');
    const twice = await ask(P, [
      ['scope', 'webhooks'],
      ['scope', 'webhooks'],
    ]);
    expect(await errorOf(twice)).toBe('invalid_request');
  });
  test.each([
    [undefined, 'invalid_request'],
    ['token', 'unsupported_response_type'],
    ['id_token', 'unsupported_response_type'],
    ['code token', 'unsupported_response_type'],
    ['none', 'unsupported_response_type'],
  ])('response_type %s is refused with %s', async (response_type, error) => {
    expect(await errorOf(await ask(P, { response_type }))).toBe(error);
  });
  test('PKCE is required of every client', async () => {
    for (const client of [P, S])
      expect(await errorOf(await ask(client, { code_challenge: undefined }))).toBe('invalid_request');
  });
  test.each(['plain', undefined, 'S512', 's256'])(
    'code_challenge_method %s is refused',
    async code_challenge_method => {
      expect(await errorOf(await ask(P, { code_challenge_method }))).toBe('invalid_request');
    },
  );
  test.each(['a'.repeat(42), 'a'.repeat(44), 'a'.repeat(129), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}+`])(
    'code_challenge %s is refused',
    async code_challenge => {
      expect(await errorOf(await ask(P, { code_challenge }))).toBe('invalid_request');
    },
  );
  test('unknown parameters are ignored', async () => {
    await isConsent(await ask(P, { foo: 'x', nonce: 'n', ui_locales: 'de' }));
  });
  test('an empty parameter counts as absent', async () => {
    const location = await harness.consent(P, ada, { scope: '', state: '' });
    expect(location.searchParams.has('code')).toBe(true);
    expect(location.searchParams.has('state')).toBe(false);
  });
  test.each([
    ['2 KB', 's'.repeat(2048)],
    ['unicode', 'żółć 🐙'],
    ['markup', '<script>alert(1)</script>'],
    ['line ends', 'a\r\nLocation: https://evil.test/'],
    ['NUL', 'a\0b'],
  ])('a state of %s is returned unchanged', async (_, state) => {
    const page = await ask(P, { state });
    const answered = await harness.answer(await harness.handleIn(page), ada.cookie);
    expect(answered.headers.get('location')).not.toMatch(/[\r\n]/);
    expect(new URL(answered.headers.get('location') ?? '').searchParams.get('state')).toBe(state);
  });
  test('a state over 4 KB is refused', async () => {
    expect(await errorOf(await ask(P, { state: 's'.repeat(4097) }))).toBe('invalid_request');
  });
  test('every response has iss and the state, and keeps the query of the redirect URI', async () => {
    const client = await harness.register({ redirect_uris: ['https://c.test/cb?tenant=7&x='] });
    const good = await harness.consent(client, ada);
    const denied = await harness.consent(client, ada, { state: undefined }, 'deny');
    const wrong = await ask(client, { response_type: 'token' });
    for (const url of [good, denied, new URL(wrong.headers.get('location') ?? '')]) {
      expect(url.searchParams.getAll('iss')).toEqual([base]);
      expect(url.href).toStartWith('https://c.test/cb?tenant=7&x=&');
      expect(url.href).not.toContain('#');
    }
    expect([good.searchParams.getAll('state'), denied.searchParams.getAll('state')]).toEqual([['a-state'], []]);
  });
  test.each(['', '/', '/api', '/mcp'])('the resource BASE%s is accepted', async suffix => {
    await isConsent(await ask(P, { resource: base + suffix }));
  });
  test('a resource may have any case in scheme and host, and be repeated', async () => {
    await isConsent(await ask(P, { resource: 'HTTPS://HOOKS.TEST/mcp' }));
    await isConsent(
      await ask(P, [
        ['resource', base],
        ['resource', `${base}/`],
      ]),
    );
  });
  test.each(['https://other.test/mcp', '/mcp', `${base}/mcp#x`, `${base}/mcp/`, `${base}/MCP`, `${base}.evil.test`])(
    'the resource %s is refused',
    async resource => {
      expect(await errorOf(await ask(P, { resource }))).toBe('invalid_target');
    },
  );
  test('two different resources are refused', async () => {
    expect(
      await errorOf(
        await ask(P, [
          ['resource', base],
          ['resource', `${base}/mcp`],
        ]),
      ),
    ).toBe('invalid_target');
  });
  test('other response modes and request objects are refused, and nothing is fetched', async () => {
    for (const response_mode of ['fragment', 'form_post'])
      expect(await errorOf(await ask(P, { response_mode }))).toBe('invalid_request');
    expect(await errorOf(await ask(P, { request: 'e30.e30.' }))).toBe('request_not_supported');
    expect(await errorOf(await ask(P, { request_uri: 'https://evil.test/' }))).toBe('request_uri_not_supported');
  });
});
