import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  base,
  basic,
  encode,
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
  verifier,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let P: TestClient;
let L: TestClient;
let S: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  P = await harness.register();
  L = await harness.register({ redirect_uris: ['http://127.0.0.1/cb', 'http://localhost/cb'] });
  S = await harness.register({ token_endpoint_auth_method: undefined });
});
afterAll(() => harness.close());

const postForm = (form: Record<string, string>, headers = {}) => harness.post('/token', form, headers);
const exchange = async (client: TestClient, over: Record<string, string | undefined>) =>
  harness.redeem(client, await harness.codeFor(client, ada), over);

describe('codes', () => {
  test('a code and its verifier are exchanged for tokens', async () => {
    const response = await exchange(P, {});
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toStartWith('application/json');
    expect((await response.json()) as unknown).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'webhooks',
      refresh_token: expect.any(String),
    });
  });
  test.each([
    ['webhooks', 'webhooks'],
    ['webhooks offline_access', 'webhooks offline_access'],
    ['openid offline_access', 'webhooks offline_access'],
    ['openid email profile', 'webhooks'],
  ])('the requested scope %j is granted as %j, and refreshing keeps it', async (requested, granted) => {
    const first = await harness.connect(P, ada, { scope: requested });
    expect(first.scope).toBe(granted);
    const second = (await (await harness.refresh(P, first.refresh_token)).json()) as Tokens;
    expect(second.scope).toBe(granted);
    expect((await harness.use(second.access_token)).status).toBe(200);
  });
  test('using a code again revokes the tokens of its first use', async () => {
    const code = await harness.codeFor(P, ada);
    const { access_token, refresh_token } = (await (await harness.redeem(P, code)).json()) as Tokens;
    expect((await harness.use(access_token)).status).toBe(200);
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe('400 invalid_grant');
  });
  test('of two concurrent exchanges exactly one succeeds', async () => {
    for (let run = 0; run < 50; run++) {
      const code = await harness.codeFor(P, ada);
      const answers = await Promise.all([harness.redeem(P, code), harness.redeem(P, code)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  }, 120_000);
  test('a code expires after a minute', async () => {
    const code = await harness.codeFor(P, ada);
    harness.clock.advance(60_000);
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
  });
  test("another client's code is refused and stays valid", async () => {
    const code = await harness.codeFor(P, ada);
    expect(await failure(await harness.redeem(L, code))).toBe('400 invalid_grant');
    expect((await harness.redeem(P, code)).status).toBe(200);
  });
  test('redirect_uri may be absent, and must otherwise match the authorization request', async () => {
    expect((await exchange(P, { redirect_uri: undefined })).status).toBe(200);
    expect(await failure(await exchange(P, { redirect_uri: 'https://c.test/other' }))).toBe('400 invalid_grant');
  });
  test('a code survives a wrong verifier, but not five', async () => {
    const wrong = [undefined, 'x'.repeat(50), 'a'.repeat(42), `${verifier}=`];
    const code = await harness.codeFor(P, ada);
    for (const code_verifier of wrong)
      expect(await failure(await harness.redeem(P, code, { code_verifier }))).toBe('400 invalid_grant');
    expect((await harness.redeem(P, code)).status).toBe(200);
    const worn = await harness.codeFor(P, ada);
    for (let i = 0; i < 5; i++) await harness.redeem(P, worn, { code_verifier: 'x'.repeat(50) });
    expect(await failure(await harness.redeem(P, worn))).toBe('400 invalid_grant');
  });
  test('a code without a challenge is refused', async () => {
    const code = await harness.codeFor(P, ada);
    await harness.services.database.client.execute('UPDATE oauth_codes SET challenge = NULL WHERE used_grant IS NULL');
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
  });
  test('another resource is refused and leaves the code valid', async () => {
    const code = await harness.codeFor(P, ada, { resource: `${base}/api` });
    expect(await failure(await harness.redeem(P, code, { resource: `${base}/mcp` }))).toBe('400 invalid_target');
    const tokens = (await (await harness.redeem(P, code)).json()) as Tokens;
    expect(JSON.parse(atob(tokens.access_token.split('.')[1] ?? '')).aud).toBe(`${base}/api`);
  });
});

describe('requests', () => {
  test('GET is refused with 405', async () => {
    const response = await harness.fetch('/token');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
  test.each([
    ['application/json', '{"grant_type":"refresh_token"}'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/x-www-form-urlencoded, application/json', 'grant_type=refresh_token'],
    ['', 'grant_type=refresh_token'],
  ])('the content type %j is refused', async (type, body) => {
    expect(await failure(await harness.post('/token', body, { 'content-type': type }))).toBe('400 invalid_request');
  });
  test('a repeated parameter is refused', async () => {
    const body = `${encode({ grant_type: 'refresh_token', client_id: P.id })}&client_id=${P.id}`;
    expect(await failure(await harness.post('/token', body))).toBe('400 invalid_request');
  });
  test('parameters in the query are ignored', async () => {
    const query = encode({ grant_type: 'refresh_token', client_id: P.id, refresh_token: 'x' });
    expect(await failure(await harness.post(`/token?${query}`, ''))).toBe('400 invalid_request');
  });
  test.each([
    ['password'],
    ['client_credentials'],
    ['implicit'],
    ['urn:ietf:params:oauth:grant-type:device_code'],
    ['urn:ietf:params:oauth:grant-type:token-exchange'],
  ])('the grant type %s is refused with unsupported_grant_type', async grant_type => {
    expect(await failure(await postForm({ grant_type, client_id: P.id }))).toBe('400 unsupported_grant_type');
  });
  test('a request without grant_type is refused', async () => {
    expect(await failure(await postForm({ client_id: P.id }))).toBe('400 invalid_request');
  });
  test('codes, tokens and secrets appear in no log and no later response', async () => {
    const code = await harness.codeFor(S, ada);
    const tokens = (await (await harness.redeem(S, code)).json()) as Tokens;
    const again = await (await harness.redeem(S, code)).text();
    const logged = JSON.stringify(harness.server.lines);
    for (const value of [code, tokens.access_token, tokens.refresh_token, S.secret ?? '']) {
      expect(logged).not.toContain(value);
      expect(again).not.toContain(value);
    }
  });
  test('CORS allows any origin, without credentials', async () => {
    const response = await postForm({}, { origin: 'https://x.test' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });
  test('a body over 16 KB is refused with 413', async () => {
    expect((await postForm({ grant_type: 'x'.repeat(17_000) })).status).toBe(413);
  });
});

describe('client authentication', () => {
  test('an unknown client is refused with invalid_client', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await failure(await postForm({ ...form, client_id: 'dcr_nobody' }))).toBe('401 invalid_client');
    const withBasic = await postForm(form, basic('dcr_nobody', 'x'));
    expect(withBasic.headers.get('www-authenticate')).toStartWith('Basic ');
    expect(await failure(withBasic)).toBe('401 invalid_client');
  });
  test('a wrong secret is refused with invalid_client', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const withBasic = await postForm(form, basic(S.id, 'wrong'));
    expect([withBasic.status, withBasic.headers.get('www-authenticate')?.slice(0, 6)]).toEqual([401, 'Basic ']);
    expect(await failure(await postForm({ ...form, client_id: S.id, client_secret: 'wrong' }))).toBe(
      '401 invalid_client',
    );
  });
  test('two authentication methods in one request are refused', async () => {
    const secret = S.secret ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: S.id, client_secret: secret };
    expect(await failure(await postForm(form, basic(S.id, secret)))).toBe('400 invalid_request');
  });
  test('a method that was not registered is refused; both work when none was registered', async () => {
    const post = await harness.register({ token_endpoint_auth_method: 'client_secret_post' });
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await failure(await postForm(form, basic(post.id, post.secret ?? '')))).toBe('401 invalid_client');
    expect(await failure(await postForm(form, basic(S.id, S.secret ?? '')))).toBe('400 invalid_grant');
    const inBody = { ...form, client_id: S.id, client_secret: S.secret ?? '' };
    expect(await failure(await postForm(inBody))).toBe('400 invalid_grant');
  });
  test('a public client that sends a secret is refused', async () => {
    expect(await failure(await exchange(P, { client_secret: 'x' }))).toBe('401 invalid_client');
  });
  test('a confidential client without its secret is refused', async () => {
    expect(await failure(await exchange(S, { client_secret: undefined }))).toBe('401 invalid_client');
    expect((await exchange(S, {})).status).toBe(200);
  });
  test.each([
    'Basic !!!',
    `Basic ${btoa('nocolon')}`,
    `Basic ${btoa('%zz:x')}`,
    'Basic',
    'Digest x',
    `Basic ${btoa(':')}`,
  ])('the Authorization header %j is answered 401', async authorization => {
    const response = await postForm({ grant_type: 'refresh_token', refresh_token: 'x' }, { authorization });
    expect(await failure(response)).toBe('401 invalid_client');
  });
});
