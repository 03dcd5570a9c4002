/* Authorizations that are still under way when a connection ends: an unused code, and a question that nobody answered yet. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInPerson,
  type TestClient,
  type Tokens,
} from '../../testing/oauth-harness.ts';

let desk: OAuthHarness;
let ada: SignedInPerson;
let bob: SignedInPerson;
let client: TestClient;

beforeAll(async () => {
  desk = await openOAuthHarness();
  ada = await desk.person('ada@example.com');
  bob = await desk.person('bob@example.com');
  client = await desk.register();
});
afterAll(() => desk.close());

const disconnect = async (who: SignedInPerson, from = client): Promise<unknown> => {
  const { apps } = await who.json<{ apps: { id: string; clientId: string }[] }>(200, 'GET', '/api/apps');
  return who.json(200, 'DELETE', `/api/apps/${apps.find(({ clientId }) => clientId === from.id)?.id}`);
};
const ends: [string, (tokens: Tokens) => Promise<unknown>][] = [
  ['the app is disconnected', () => disconnect(ada)],
  [
    'the app revokes its token',
    ({ access_token }) => desk.post('/revoke', { client_id: client.id, token: access_token }),
  ],
  [
    'a rotated refresh token comes back late',
    async ({ refresh_token }) => {
      // The code is issued 60 seconds before it expires: the token is rotated in advance.
      expect((await desk.refresh(client, refresh_token)).status).toBe(400);
    },
  ],
  ['every grant of the account ends', () => desk.services.oauth.revokeAllOf(ada.accountId)],
];

describe('when a grant ends', () => {
  test.each(ends)('a code and a question of before are worth nothing: %s', async (name, end) => {
    const tokens = await desk.connect(client, ada);
    if (name.startsWith('a rotated')) {
      await desk.refresh(client, tokens.refresh_token);
      desk.clock.advance(121_000);
    }
    const code = await desk.codeFor(client, ada);
    const handle = await desk.handleIn(await desk.visit(desk.request(client), ada.cookie));
    await end(tokens);
    expect(await failure(await desk.redeem(client, code))).toBe('400 invalid_grant');
    const answer = await desk.answer(handle, ada.cookie);
    expect([answer.status, answer.headers.has('location')]).toEqual([400, false]);
    const { apps } = await ada.json<{ apps: object[] }>(200, 'GET', '/api/apps');
    expect(apps).toEqual([]);
  });

  test('so is one that was to connect the app for the first time, when every grant of the account ends', async () => {
    const unknown = await desk.register();
    const code = await desk.codeFor(unknown, ada);
    await desk.services.oauth.revokeAllOf(ada.accountId);
    expect(await failure(await desk.redeem(unknown, code))).toBe('400 invalid_grant');
  });

  test('what other people and other apps have under way goes on', async () => {
    const other = await desk.register();
    for (const app of [client, other]) await desk.connect(app, ada);
    const codes = [await desk.codeFor(other, ada), await desk.codeFor(client, bob)] as const;
    const handle = await desk.handleIn(await desk.visit(desk.request(client), bob.cookie));
    await disconnect(ada);
    expect((await desk.redeem(other, codes[0])).status).toBe(200);
    expect((await desk.redeem(client, codes[1])).status).toBe(200);
    expect((await desk.answer(handle, bob.cookie)).status).toBe(303);
    await desk.services.oauth.revokeAllOf(bob.accountId);
    expect((await desk.connect(other, ada)).access_token).toBeTruthy();
  });

  test('a revoked token that is revoked again ends nothing new', async () => {
    const { refresh_token } = await desk.connect(client, ada);
    await desk.post('/revoke', { client_id: client.id, token: refresh_token });
    const code = await desk.codeFor(client, ada);
    await desk.post('/revoke', { client_id: client.id, token: refresh_token });
    expect((await desk.redeem(client, code)).status).toBe(200);
  });

  test('a member who is removed takes a code along', async () => {
    const cleo = await desk.person('cleo@example.com', 'ada@example.com');
    const code = await desk.codeFor(client, cleo);
    await ada.json(200, 'DELETE', `/api/team/members/${cleo.accountId}`);
    expect(await failure(await desk.redeem(client, code))).toBe('400 invalid_grant');
  });
});
