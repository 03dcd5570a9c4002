import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { createServer, type RequestListener, type Server } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import { base, type OAuthHarness, openOAuthHarness, type SignedInAccount } from '../../testing/oauth-harness.ts';

const issuer = 'https://login.test/tenant';
const audience = 'urn:hooktape';
let harness: OAuthHarness;
let ada: SignedInAccount;
let keys: { kid: string; pair: CryptoKeyPair; jwk: JWK }[] = [];
let fetched: string[];
let isDown = false;
let announced = issuer;

const newKey = async (kid: string, alg = 'ES256') => {
  const pair = await generateKeyPair(alg, { extractable: true });
  return { kid, pair: pair as CryptoKeyPair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } };
};
const fetchJson = async (url: string): Promise<unknown> => {
  fetched.push(url);
  if (isDown) throw new Error('down');
  if (url === 'https://login.test/tenant/.well-known/openid-configuration')
    return { issuer: announced, jwks_uri: 'https://login.test/keys' };
  if (url === 'https://login.test/keys') return { keys: keys.map(({ jwk }) => jwk) };
  throw new Error(`404 ${url}`);
};
const open = (over: Record<string, unknown> = {}) =>
  openOAuthHarness({
    env: { HOOKTAPE_OAUTH_ISSUERS: JSON.stringify([{ issuer, audience, ...over }]) },
    overrides: { fetchJson },
  });

beforeAll(async () => {
  fetched = [];
  keys = [await newKey('one')];
  harness = await open();
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

type Over = { header?: Record<string, unknown>; claims?: Record<string, unknown>; by?: number; on?: OAuthHarness };
const sign = ({ header = {}, claims = {}, by = 0, on = harness }: Over = {}): Promise<string> => {
  const now = Math.floor(on.clock.now() / 1000);
  const all = {
    iss: issuer,
    aud: audience,
    sub: 'ada',
    client_id: 'cli',
    email: 'ada@example.com',
    iat: now,
    exp: now + 600,
  };
  const clean = JSON.parse(JSON.stringify({ ...all, ...claims })) as Record<string, unknown>;
  const key = keys[by];
  if (!key) throw new Error('no such key');
  return new SignJWT(clean)
    .setProtectedHeader(JSON.parse(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header })))
    .sign(key.pair.privateKey);
};
const status = async (over: Over = {}): Promise<number> => {
  const on = over.on ?? harness;
  return (await on.use(await sign(over))).status;
};

describe('a token of a trusted issuer', () => {
  test('authenticates the account with its e-mail address, as a connected app', async () => {
    const response = await harness.use(await sign());
    expect(response.status).toBe(200);
    expect(((await response.json()) as { email: string }).email).toBe('ada@example.com');
    const { apps } = await ada.json<{ apps: object[] }>(200, 'GET', '/api/apps');
    expect(apps).toMatchObject([{ clientId: 'cli', issuer, verifiedHost: null, scopes: [] }]);
  });
  test('is verified with keys that are discovered and fetched once', async () => {
    await status();
    await status();
    expect(fetched.filter(url => url === 'https://login.test/keys')).toHaveLength(1);
    expect(fetched[0]).toBe('https://login.test/.well-known/oauth-authorization-server/tenant');
  });
  test('leaves this server as the first authorization server in the metadata', async () => {
    const metadata = (await (await harness.fetch('/.well-known/oauth-protected-resource/mcp')).json()) as object;
    expect(metadata).toMatchObject({ authorization_servers: [base, issuer] });
  });
  test.each([
    ['another audience', { claims: { aud: 'urn:other' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['another issuer', { claims: { iss: 'https://login.test' } }],
    ['an issuer with a slash', { claims: { iss: `${issuer}/` } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['no time of issue', { claims: { iat: undefined } }],
    ['no subject', { claims: { sub: undefined } }],
    ['the type of an ID token', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['the claims of an ID token', { claims: { nonce: 'n' } }],
    ['an unknown key', { header: { kid: 'two' } }],
    ['no key', { header: { kid: undefined } }],
    ['a key of its own', { header: { jwk: {} } }],
    ['an unknown address', { claims: { sub: 'x', email: 'nobody@example.com' } }],
    ['an address that is not verified', { claims: { sub: 'y', email_verified: false } }],
    ['no address', { claims: { sub: 'z', email: undefined } }],
  ])('is refused with 401 when it has %s', async (_, over) => {
    expect(await status(over)).toBe(401);
  });
  test('is refused when it is an HMAC with the public key as secret', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]?.jwk));
    const now = Math.floor(harness.clock.now() / 1000);
    const token = await new SignJWT({ iss: issuer, aud: audience, sub: 'ada', iat: now, exp: now + 600 })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })
      .sign(secret);
    expect((await harness.use(token)).status).toBe(401);
  });
  test('has its times checked with a tolerance of thirty seconds', async () => {
    const now = Math.floor(harness.clock.now() / 1000);
    const cases: [Record<string, unknown>, number][] = [
      [{ exp: now - 20 }, 200],
      [{ exp: now - 31 }, 401],
      [{ nbf: now + 300 }, 401],
      [{ iat: now + 300 }, 401],
      [{ iat: now - 25 * 3600 }, 401],
    ];
    for (const [claims, expected] of cases) expect([claims, await status({ claims })]).toEqual([claims, expected]);
  });
  test('keeps its account when its e-mail claim changes later', async () => {
    await harness.createAccount('bob@example.com');
    const response = await harness.use(await sign({ claims: { email: 'bob@example.com' } }));
    expect(((await response.json()) as { email: string }).email).toBe('ada@example.com');
  });
  test('is refused after its app was disconnected', async () => {
    const claims = { client_id: 'revoked-client' };
    expect(await status({ claims })).toBe(200);
    const { apps } = await ada.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
    const id = apps.find(({ clientId }) => clientId === 'revoked-client')?.id;
    await ada.json(200, 'DELETE', `/api/apps/${id}`);
    await ada.json(404, 'DELETE', `/api/apps/${id}`);
    expect(await status({ claims })).toBe(401);
    expect(await status({ claims: { ...claims, jti: 'new' } })).toBe(401);
    expect(await status()).toBe(200);
  });
});

