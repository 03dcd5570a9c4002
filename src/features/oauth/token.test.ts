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
  test('T01 code and verifier give tokens', async () => {
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
  ])('T01 the scope %j is answered with %j, and refreshing keeps it', async (asked, granted) => {
    const first = await harness.connect(P, ada, { scope: asked });
    expect(first.scope).toBe(granted);
    const second = (await (await harness.refresh(P, first.refresh_token)).json()) as Tokens;
    expect(second.scope).toBe(granted);
    expect((await harness.use(second.access_token)).status).toBe(200);
  });
  test('T02 a code that comes back revokes what it gave', async () => {
    const code = await harness.codeFor(P, ada);
    const { access_token, refresh_token } = (await (await harness.redeem(P, code)).json()) as Tokens;
    expect((await harness.use(access_token)).status).toBe(200);
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe('400 invalid_grant');
  });
  test('T03 of two exchanges that come together exactly one succeeds', async () => {
    for (let run = 0; run < 50; run++) {
      const code = await harness.codeFor(P, ada);
      const answers = await Promise.all([harness.redeem(P, code), harness.redeem(P, code)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  }, 60_000);
  test('T04 a code lives for a minute', async () => {
    const code = await harness.codeFor(P, ada);
    harness.clock.advance(60_000);
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
  });
  test("T05 another client's code is not valid, and not used up by trying", async () => {
    const code = await harness.codeFor(P, ada);
    expect(await failure(await harness.redeem(L, code))).toBe('400 invalid_grant');
    expect((await harness.redeem(P, code)).status).toBe(200);
  });
  test('T06 the redirect URI may be left out, and must be the same otherwise', async () => {
    expect((await exchange(P, { redirect_uri: undefined })).status).toBe(200);
    expect(await failure(await exchange(P, { redirect_uri: 'https://c.test/other' }))).toBe('400 invalid_grant');
  });
  test('T07 a wrong verifier does not use the code up, five do', async () => {
    const wrong = [undefined, 'x'.repeat(50), 'a'.repeat(42), `${verifier}=`];
    const code = await harness.codeFor(P, ada);
    for (const code_verifier of wrong)
      expect(await failure(await harness.redeem(P, code, { code_verifier }))).toBe('400 invalid_grant');
    expect((await harness.redeem(P, code)).status).toBe(200);
    const worn = await harness.codeFor(P, ada);
    for (let i = 0; i < 5; i++) await harness.redeem(P, worn, { code_verifier: 'x'.repeat(50) });
    expect(await failure(await harness.redeem(P, worn))).toBe('400 invalid_grant');
  });
  test('T08 a code without a challenge is worth nothing', async () => {
    const code = await harness.codeFor(P, ada);
    await harness.services.database.client.execute('UPDATE oauth_codes SET challenge = NULL WHERE used_grant IS NULL');
    expect(await failure(await harness.redeem(P, code))).toBe('400 invalid_grant');
  });
  test('T09 another resource is refused without using the code up', async () => {
    const code = await harness.codeFor(P, ada, { resource: `${base}/api` });
    expect(await failure(await harness.redeem(P, code, { resource: `${base}/mcp` }))).toBe('400 invalid_target');
    const tokens = (await (await harness.redeem(P, code)).json()) as Tokens;
    expect(JSON.parse(atob(tokens.access_token.split('.')[1] ?? '')).aud).toBe(`${base}/api`);
  });
});

describe('requests', () => {
  test('T10 GET is refused', async () => {
    const response = await harness.fetch('/token');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
  test.each([
    ['application/json', '{"grant_type":"refresh_token"}'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/x-www-form-urlencoded, application/json', 'grant_type=refresh_token'],
    ['', 'grant_type=refresh_token'],
  ])('T11 the content type %j is refused', async (type, body) => {
    expect(await failure(await harness.post('/token', body, { 'content-type': type }))).toBe('400 invalid_request');
  });
  test('T12 a repeated parameter is refused', async () => {
    const body = `${encode({ grant_type: 'refresh_token', client_id: P.id })}&client_id=${P.id}`;
    expect(await failure(await harness.post('/token', body))).toBe('400 invalid_request');
  });
  test('T13 parameters in the query are not read', async () => {
    const query = encode({ grant_type: 'refresh_token', client_id: P.id, refresh_token: 'x' });
    expect(await failure(await harness.post(`/token?${query}`, ''))).toBe('400 invalid_request');
  });
  test.each([
    ['password'],
    ['client_credentials'],
    ['implicit'],
    ['urn:ietf:params:oauth:grant-type:device_code'],
    ['urn:ietf:params:oauth:grant-type:token-exchange'],
  ])('T14 the grant type %s is not served', async grant_type => {
    expect(await failure(await postForm({ grant_type, client_id: P.id }))).toBe('400 unsupported_grant_type');
  });
  test('T14 no grant type at all', async () => {
    expect(await failure(await postForm({ client_id: P.id }))).toBe('400 invalid_request');
  });
  test('T22 codes, tokens and secrets are in no log and no later answer', async () => {
    const code = await harness.codeFor(S, ada);
    const tokens = (await (await harness.redeem(S, code)).json()) as Tokens;
    const again = await (await harness.redeem(S, code)).text();
    const logged = JSON.stringify(harness.server.lines);
    for (const value of [code, tokens.access_token, tokens.refresh_token, S.secret ?? '']) {
      expect(logged).not.toContain(value);
      expect(again).not.toContain(value);
    }
  });
  test('T23 any origin may call it, without credentials of its own', async () => {
    const response = await postForm({}, { origin: 'https://x.test' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });
  test('T24 a body over 16 KB is refused', async () => {
    expect((await postForm({ grant_type: 'x'.repeat(17_000) })).status).toBe(413);
  });
});

describe('client authentication', () => {
  test('T15 an unknown client', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await failure(await postForm({ ...form, client_id: 'dcr_nobody' }))).toBe('401 invalid_client');
    const withBasic = await postForm(form, basic('dcr_nobody', 'x'));
    expect(withBasic.headers.get('www-authenticate')).toStartWith('Basic ');
    expect(await failure(withBasic)).toBe('401 invalid_client');
  });
  test('T16 a wrong secret', async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    const withBasic = await postForm(form, basic(S.id, 'wrong'));
    expect([withBasic.status, withBasic.headers.get('www-authenticate')?.slice(0, 6)]).toEqual([401, 'Basic ']);
    expect(await failure(await postForm({ ...form, client_id: S.id, client_secret: 'wrong' }))).toBe(
      '401 invalid_client',
    );
  });
  test('T17 two methods at once', async () => {
    const secret = S.secret ?? '';
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: S.id, client_secret: secret };
    expect(await failure(await postForm(form, basic(S.id, secret)))).toBe('400 invalid_request');
  });
  test('T18 a method that was not registered; both when none was named', async () => {
    const post = await harness.register({ token_endpoint_auth_method: 'client_secret_post' });
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect(await failure(await postForm(form, basic(post.id, post.secret ?? '')))).toBe('401 invalid_client');
    expect(await failure(await postForm(form, basic(S.id, S.secret ?? '')))).toBe('400 invalid_grant');
    const inBody = { ...form, client_id: S.id, client_secret: S.secret ?? '' };
    expect(await failure(await postForm(inBody))).toBe('400 invalid_grant');
  });
  test('T19 a public client has no secret', async () => {
    expect(await failure(await exchange(P, { client_secret: 'x' }))).toBe('401 invalid_client');
  });
  test('T20 a confidential client must show its secret', async () => {
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
  ])('T21 the header %j is answered 401', async authorization => {
    const response = await postForm({ grant_type: 'refresh_token', refresh_token: 'x' }, { authorization });
    expect(await failure(response)).toBe('401 invalid_client');
  });
});
