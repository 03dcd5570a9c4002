import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  basic,
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
  verifier,
} from '../../testing/oauth-harness.ts';

type App = { id: string; name: string; clientId: string; lastUsedAt: number | null; redirectHost: string | null };
let harness: OAuthHarness;
let ada: SignedInAccount;
let bob: SignedInAccount;
let P: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  bob = await harness.createAccount('bob@example.com');
  P = await harness.register({ client_name: 'Example editor' });
});
afterAll(() => harness.close());

const appsOf = async (who: SignedInAccount): Promise<App[]> =>
  (await who.json<{ apps: App[] }>(200, 'GET', '/api/apps')).apps;
const revoke = (form: Record<string, string | undefined>, headers = {}) => harness.post('/revoke', form, headers);

describe('POST /revoke', () => {
  test('revoking a refresh token ends its grant at once', async () => {
    const { access_token, refresh_token } = await harness.connect(P, ada);
    const response = await revoke({ client_id: P.id, token: refresh_token });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe('400 invalid_grant');
  });
  test('revoking an access token ends its grant at once', async () => {
    const { access_token, refresh_token } = await harness.connect(P, ada);
    expect((await revoke({ client_id: P.id, token: access_token })).status).toBe(200);
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(P, refresh_token))).toBe('400 invalid_grant');
  });
  test('revoking an unknown or revoked token is answered 200', async () => {
    const { access_token } = await harness.connect(P, ada);
    harness.clock.advance(2 * 3_600_000);
    for (const token of ['garbage', access_token, '0'.repeat(52), 'a.b.c'])
      expect((await revoke({ client_id: P.id, token })).status).toBe(200);
  });
  test("another client's token stays valid", async () => {
    const other = await harness.register();
    const { access_token, refresh_token } = await harness.connect(P, ada);
    for (const token of [access_token, refresh_token])
      expect((await revoke({ client_id: other.id, token })).status).toBe(200);
    expect((await harness.use(access_token)).status).toBe(200);
  });
  test('a confidential client must authenticate', async () => {
    const S = await harness.register({ token_endpoint_auth_method: 'client_secret_post' });
    const { refresh_token } = await harness.connect(S, ada);
    expect(await failure(await revoke({ client_id: S.id, token: refresh_token }))).toBe('401 invalid_client');
    expect((await harness.refresh(S, refresh_token)).status).toBe(200);
  });
  test.each([
    ['client_secret_post', 'client_secret_basic'],
    ['client_secret_basic', 'client_secret_post'],
  ])('a client that registered %s may send its correct secret by %s', async (registered, used) => {
    const S = await harness.register({ token_endpoint_auth_method: registered });
    const { secret = '' } = S;
    const code = await harness.codeFor(S, ada);
    const redeem = { grant_type: 'authorization_code', code, redirect_uri: S.redirectUri, code_verifier: verifier };
    const authenticate = (method: string, given: string): [Record<string, string>, Record<string, string>] =>
      method === 'client_secret_basic' ? [{}, basic(S.id, given)] : [{ client_id: S.id, client_secret: given }, {}];
    const [form, headers] = authenticate(registered, secret);
    const { access_token } = (await (await harness.post('/token', { ...redeem, ...form }, headers)).json()) as Tokens;
    for (const [given, status] of [
      ['wrong', 401],
      [secret, 200],
    ] as const) {
      const [revocation, authorization] = authenticate(used, given);
      expect((await revoke({ ...revocation, token: access_token }, authorization)).status).toBe(status);
      expect((await harness.use(access_token)).status).toBe(status === 200 ? 401 : 200);
    }
  });
  test('a public client that sends a secret is refused', async () => {
    const { access_token } = await harness.connect(P, ada);
    expect(await failure(await revoke({ token: access_token }, basic(P.id, 'x')))).toBe('401 invalid_client');
  });
  test('an unknown token_type_hint is ignored', async () => {
    const { access_token, refresh_token } = await harness.connect(P, ada);
    expect((await revoke({ client_id: P.id, token: refresh_token, token_type_hint: 'nonsense' })).status).toBe(200);
    expect((await harness.use(access_token)).status).toBe(401);
  });
  test('a request without a token is refused', async () => {
    expect(await failure(await revoke({ client_id: P.id }))).toBe('400 invalid_request');
  });
});

describe('GET and DELETE /api/apps', () => {
  test('an app is listed with its client and host, and removing it ends its tokens at once', async () => {
    const client = await harness.register({ client_name: 'Listed' });
    const { access_token, refresh_token } = await harness.connect(client, ada);
    await harness.use(access_token);
    const app = (await appsOf(ada)).find(({ clientId }) => clientId === client.id);
    expect(app).toEqual({
      id: expect.stringMatching(/^app_/),
      name: 'Listed',
      clientId: client.id,
      createdAt: harness.clock.now(),
      lastUsedAt: harness.clock.now(),
      issuer: null,
      verifiedHost: null,
      redirectHost: 'c.test',
      scopes: ['webhooks'],
      subscriptions: [],
    } as unknown as App);
    expect(await ada.json(200, 'DELETE', `/api/apps/${app?.id}`)).toEqual({ ok: true });
    expect((await harness.use(access_token)).status).toBe(401);
    expect(await failure(await harness.refresh(client, refresh_token))).toBe('400 invalid_grant');
    await ada.json(404, 'DELETE', `/api/apps/${app?.id}`);
    expect((await appsOf(ada)).some(({ clientId }) => clientId === client.id)).toBe(false);
  });
  test("another account's app is answered with 404", async () => {
    const { access_token } = await harness.connect(P, bob);
    const [app] = await appsOf(bob);
    expect((await appsOf(ada)).some(({ id }) => id === app?.id)).toBe(false);
    const notOwned = await ada.call('DELETE', `/api/apps/${app?.id}`);
    const missing = await ada.call('DELETE', '/api/apps/app_nothing');
    expect([notOwned.status, await notOwned.text()]).toEqual([missing.status, await missing.text()]);
    expect(notOwned.status).toBe(404);
    expect((await harness.use(access_token)).status).toBe(200);
  });
  test('connecting an app twice keeps both grants under one app', async () => {
    const client = await harness.register();
    const first = await harness.connect(client, ada);
    const second = await harness.connect(client, ada);
    expect((await harness.use(first.access_token)).status).toBe(200);
    expect((await harness.use(second.access_token)).status).toBe(200);
    expect((await appsOf(ada)).filter(({ clientId }) => clientId === client.id)).toHaveLength(1);
  });
  test('an app without an active grant is not listed', async () => {
    const client = await harness.register();
    const { refresh_token } = await harness.connect(client, ada);
    const [id] = (await appsOf(ada)).filter(({ clientId }) => clientId === client.id).map(app => app.id);
    await revoke({ client_id: client.id, token: refresh_token });
    expect((await appsOf(ada)).some(app => app.id === id)).toBe(false);
    await ada.json(404, 'DELETE', `/api/apps/${id}`);
  });
  test('the last use of an app is shown and stored', async () => {
    const client = await harness.register();
    const { access_token } = await harness.connect(client, ada);
    await harness.use(access_token);
    const usedAt = harness.clock.now();
    await harness.services.apps.flushUses();
    const { rows } = await harness.services.database.client.execute({
      sql: 'SELECT last_used_at FROM connected_apps WHERE client_id = ?',
      args: [client.id],
    });
    expect(Number(rows[0]?.['last_used_at'])).toBe(usedAt);
  });
});
