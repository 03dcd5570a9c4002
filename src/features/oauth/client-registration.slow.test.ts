import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { failure, type OAuthHarness, openOAuthHarness } from '../../testing/oauth-harness.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { readRegistration } from './client-metadata.ts';

let harness: OAuthHarness;

beforeAll(async () => {
  harness = await openOAuthHarness();
});
afterAll(() => harness.close());

const register = (body: unknown, headers: Record<string, string> = {}): Promise<Response> => {
  // Past the limit of the request before.
  harness.clock.advance(3_600_000);
  return harness.fetch('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
};
const uris = (...redirect_uris: string[]) => ({ redirect_uris });
const badUri = '400 invalid_redirect_uri';
const badMetadata = '400 invalid_client_metadata';

describe('POST /register', () => {
  test.each([
    [
      'MCP SDK v1',
      {
        redirect_uris: ['http://localhost:8090/callback'],
        client_name: 'x',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    [
      'MCP SDK v2',
      {
        redirect_uris: ['http://localhost:8090/callback'],
        client_name: 'x',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    [
      'VS Code',
      {
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.visualstudio.com',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://127.0.0.1/',
          'http://127.0.0.1:33418/',
        ],
        scope: '',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
    ],
    [
      'Cursor',
      {
        client_name: 'Cursor',
        redirect_uris: [
          'cursor://anysphere.cursor-mcp/oauth/callback',
          'http://localhost:8787/callback',
          'https://www.cursor.com/agents/mcp/oauth/callback',
        ],
        token_endpoint_auth_method: 'none',
        logo_uri: null,
      },
    ],
    [
      'mcp-remote',
      {
        redirect_uris: ['http://localhost:3335/oauth/callback'],
        token_endpoint_auth_method: 'none',
        client_name: 'MCP CLI Proxy',
        software_id: 'x',
        software_version: '1',
      },
    ],
    [
      'OpenCode',
      {
        redirect_uris: ['http://127.0.0.1:19876/mcp/oauth/callback'],
        client_name: 'OpenCode',
        client_uri: 'https://opencode.ai',
        token_endpoint_auth_method: 'none',
      },
    ],
  ])('%s registers and gets its metadata in the response', async (_, body) => {
    const response = await register(body);
    expect(response.status).toBe(201);
    const got = (await response.json()) as Record<string, unknown>;
    const isPublic = 'token_endpoint_auth_method' in body;
    expect(got['redirect_uris']).toEqual(body.redirect_uris);
    expect(got['client_id']).toMatch(/^dcr_/);
    expect(got['client_id_issued_at']).toBe(Math.floor(harness.clock.now() / 1000));
    expect(got['token_endpoint_auth_method']).toBe(isPublic ? 'none' : 'client_secret_basic');
    expect(['client_secret' in got, got['client_secret_expires_at']]).toEqual([!isPublic, isPublic ? undefined : 0]);
    expect(got).not.toHaveProperty('software_id');
  });

  test('a client without the grant type refresh_token gets no refresh token', async () => {
    const ada = await harness.createAccount('ada@example.com');
    const client = await harness.register({ grant_types: ['authorization_code'] });
    expect(await harness.connect(client, ada)).not.toHaveProperty('refresh_token');
  });

  test.each([
    [{}],
    [{ redirect_uris: [] }],
    [{ redirect_uris: 'https://c.test/cb' }],
    [{ redirect_uris: [5] }],
    [uris(...Array.from({ length: 11 }, (_, i) => `https://c.test/${i}`))],
    [uris(`https://c.test/${'x'.repeat(2000)}`)],
  ])('invalid redirect URIs are refused: %j', async body => {
    expect(await failure(await register(body))).toBe(badUri);
  });

  test.each([
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://c.test/x',
    'about:blank',
    'ftp://c.test/cb',
    'http://c.test/cb',
    'https://c.test/cb#x',
    'https://c.test/cb#',
    'https://user@c.test/cb',
    '/cb',
    'https:///c.test/cb',
    'https://c.test/\u0000',
    'https://c.test\\@evil.test/',
    'https://bücher.test/',
  ])('the redirect URI %j alone is refused', async uri => {
    expect(await failure(await register(uris(uri)))).toBe(badUri);
  });
  test('beside a usable redirect URI a forbidden one is refused, and an unusable one is stored but cannot be used', async () => {
    for (const uri of ['javascript:alert(1)', 'DATA:text/html,x', ' file:///x'])
      expect(await failure(await register(uris(uri, 'https://c.test/cb')))).toBe(badUri);
    const mixed = await harness.register(uris('http://c.test/cb', 'cursor://x/cb', 'https://c.test/cb'));
    const eve = await harness.createAccount('eve@example.com');
    for (const redirect_uri of ['http://c.test/cb', 'cursor://x/cb'])
      expect((await harness.visit(harness.request(mixed, { redirect_uri }), eve.cookie)).status).toBe(400);
    const good = await harness.visit(harness.request(mixed, { redirect_uri: 'https://c.test/cb' }), eve.cookie);
    expect(good.status).toBe(200);
  });

  test('a private-use scheme is stored, and used only when the policy allows it', async () => {
    for (const allowPrivateUse of [false, true]) {
      const own = await openOAuthHarness({ overrides: { oauth: { allowPrivateUse } } });
      const client = await own.register(uris('com.example.app:/cb'));
      const eve = await own.createAccount('eve@example.com');
      const page = await own.visit(own.request(client), eve.cookie);
      expect(page.status).toBe(allowPrivateUse ? 200 : 400);
      if (allowPrivateUse)
        expect(page.headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:;");
      await own.close();
    }
  });

  test.each([
    [{ grant_types: ['client_credentials'] }],
    [{ response_types: ['token'] }],
    [{ token_endpoint_auth_method: 'private_key_jwt' }],
    [{ token_endpoint_auth_method: 'tls_client_auth' }],
    [{ grant_types: 'authorization_code' }],
    [{ client_name: 5 }],
  ])('the metadata %j is refused', async over => {
    expect(await failure(await register({ ...uris('https://c.test/cb'), ...over }))).toBe(badMetadata);
  });

  test('a name that is not valid UTF-8 is refused', async () => {
    const body = Buffer.from(JSON.stringify({ client_name: 'caf\xe9', ...uris('http://127.0.0.1/') }), 'latin1');
    const headers = { 'content-type': 'application/json' };
    expect(await failure(await harness.fetch('/register', { method: 'POST', headers, body }))).toBe(
      '400 invalid_request',
    );
  });

  test('a body that is no JSON object is refused, and __proto__ members have no effect', async () => {
    const wrongType = await register(uris('https://c.test/cb'), { 'content-type': 'text/plain' });
    expect(wrongType.status).toBe(400);
    for (const body of ['{', '[]', 'null', '"x"', '']) expect((await register(body)).status).toBe(400);
    const polluting = '{"__proto__":{"polluted":1,"redirect_uris":["https://c.test/cb"]}}';
    expect(await failure(await register(polluting))).toBe(badUri);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await register(`{"x":"${'y'.repeat(65_536)}"}`)).status).toBe(413);
  });

  test('an address can register twenty clients an hour', async () => {
    harness.clock.advance(3_600_000);
    const once = () =>
      harness.fetch('/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(uris('https://c.test/cb')),
      });
    for (let i = 0; i < 20; i++) expect((await once()).status).toBe(201);
    const refused = await once();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    harness.clock.advance(3_600_000);
    expect((await once()).status).toBe(201);
  });

  test('the addresses of one network share the limit', async () => {
    const server = await openTestServer({ env: { HOOKTAPE_TRUSTED_PROXIES: '127.0.0.0/8' } });
    const origin = await server.listen();
    const from = async (address: string): Promise<number> =>
      (
        await fetch(`${origin}/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
          body: JSON.stringify(uris('https://c.test/cb')),
        })
      ).status;
    for (let i = 1; i <= 20; i++) expect(await from(`2001:db8:1:2::${i}`)).toBe(201);
    expect(await from('2001:db8:1:2:ffff::1')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(201);
    await server.close();
  });

  test('at most ten thousand clients can be registered', async () => {
    const own = await openOAuthHarness();
    await own.services.database.client.execute(
      `INSERT INTO oauth_clients (id, kind, name, redirect_uris, auth_methods, may_refresh, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       SELECT 'dcr_' || i, 'dcr', 'x', '[]', 'none', 1, 0 FROM n`,
    );
    const response = await own.fetch('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(uris('https://c.test/cb')),
    });
    expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
    await own.close();
  });

  test('a client without a connection is deleted after a day, a connected one stays', async () => {
    const own = await openOAuthHarness();
    const ada = await own.createAccount('ada@example.com');
    const unused = await own.register();
    const used = await own.register();
    const { refresh_token } = await own.connect(used, ada);
    own.clock.advance(24 * 3_600_000 + 1);
    await own.services.oauth.maintain();
    expect(await failure(await own.refresh(unused, 'x'))).toBe('401 invalid_client');
    expect((await own.refresh(used, refresh_token)).status).toBe(200);
    await own.close();
  });

  test('registration can be switched off or require an initial access token', async () => {
    const closed = await openOAuthHarness({ overrides: { oauth: { registration: { mode: 'off' } } } });
    expect((await closed.fetch('/register', { method: 'POST' })).status).toBe(404);
    const metadata = await (await closed.fetch('/.well-known/oauth-authorization-server')).json();
    expect(metadata).not.toHaveProperty('registration_endpoint');
    await closed.close();
    const guarded = await openOAuthHarness({
      overrides: { oauth: { registration: { mode: 'token', token: 'let-me-in' } } },
    });
    const body = JSON.stringify(uris('https://c.test/cb'));
    const attempt = (headers: Record<string, string>) =>
      guarded.fetch('/register', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
    expect((await attempt({})).status).toBe(401);
    expect((await attempt({ authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await attempt({ authorization: 'Bearer let-me-in' })).status).toBe(201);
    await guarded.close();
  });

  test.each(['client_uri', 'logo_uri', 'policy_uri', 'tos_uri'])('%s must be an http or https URL', name => {
    const body = uris('https://c.test/cb');
    expect(() => readRegistration({ ...body, [name]: 'javascript:alert(1)' })).toThrow(name);
    expect(() => readRegistration({ ...body, [name]: 'https://c.test/x' })).not.toThrow();
  });
  test('a logo is neither fetched nor shown', async () => {
    const ada = await harness.createAccount('frank@example.com');
    const client = await harness.register({ logo_uri: 'https://c.test/logo.png' });
    const page = await (await harness.visit(harness.request(client), ada.cookie)).text();
    expect(page).not.toContain('logo.png');
    expect(page).not.toContain('<img');
  });
});
