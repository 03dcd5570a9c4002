/* API keys that a connected app creates belong to the app, have its permissions, and end with it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import {
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
} from '../../testing/oauth-harness.ts';

type Key = { id: string; name: string; key: string; app: { id: string; name: string } | null };
let harness: OAuthHarness;
let ada: SignedInAccount;
let client: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  client = await harness.register({ client_name: 'Example editor' });
});
afterAll(() => harness.close());

const create = (token: string, on = harness): Promise<Response> =>
  on.use(token, '/api/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"deploy"}',
  });
const created = async (token: string, on = harness): Promise<Key> => {
  const response = await create(token, on);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Key;
};
const keysOf = async (who: SignedInAccount) => (await who.json<{ keys: Key[] }>(200, 'GET', '/api/keys')).keys;
const appIdOf = async (who: SignedInAccount, of = client): Promise<string> => {
  const { apps } = await who.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
  return apps.find(({ clientId }) => clientId === of.id)?.id ?? '';
};
const status = async ({ key }: Key): Promise<number> => (await harness.use(key)).status;
const storedKeys = async (id: string): Promise<number> =>
  (await harness.services.database.client.execute({ sql: 'SELECT id FROM api_keys WHERE id = ?', args: [id] })).rows
    .length;

describe('a key that an app creates', () => {
  test('is listed with the app, and so is a key created with it', async () => {
    const { access_token } = await harness.connect(client, ada);
    const app = { id: await appIdOf(ada), name: 'Example editor' };
    const first = await created(access_token);
    const second = await created(first.key);
    expect([first.app, second.app]).toEqual([app, app]);
    const listed = new Map((await keysOf(ada)).map(key => [key.id, key.app]));
    expect([listed.get(first.id), listed.get(second.id)]).toEqual([app, app]);
    const own = await ada.json<Key>(201, 'POST', '/api/keys', { name: 'my own' });
    expect([own.app, (await keysOf(ada)).find(({ id }) => id === own.id)?.app]).toEqual([null, null]);
    for (const { id } of [first, second, own]) await ada.json(200, 'DELETE', `/api/keys/${id}`);
  });

  type End = (tokens: Tokens) => Promise<unknown>;
  const ends: [string, End][] = [
    ['disconnecting the app', async () => ada.json(200, 'DELETE', `/api/apps/${await appIdOf(ada)}`)],
    [
      'the app revoking its token',
      ({ refresh_token }) => harness.post('/revoke', { client_id: client.id, token: refresh_token }),
    ],
    [
      'the reuse of a rotated refresh token',
      async ({ refresh_token }) => {
        await harness.refresh(client, refresh_token);
        harness.clock.advance(121_000);
        expect((await harness.refresh(client, refresh_token)).status).toBe(400);
      },
    ],
    ['ending every grant of the account', () => harness.services.oauth.revokeAllGrants(ada.accountId)],
  ];
  test.each(ends)('ends at once with %s, and keys that the user created stay', async (_, end) => {
    const tokens = await harness.connect(client, ada);
    const first = await created(tokens.access_token);
    const second = await created(first.key);
    const own = await ada.json<Key>(201, 'POST', '/api/keys', { name: 'my own' });
    expect([await status(first), await status(second)]).toEqual([200, 200]);
    await end(tokens);
    expect([await status(first), await status(second), await status(own)]).toEqual([401, 401, 200]);
    expect([await storedKeys(first.id), await storedKeys(second.id)]).toEqual([0, 0]);
    await ada.json(200, 'DELETE', `/api/keys/${own.id}`);
  });

  test('ends when the code of its grant is used again', async () => {
    const code = await harness.codeFor(client, ada);
    const { access_token } = (await (await harness.redeem(client, code)).json()) as Tokens;
    const key = await created(access_token);
    expect((await harness.redeem(client, code)).status).toBe(400);
    expect(await status(key)).toBe(401);
  });

  test('ends with its own grant, and not with another grant of the app', async () => {
    const [laptop, phone] = [await harness.connect(client, ada), await harness.connect(client, ada)];
    const key = await created(laptop.access_token);
    await harness.post('/revoke', { client_id: client.id, token: phone.refresh_token });
    expect(await status(key)).toBe(200);
    await harness.post('/revoke', { client_id: client.id, token: laptop.refresh_token });
    expect(await status(key)).toBe(401);
  });

  test('ends when the member who connected the app is removed', async () => {
    const cleo = await harness.createAccount('cleo@example.com', 'ada@example.com');
    const key = await created((await harness.connect(client, cleo)).access_token);
    await ada.json(200, 'DELETE', `/api/team/members/${cleo.accountId}`);
    expect(await status(key)).toBe(401);
  });

  test('is not created when the app is disconnected during the request', async () => {
    const before = (await keysOf(ada)).length;
    await harness.connect(client, ada);
    const createdBy = { id: await appIdOf(ada), grantId: 'grt_gone' };
    const late = harness.services.keys.create(ada.accountId, 'late', { createdBy }).catch((error: unknown) => error);
    expect(await late).toMatchObject({ code: 'unauthorized' });
    expect(await keysOf(ada)).toHaveLength(before);
  });

  test('of an app of an external issuer ends with the app', async () => {
    const issuer = 'https://login.test';
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
    const other = await openOAuthHarness({
      env: {
        HOOKTAPE_OAUTH_ISSUERS: JSON.stringify([{ issuer, audience: 'urn:hooktape', jwks_uri: `${issuer}/keys` }]),
      },
      overrides: { fetchJson: async () => ({ keys: [jwk] }) },
    });
    try {
      const dora = await other.createAccount('dora@example.com');
      const now = Math.floor(other.clock.now() / 1000);
      const token = await new SignJWT({ client_id: 'cli', email: dora.email })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'one' })
        .setIssuer(issuer)
        .setAudience('urn:hooktape')
        .setSubject('dora')
        .setIssuedAt(now)
        .setExpirationTime(now + 600)
        .sign(privateKey);
      const key = await created(token, other);
      expect(key.app).toEqual({
        id: await appIdOf(dora, { id: 'cli', secret: undefined, redirectUri: '' }),
        name: 'cli',
      });
      expect((await other.use(key.key)).status).toBe(200);
      expect((await other.use(key.key, '/api/team')).status).toBe(403);
      await dora.json(200, 'DELETE', `/api/apps/${key.app?.id}`);
      expect((await other.use(key.key)).status).toBe(401);
      expect((await keysOf(dora)).some(({ id }) => id === key.id)).toBe(false);
    } finally {
      await other.close();
    }
  });

  test('ends when its grant expires, and does not work while the client is disabled', async () => {
    const key = await created((await harness.connect(client, ada)).access_token);
    const switchOff = (at: number | null) =>
      harness.services.database.client.execute({
        sql: 'UPDATE oauth_clients SET disabled_at = ? WHERE id = ?',
        args: [at, client.id],
      });
    await switchOff(1);
    expect(await status(key)).toBe(401);
    await switchOff(null);
    expect(await status(key)).toBe(200);
    // Deletes everything that this file created.
    harness.clock.advance(365 * 24 * 3_600_000);
    expect(await status(key)).toBe(401);
    await harness.services.oauth.maintain();
    expect(await storedKeys(key.id)).toBe(0);
  });
});
