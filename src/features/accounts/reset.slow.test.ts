/* What a new password ends, set by the operator or changed by the user. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openBrowser } from '../../testing/browser.ts';
import {
  failure,
  type OAuthHarness,
  openOAuthHarness,
  type SignedInAccount,
  type TestClient,
  type Tokens,
} from '../../testing/oauth-harness.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

let harness: OAuthHarness;
let client: TestClient;
let ada: SignedInAccount;
let bob: SignedInAccount;
let tokens: Tokens;
let count = 0;
beforeAll(async () => {
  harness = await openOAuthHarness();
  client = await harness.register();
  bob = await harness.createAccount('bob@example.com');
});
afterAll(() => harness.close());
beforeEach(async () => {
  ada = await harness.createAccount(`ada${++count}@example.com`);
  tokens = await harness.connect(client, ada);
});

const asCookie = (cookie: string) =>
  harness.fetch('/api/me', { headers: { cookie, host: 'hooks.test', 'sec-fetch-site': 'same-origin' } });
/** Statuses of the account's session, access token and API key. */
const access = async (who = ada, token = tokens.access_token) => [
  (await asCookie(who.cookie)).status,
  (await harness.use(token)).status,
  (await who.call('GET', '/api/me')).status,
];

describe('a password that the operator sets', () => {
  const reset = (options?: { keepKeys: boolean }) =>
    harness.services.account.resetPassword(ada.email, 'a fresh long password', options);

  test('ends sessions and apps, revokes keys, and reports how many', async () => {
    expect(await access()).toEqual([200, 200, 200]);
    expect(await reset()).toMatchObject({ email: ada.email, sessionsEnded: 1, grantsRevoked: 1, keysRevoked: 1 });
    expect(await access()).toEqual([401, 401, 401]);
    expect(await failure(await harness.refresh(client, tokens.refresh_token))).toBe('400 invalid_grant');
  });

  test('keeps the API keys with keepKeys', async () => {
    expect(await reset({ keepKeys: true })).toMatchObject({ sessionsEnded: 1, grantsRevoked: 1, keysRevoked: 0 });
    expect(await access()).toEqual([401, 401, 200]);
  });

  test('invalidates unused codes', async () => {
    const code = await harness.codeFor(client, ada);
    await reset();
    expect(await failure(await harness.redeem(client, code))).toBe('400 invalid_grant');
  });

  test('does not affect other accounts', async () => {
    const { access_token } = await harness.connect(client, bob);
    await reset();
    expect(await access(bob, access_token)).toEqual([200, 200, 200]);
  });
});

describe('POST /api/password', () => {
  const change = async (over: object) => {
    const browser = openBrowser(harness.server, { host: 'hooks.test' });
    browser.cookie = ada.cookie;
    const given = { current: 'correct horse battery', password: 'a fresh long password', ...over };
    await browser.json(200, 'POST', '/api/password', given);
    return browser;
  };

  test.each([[{}], [{ signOutEverywhere: false }]])('%j ends other sessions and keeps apps and keys', async over => {
    const other = await harness.signIn(ada.email);
    const browser = await change(over);
    expect((await asCookie(other)).status).toBe(401);
    expect(await access({ ...ada, cookie: browser.cookie })).toEqual([200, 200, 200]);
  });

  test('signOutEverywhere also disconnects apps, and keeps the current session and the keys', async () => {
    const other = await harness.signIn(ada.email);
    const browser = await change({ signOutEverywhere: true });
    expect((await asCookie(other)).status).toBe(401);
    expect(await access({ ...ada, cookie: browser.cookie })).toEqual([200, 401, 200]);
    expect(await failure(await harness.refresh(client, tokens.refresh_token))).toBe('400 invalid_grant');
  });

  test('400 without any change when signOutEverywhere is no boolean', async () => {
    expect(await thrownBy(change({ signOutEverywhere: 'yes' }))).toThrow('400');
    expect(await access()).toEqual([200, 200, 200]);
  });
});
