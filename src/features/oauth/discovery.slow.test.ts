import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { base, type OAuthHarness, openOAuthHarness } from '../../testing/oauth-harness.ts';

const server = '/.well-known/oauth-authorization-server';
const resource = '/.well-known/oauth-protected-resource';
let harness: OAuthHarness;

beforeAll(async () => {
  harness = await openOAuthHarness();
});
afterAll(() => harness.close());

const json = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> =>
  (await (await harness.fetch(path, init)).json()) as Record<string, unknown>;

function blanks(value: unknown, path = '$'): string[] {
  if (value === null || value === '') return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value as object).flatMap(([key, item]) => blanks(item, `${path}.${key}`));
}

describe('discovery', () => {
  test('the issuer is exactly BASE_URL and every endpoint is below it', async () => {
    const response = await harness.fetch(server);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    const metadata = (await response.json()) as Record<string, string>;
    expect(metadata['issuer']).toBe(base);
    const addresses = Object.entries(metadata).filter(([name]) => /_endpoint$|_uri$/.test(name));
    expect(addresses.length).toBeGreaterThan(4);
    for (const [, url] of addresses) expect(url).toStartWith(`${base}/`);
  });

  test('each protected resource document has the resource of its own URL', async () => {
    const issuer = (await json(server))['issuer'];
    for (const suffix of ['', '/api', '/mcp']) {
      const metadata = await json(resource + suffix);
      expect(metadata['resource']).toBe(`${base}${suffix}`);
      expect(metadata['authorization_servers']).toEqual([issuer]);
    }
  });

  test('metadata, registration and token responses have no null or empty values', async () => {
    const ada = await harness.createAccount('ada@example.com');
    const client = await harness.register();
    const registered = await json('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://c.test/cb'] }),
    });
    for (const body of [await json(server), await json(resource), registered, await harness.connect(client, ada)])
      expect(blanks(body)).toEqual([]);
  });

  test('only the code flow with S256 is offered', async () => {
    const metadata = await json(server);
    expect(metadata['code_challenge_methods_supported']).toEqual(['S256']);
    expect(metadata['response_types_supported']).toEqual(['code']);
    expect(metadata['grant_types_supported']).toEqual(['authorization_code', 'refresh_token']);
    expect(metadata['token_endpoint_auth_methods_supported']).toContain('none');
    expect(metadata['authorization_response_iss_parameter_supported']).toBe(true);
  });

  test('offline_access is a scope of the server and not of the resource', async () => {
    expect((await json(resource))['scopes_supported']).toEqual(['webhooks']);
    expect((await json(server))['scopes_supported']).toContain('offline_access');
  });

  test.each([[{ host: 'evil.test' }], [{ 'x-forwarded-host': 'evil.test' }]])(
    'the request header %j does not change the metadata',
    async headers => {
      for (const path of [server, `${resource}/mcp`]) {
        const response = await harness.fetch(path, { headers });
        expect([200, 400, 421]).toContain(response.status);
        expect(await response.text()).not.toContain('evil.test');
      }
    },
  );

  test('other documents are 404, other methods 405, and preflights are answered', async () => {
    expect((await harness.fetch('/.well-known/openid-configuration')).status).toBe(404);
    const wrong = await harness.fetch(server, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const preflight = await harness.fetch(server, { method: 'OPTIONS', headers: { origin: 'https://x.test' } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('every URL in the metadata exists', async () => {
    const metadata = await json(server);
    for (const url of Object.values(metadata))
      if (typeof url === 'string' && url.startsWith(`${base}/`))
        expect([url, (await harness.fetch(url.slice(base.length))).status]).not.toEqual([url, 404]);
  });

  test('the JWKS has only public keys and may be cached for five minutes', async () => {
    const response = await harness.fetch('/jwks');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const { keys } = (await response.json()) as { keys: Record<string, string>[] };
    expect(keys).toHaveLength(1);
    for (const key of keys) {
      expect(Object.keys(key).filter(name => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name))).toEqual([]);
      expect([key['alg'], key['use'], key['kid']]).toEqual(['ES256', 'sig', expect.any(String)]);
    }
    expect(new Set(keys.map(key => key['kid'])).size).toBe(keys.length);
  });

  test('with HOOKTAPE_OAUTH_CIMD=off metadata documents are refused', async () => {
    const closed = await openOAuthHarness({ env: { HOOKTAPE_OAUTH_CIMD: 'off' } });
    const metadata = (await (await closed.fetch(server)).json()) as Record<string, unknown>;
    expect(metadata['client_id_metadata_document_supported']).toBe(false);
    const page = await closed.visit(
      closed.request({ id: 'https://c.test/client.json', secret: undefined, redirectUri: 'https://c.test/cb' }),
    );
    expect([page.status, page.headers.has('location')]).toEqual([400, false]);
    await closed.close();
  });
});

describe('signing keys', () => {
  test('a new key is published before it signs, and the old key verifies until its last token has expired', async () => {
    const own = await openOAuthHarness();
    const ada = await own.createAccount('ada@example.com');
    const kids = async () =>
      ((await (await own.fetch('/jwks')).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    const kidOf = (token: string) => JSON.parse(atob(token.split('.')[0] ?? '')).kid as string;
    const [first] = await kids();

    own.clock.advance(90 * 24 * 3_600_000);
    await own.services.oauth.maintain();
    expect(await kids()).toHaveLength(2);
    const cookie = await own.signIn('ada@example.com');
    const client = await own.register();
    const before = (await own.connect(client, { ...ada, cookie })).access_token;
    expect(kidOf(before)).toBe(first ?? '');

    own.clock.advance(15 * 60_000);
    await own.services.oauth.maintain();
    const after = (await own.connect(client, { ...ada, cookie })).access_token;
    expect(kidOf(after)).not.toBe(first ?? '');
    expect((await own.use(before)).status).toBe(200);

    own.clock.advance(66 * 60_000);
    await own.services.oauth.maintain();
    expect(await kids()).toEqual([kidOf(after)]);
    await own.close();
  });

  test('the operator can rotate the key when it is published long enough, or at once', async () => {
    const own = await openOAuthHarness();
    const kids = async () =>
      ((await (await own.fetch('/jwks')).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    const ada = await own.createAccount('ada@example.com');
    const client = await own.register();
    const kidNow = async () => {
      const { access_token } = await own.connect(client, ada);
      return JSON.parse(atob(access_token.split('.')[0] ?? '')).kid as string;
    };
    const first = await kidNow();
    await own.services.oauth.rotateSigningKeys();
    await own.services.oauth.rotateSigningKeys();
    expect([(await kids()).length, await kidNow()]).toEqual([2, first]);
    await own.services.oauth.rotateSigningKeys({ now: true });
    expect([(await kids()).length, (await kidNow()) === first]).toEqual([2, false]);
    await own.close();
  });

  test('rotating with revocation invalidates access tokens and keeps refresh tokens', async () => {
    const own = await openOAuthHarness();
    const ada = await own.createAccount('ada@example.com');
    const client = await own.register();
    const { access_token, refresh_token } = await own.connect(client, ada);
    await own.services.oauth.rotateSigningKeys({ revoke: true });
    expect((await own.use(access_token)).status).toBe(401);
    const refreshed = (await (await own.refresh(client, refresh_token)).json()) as { access_token: string };
    expect((await own.use(refreshed.access_token)).status).toBe(200);
    await own.close();
  });
});
