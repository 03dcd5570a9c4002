/* What becomes of unused codes and open authorization requests when a grant ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let bob: SignedInAccount;
let client: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  bob = await harness.createAccount('bob@example.com');
  client = await harness.register();
});
afterAll(() => harness.close());

const disconnect = async (who: SignedInAccount, from = client): Promise<unknown> => {
  const { apps } = await who.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
  return who.json(200, 'DELETE', `/api/apps/${apps.find(({ clientId }) => clientId === from.id)?.id}`);
};
const ends: [string, (tokens: Tokens) => Promise<unknown>][] = [
  ['the app is disconnected', () => disconnect(ada)],
  [
    'the app revokes its token',
    ({ access_token }) => harness.post('/revoke', { client_id: client.id, token: access_token }),
  ],
  [
    'a rotated refresh token is used after the grace window',
    async ({ refresh_token }) => {
      // The token was rotated before the code was issued, because a code expires after 60 seconds.
      expect((await harness.refresh(client, refresh_token)).status).toBe(400);
    },
  ],
  ['every grant of the account ends', () => harness.services.oauth.revokeAllGrants(ada.accountId)],
];

describe('when a grant ends', () => {
  test.each(ends)('earlier codes and requests are invalid when %s', async (name, end) => {
    const tokens = await harness.connect(client, ada);
    if (name.startsWith('a rotated')) {
      await harness.refresh(client, tokens.refresh_token);
      harness.clock.advance(121_000);
    }
    const code = await harness.codeFor(client, ada);
    const handle = await harness.handleIn(await harness.visit(harness.request(client), ada.cookie));
    await end(tokens);
    expect(await failure(await harness.redeem(client, code))).toBe('400 invalid_grant');
    const answer = await harness.answer(handle, ada.cookie);
    expect([answer.status, answer.headers.has('location')]).toEqual([400, false]);
    const { apps } = await ada.json<{ apps: object[] }>(200, 'GET', '/api/apps');
    expect(apps).toEqual([]);
  });

  test('a code for an app that is not connected yet is invalid when every grant of the account ends', async () => {
    const unknown = await harness.register();
    const code = await harness.codeFor(unknown, ada);
    await harness.services.oauth.revokeAllGrants(ada.accountId);
    expect(await failure(await harness.redeem(unknown, code))).toBe('400 invalid_grant');
  });

  test('codes and requests of other accounts and other apps stay valid', async () => {
    const other = await harness.register();
    for (const app of [client, other]) await harness.connect(app, ada);
    const codes = [await harness.codeFor(other, ada), await harness.codeFor(client, bob)] as const;
    const handle = await harness.handleIn(await harness.visit(harness.request(client), bob.cookie));
    await disconnect(ada);
    expect((await harness.redeem(other, codes[0])).status).toBe(200);
    expect((await harness.redeem(client, codes[1])).status).toBe(200);
    expect((await harness.answer(handle, bob.cookie)).status).toBe(303);
    await harness.services.oauth.revokeAllGrants(bob.accountId);
    expect((await harness.connect(other, ada)).access_token).toBeTruthy();
  });

  test('revoking a revoked token again does not affect a newer code', async () => {
    const { refresh_token } = await harness.connect(client, ada);
    await harness.post('/revoke', { client_id: client.id, token: refresh_token });
    const code = await harness.codeFor(client, ada);
    await harness.post('/revoke', { client_id: client.id, token: refresh_token });
    expect((await harness.redeem(client, code)).status).toBe(200);
  });

  test('the codes of a removed member are invalid', async () => {
    const cleo = await harness.createAccount('cleo@example.com', 'ada@example.com');
    const code = await harness.codeFor(client, cleo);
    await ada.json(200, 'DELETE', `/api/team/members/${cleo.accountId}`);
    expect(await failure(await harness.redeem(client, code))).toBe('400 invalid_grant');
  });
});