/** jose reads the system clock for the age of keys. */
const advance = (on: OAuthHarness, ms: number): void => {
  setSystemTime(Date.now() + ms);
  on.clock.advance(ms);
};
afterEach(() => void setSystemTime());

describe('the keys of an issuer', () => {
  test('are fetched at once for an unknown key, but at most every thirty seconds', async () => {
    const own = await open();
    await own.createAccount('ada@example.com');
    expect(await status({ on: own })).toBe(200);
    keys.push(await newKey('two'));
    expect(await status({ on: own, by: 1 })).toBe(401);
    advance(own, 30_000);
    expect(await status({ on: own, by: 1 })).toBe(200);
    keys.pop();
    await own.close();
  });
  test('answer 503 with Retry-After while they cannot be fetched, and are retried after five seconds', async () => {
    const own = await open();
    await own.createAccount('ada@example.com');
    isDown = true;
    fetched = [];
    const response = await own.use(await sign({ on: own }));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    const attempts = fetched.length;
    await own.use(await sign({ on: own }));
    expect(fetched).toHaveLength(attempts);
    expect(own.server.lines.filter(({ message }) => message.includes('trusted issuer'))).toHaveLength(1);
    isDown = false;
    advance(own, 5000);
    expect(await status({ on: own })).toBe(200);
    isDown = true;
    advance(own, 11 * 60_000);
    expect(await status({ on: own })).toBe(200);
    advance(own, 50 * 60_000);
    expect(await status({ on: own })).toBe(503);
    isDown = false;
    await own.close();
  });
  test('are not taken from a discovery document of another issuer', async () => {
    const own = await open();
    announced = 'https://evil.test';
    expect(await status({ on: own })).toBe(503);
    announced = issuer;
    await own.close();
  });
  test('create an account on the free plan at its first token, with create_accounts', async () => {
    const own = await open({ create_accounts: true, email_claim: 'mail' });
    const token = await sign({ on: own, claims: { mail: 'New@Example.com' } });
    const answers = await Promise.all([own.use(token), own.use(token), own.use(token)]);
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200]);
    expect(await (await own.use(token)).json()).toMatchObject({ email: 'new@example.com', plan: 'free' });
    expect(await status({ on: own, claims: { sub: 'b', mail: 'no address' } })).toBe(401);
    await own.close();
  });
});

describe('oidc-provider as the issuer', () => {
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    let handle: RequestListener = () => {};
    server = createServer((req, res) => handle(req, res));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const signing = await generateKeyPair('RS256', { extractable: true });
    const provider = new Provider(origin, {
      clients: [
        {
          client_id: 'machine',
          client_secret: 'a-secret-for-the-machine',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(signing.privateKey)), alg: 'RS256', use: 'sig', kid: 'provider' }] },
      extraTokenClaims: () => ({ email: 'ada@example.com', sub: 'machine' }),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ scope: 'webhooks', audience, accessTokenFormat: 'jwt' }),
        },
      },
    });
    handle = provider.callback();
  });
  afterAll(() => server.close());

  test('its access tokens are accepted, with keys found by real discovery', async () => {
    const own = await openOAuthHarness({
      env: { HOOKTAPE_OAUTH_ISSUERS: JSON.stringify([{ issuer: origin, audience }]) },
    });
    own.clock.setNow(Date.now());
    await own.createAccount('ada@example.com');
    const response = await fetch(`${origin}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('machine:a-secret-for-the-machine')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:hooktape', scope: 'webhooks' }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    expect((await own.use(access_token)).status).toBe(200);
    expect((await own.use(`${access_token.slice(0, -4)}AAAA`)).status).toBe(401);
    await own.close();
  });
});
