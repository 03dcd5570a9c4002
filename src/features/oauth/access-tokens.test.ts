import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { createApi } from '../../app.ts';
import { isAllowedToApps } from '../../core/access/permissions.ts';
import { declaredOperations } from '../../http/route-table.ts';
import {
  base,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let P: TestClient;
let good: { header: Record<string, unknown>; claims: Record<string, unknown> };
let key: CryptoKey;
let jwk: JWK;
let token: string;

const part = (text: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Record<string, unknown>;

beforeAll(async () => {
  harness = await openOAuthHarness({ env: { HOOKTAPE_RATE_LIMIT: '120' } });
  ada = await harness.createAccount('ada@example.com');
  P = await harness.register();
  token = (await harness.connect(P, ada)).access_token;
  const [header, claims] = token.split('.');
  good = { header: part(header), claims: part(claims) };
  const { rows } = await harness.services.database.client.execute('SELECT kid, sealed FROM signing_keys');
  const sealed = new Uint8Array(rows[0]?.['sealed'] as ArrayBuffer);
  jwk = JSON.parse(harness.services.sealer.open(sealed, `signing-key:${rows[0]?.['kid']}`) ?? '') as JWK;
  key = (await importJWK(jwk, 'ES256')) as CryptoKey;
});
afterAll(() => harness.close());

type Change = { header?: Record<string, unknown>; claims?: Record<string, unknown> };
/** A token as this server's own key would sign it, changed; undefined leaves out. */
const forge = ({ header = {}, claims = {} }: Change = {}, by: CryptoKey | Uint8Array = key): Promise<string> => {
  const clean = (given: object) => JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
  const protectedHeader = clean({ ...good.header, ...header }) as { alg: string };
  return new SignJWT(clean({ ...good.claims, ...claims })).setProtectedHeader(protectedHeader).sign(by);
};
const unsigned = (header: object, claims: object = good.claims): string =>
  `${[header, claims].map(value => Buffer.from(JSON.stringify(value)).toString('base64url')).join('.')}.`;

const status = async (bearer: string): Promise<number> => {
  harness.clock.advance(1000);
  return (await harness.use(bearer)).status;
};
const refusedAs = async (response: Response): Promise<string> => {
  expect(response.status).toBe(401);
  expect(((await response.json()) as { error: string }).error).toBeString();
  const header = response.headers.get('www-authenticate') ?? '';
  expect(header).toContain(`resource_metadata="${base}/.well-known/oauth-protected-resource/`);
  expect(header).toContain('scope="webhooks"');
  return /error="(\w+)"/.exec(header)?.[1] ?? 'none';
};
const withHeader = (authorization: string) => harness.fetch('/api/me', { headers: { authorization } });
const seconds = () => Math.floor(harness.clock.now() / 1000);

describe('the WWW-Authenticate challenge', () => {
  test('a request without a token gets a challenge without an error', async () => {
    expect(await refusedAs(await harness.fetch('/api/me'))).toBe('none');
    expect(await refusedAs(await withHeader('Basic x'))).toBe('none');
  });
  test('the scheme Bearer is case-insensitive', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect((await withHeader(`${scheme} ${token}`)).status).toBe(200);
  });
  test('an Authorization header must be exactly one bearer token', async () => {
    const twice = new Headers([
      ['authorization', `Bearer ${token}`],
      ['authorization', `Bearer ${token}`],
    ]);
    expect(await refusedAs(await harness.fetch('/api/me', { headers: twice }))).toBe('invalid_token');
    for (const header of [`Bearer ${token}, Bearer ${token}`, 'Bearer ', `Bearer a ${token}`, 'Bearer ä', 'Bearer "x"'])
      expect(await refusedAs(await withHeader(header))).toBe('invalid_token');
  });
  test('a token in the query or in a form is ignored', async () => {
    expect(await refusedAs(await harness.fetch(`/api/me?access_token=${token}`))).toBe('none');
    expect(await refusedAs(await harness.post('/api/endpoints', { access_token: token }))).toBe('none');
  });
  test('a valid session does not replace an invalid token', async () => {
    const { cookie } = ada;
    expect((await harness.fetch('/api/me', { headers: { cookie } })).status).toBe(200);
    const both = await harness.fetch('/api/me', { headers: { cookie, authorization: 'Bearer x' } });
    expect(await refusedAs(both)).toBe('invalid_token');
  });
});

describe('tokens of this server', () => {
  test('an unchanged token of the test signer is accepted', async () => {
    expect(await status(await forge())).toBe(200);
  });
  test('tokens with a wrong algorithm, key or form are refused with invalid_token', async () => {
    const hmac = new TextEncoder().encode(JSON.stringify(jwk));
    const other = (await generateKeyPair('ES256')).privateKey;
    const rsa = (await generateKeyPair('RS256')).privateKey;
    const { d: _, ...publicJwk } = jwk;
    const bad = [
      unsigned({ ...good.header, alg: 'none' }),
      await forge({ header: { alg: 'HS256' } }, hmac),
      await forge({ header: { alg: 'RS256' } }, rsa),
      await forge({}, other),
      await forge({ header: { kid: 'unknown' } }),
      await forge({ header: { kid: undefined } }),
      await forge({ header: { jwk: publicJwk } }),
      await forge({ header: { jku: 'https://evil.test/jwks' } }),
      await forge({ header: { x5u: 'https://evil.test/x' } }),
      await forge({ header: { x5c: ['x'] } }),
      unsigned({ ...good.header, crit: ['b64x'], b64x: true }),
      `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`,
      token.slice(0, -10),
      token.split('.').slice(0, 2).join('.'),
      `${token}.x`,
      await forge({ claims: { pad: 'x'.repeat(20_000) } }),
    ];
    for (const [index, bearer] of bad.entries()) {
      harness.clock.advance(1000);
      expect([index, await refusedAs(await harness.use(bearer))]).toEqual([index, 'invalid_token']);
    }
  });
  test.each([
    [undefined, 401],
    ['JWT', 401],
    ['dpop+jwt', 401],
    ['at+jwt', 200],
    ['application/at+jwt', 200],
  ])('a token of type %s is answered %d', async (typ, expected) => {
    expect(await status(await forge({ header: { typ } }))).toBe(expected);
  });
  test.each([
    [{ iss: 'https://other.test' }, 401],
    [{ iss: `${base}/` }, 401],
    [{ aud: 'https://other.test' }, 401],
    [{ aud: undefined }, 401],
    [{ aud: ['https://other.test', `${base}/mcp`] }, 200],
    [{ aud: `${base}/api` }, 200],
  ])('a token with the claims %j is answered %d', async (claims, expected) => {
    expect(await status(await forge({ claims }))).toBe(expected);
  });
  test('expiry and issue time are checked with a tolerance of five seconds', async () => {
    const now = seconds() + 1;
    const cases: [Record<string, unknown>, number][] = [
      [{ exp: undefined }, 401],
      [{ exp: now - 3 }, 200],
      [{ exp: now - 6 }, 401],
      [{ nbf: now + 300 }, 401],
      [{ iat: now + 300 }, 401],
      [{ iat: now - 3600 - 120 }, 401],
    ];
    for (const [claims, expected] of cases) {
      const bearer = await forge({ claims });
      harness.clock.setNow(now * 1000);
      expect([claims, (await harness.use(bearer)).status]).toEqual([claims, expected]);
    }
  });
  test.each(['sub', 'client_id', 'jti', 'iat', 'gid'])('a token without the claim %s is refused', async name => {
    expect(await status(await forge({ claims: { [name]: undefined } }))).toBe(401);
  });
  test('refresh tokens and ID tokens are refused', async () => {
    const { refresh_token } = await harness.connect(P, ada);
    expect(await status(refresh_token)).toBe(401);
    expect(await status(await forge({ header: { typ: 'JWT' }, claims: { aud: P.id, nonce: 'n' } }))).toBe(401);
  });
  test('a correctly signed token without an active grant of its account and client is refused', async () => {
    const bob = await harness.createAccount('bob@example.com');
    const other = await harness.register();
    for (const claims of [{ gid: 'grt_unknown' }, { sub: bob.accountId }, { client_id: other.id }, { gid: 5 }])
      expect([claims, await status(await forge({ claims }))]).toEqual([claims, 401]);
    const revoked = (await harness.connect(P, ada)).access_token;
    await harness.post('/revoke', { client_id: P.id, token: revoked });
    expect(await status(revoked)).toBe(401);
  });
  test('an insufficient scope is answered 403 with the required scope', async () => {
    const response = await harness.use(await forge({ claims: { scope: 'other' } }));
    expect(response.status).toBe(403);
    const header = response.headers.get('www-authenticate') ?? '';
    for (const text of ['error="insufficient_scope"', 'scope="webhooks"', 'resource_metadata="'])
      expect(header).toContain(text);
  });
  test('the tokens of a disabled client are refused at once', async () => {
    const client = await harness.register();
    const { access_token } = await harness.connect(client, ada);
    await harness.services.database.client.execute({
      sql: 'UPDATE oauth_clients SET disabled_at = 1 WHERE id = ?',
      args: [client.id],
    });
    expect((await harness.use(access_token)).status).toBe(401);
  });
});

describe('connected apps on the API', () => {
  test('an operation that is allowed to apps answers an app and a key alike', async () => {
    const allowed = declaredOperations(createApi(harness.services).routes).filter(one =>
      isAllowedToApps(one.permission),
    );
    expect(allowed.length).toBeGreaterThan(10);
    const fresh = (await harness.connect(P, ada)).access_token;
    for (const { method, path: template } of allowed) {
      const path = template.replace(/\{\w+\}/g, 'unknown');
      if (path.endsWith('/stream')) continue;
      harness.clock.advance(1000);
      const headers = { 'content-type': 'application/json' };
      const init = { method, headers, ...(method !== 'GET' && { body: '{}' }) };
      const [byKey, byToken] = await Promise.all([harness.use(ada.key, path, init), harness.use(fresh, path, init)]);
      expect([method, path, byToken.status]).toEqual([method, path, byKey.status]);
    }
  });
  test('the rate limit counts all tokens of an app together, and other apps and keys separately', async () => {
    harness.clock.advance(60_000);
    const client = await harness.register();
    const tokens = [await harness.connect(client, ada), await harness.connect(client, ada)].map(
      ({ access_token }) => access_token,
    );
    const other = (await harness.connect(P, ada)).access_token;
    for (let i = 0; i < 120; i++) expect((await harness.use(tokens[i % 2] ?? '')).status).toBe(200);
    const refused = await harness.use(tokens[0] ?? '');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await harness.use(other)).status).toBe(200);
    expect((await harness.use(ada.key)).status).toBe(200);
    harness.clock.advance(60_000);
    expect((await harness.use(tokens[1] ?? '')).status).toBe(200);
  });
  test('revoked, unknown and malformed API keys get the same response', async () => {
    const { id, key: revoked } = (await harness.services.keys.create(ada.accountId, 'gone')) as {
      id: string;
      key: string;
    };
    await harness.services.keys.revoke(ada.accountId, id);
    const answers = [];
    for (const bearer of [revoked, `htk_${'0'.repeat(52)}`, 'htk_x']) {
      const response = await harness.use(bearer);
      answers.push([response.status, response.headers.get('www-authenticate'), await response.text()]);
    }
    expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
  });
  test('resources of other accounts are answered as if they did not exist', async () => {
    const carol = await harness.createAccount('carol@example.com');
    const { id } = await carol.createEndpoint();
    const fresh = (await harness.connect(P, ada)).access_token;
    const [notOwned, missing] = await Promise.all([
      harness.use(fresh, `/api/endpoints/${id}`),
      harness.use(fresh, '/api/endpoints/ep_unknown'),
    ]);
    expect([notOwned.status, await notOwned.text()]).toEqual([missing.status, await missing.text()]);
    expect(notOwned.status).toBe(404);
  });
});
