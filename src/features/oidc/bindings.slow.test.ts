/* Binding an account to the provider, ending that, and signing out of both. */
import { afterEach, describe, expect, test } from 'bun:test';
import { runOperation } from '../../cli/operations.ts';
import {
  type OidcHarness,
  openOidcHarness,
  type Person,
  password,
  peopleOf,
  type Visitor,
} from '../../testing/oidc-harness.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true };
const bob = { sub: 'bob', email: 'bob@example.com', email_verified: true };
let harness: OidcHarness;
const open = async (env: Record<string, string> = {}): Promise<OidcHarness> => {
  harness = await openOidcHarness({ env });
  return harness;
};
afterEach(() => harness.close());

const { me, signIn, signedIn, withPassword, actionsOf } = peopleOf(() => harness);
const binding = async (browser: Visitor, person: Person): Promise<Response> => {
  const { url } = await browser.json<{ url: string }>(200, 'POST', '/api/me/oidc', {});
  return browser.comeBack(harness.issuer.authorize(url, person));
};

describe('POST /api/me/oidc', () => {
  test('binds the person to whoever the provider names, whatever the address, and starts no session', async () => {
    await open();
    await harness.createAccount(ada.email);
    const browser = await withPassword(ada.email);
    const session = browser.cookies.get('__Host-sid');
    const response = await binding(browser, { sub: 'x', email: 'private@example.org', email_verified: false });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/app/settings/sign-in']);
    expect(browser.cookies.get('__Host-sid')).toBe(session);
    expect((await me(browser)).signIn['oidc']).toBe(true);
    expect(await signIn({ sub: 'x' })).toEqual([303, ada.email]);
    expect((await binding(browser, { sub: 'x' })).status).toBe(303);
    expect((await actionsOf(browser)).filter(line => line.startsWith('oidc'))).toHaveLength(1);
  });

  test('refuses what is bound already, and what is outside the groups, with the page of every refusal', async () => {
    await open({ HOOKTAPE_OIDC_ALLOWED_GROUPS: 'staff' });
    const groups = ['staff'];
    await harness.createAccount(ada.email);
    await harness.createAccount(bob.email);
    await signedIn({ ...ada, groups });
    const browser = await withPassword(bob.email);
    const pages = [await binding(browser, { ...ada, groups }), await binding(browser, bob)];
    expect((await binding(browser, { ...bob, groups })).status).toBe(303);
    pages.push(await binding(browser, { sub: 'second', groups }));
    expect(pages.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(await Promise.all(pages.map(page => page.text()))).size).toBe(1);
  });

  test('needs a recent sign-in, a session, and the same person at the end', async () => {
    await open();
    const key = await harness.createAccount(ada.email);
    await harness.createAccount(bob.email);
    await key.json(403, 'POST', '/api/me/oidc', {});
    const browser = await withPassword(ada.email);
    const { url } = await browser.json<{ url: string }>(200, 'POST', '/api/me/oidc', {});
    await browser.signInWithPassword(bob.email);
    expect((await browser.comeBack(harness.issuer.authorize(url, ada))).status).toBe(403);
    expect((await me(browser)).signIn['oidc']).toBe(false);
    harness.clock.advance(10 * 60_000 + 1);
    expect(await browser.json(403, 'POST', '/api/me/oidc', {})).toMatchObject({ needs: 'recent_sign_in' });
    await signedIn(ada);
    const outsider = harness.visitor();
    expect((await outsider.call('POST', '/api/me/oidc', {})).status).toBe(401);
  });

  test('a sign-in with the provider is recent', async () => {
    await open();
    await harness.createAccount(ada.email);
    const browser = await signedIn(ada);
    harness.clock.advance(10 * 60_000 + 1);
    await browser.json(403, 'DELETE', '/api/me/oidc');
    await browser.signIn(ada);
    await browser.json(200, 'DELETE', '/api/me/oidc');
  });

  test('503 while the provider is down', async () => {
    await open();
    await harness.createAccount(ada.email);
    const browser = await withPassword(ada.email);
    harness.issuer.intercept = async () => new Response('', { status: 500 });
    expect(await browser.json(503, 'POST', '/api/me/oidc', {})).toEqual({ error: 'Example ID cannot be reached' });
  });
});

describe('DELETE /api/me/oidc', () => {
  test('ends the binding, except when it is the last way to sign in', async () => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on' });
    const browser = await signedIn(ada);
    await browser.json(409, 'DELETE', '/api/me/oidc');
    // A new password keeps the binding, and says so.
    expect(await harness.services.account.resetPassword(ada.email, password)).toMatchObject({
      oidc: true,
      passkeys: 0,
    });
    const again = await withPassword(ada.email);
    await again.json(200, 'DELETE', '/api/me/oidc');
    await again.json(404, 'DELETE', '/api/me/oidc');
    expect((await me(again)).signIn['oidc']).toBe(false);
    expect(await actionsOf(again)).toContain(
      'oidc.unbound: ada@example.com disconnected their account from the OpenID Connect provider',
    );
  });

  test('under an IP address a passkey is no other way', async () => {
    await open({ HOOKTAPE_BASE_URL: 'https://192.0.2.1' });
    const { accountId } = await harness.createAccount(ada.email);
    const { database, oidcStore, oidcBindings } = harness.services;
    await database.client.execute('UPDATE accounts SET password_hash = NULL');
    await database.client.execute({
      sql: "INSERT INTO passkeys VALUES ('pky_1', ?, x'00', x'00', 0, '[]', 'laptop', 0, NULL)",
      args: [accountId],
    });
    const now = harness.clock.now();
    const { issuer } = harness.issuer;
    await oidcStore.insert({ issuer: new URL(issuer).href, subject: 'ada', accountId, createdAt: now });
    expect(await thrownBy(oidcBindings.end({ accountId, signedInAt: now }))).toThrow('you could not sign in any more');
  });

  test('hooktape account oidc off ends it in any case', async () => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on' });
    const browser = await signedIn(ada);
    const off = () => runOperation(harness.services, 'account.oidcOff', { email: ada.email });
    expect(await off()).toMatchObject({ result: { email: ada.email } });
    expect(await off()).toMatchObject({ failure: { code: 'conflict' } });
    expect((await me(browser)).signIn['oidc']).toBe(false);
    expect(await actionsOf(browser)).toContain(
      'oidc.unbound: The operator disconnected the account of ada@example.com from the OpenID Connect provider',
    );
    expect(await signIn({ ...ada, sub: 'the right one' })).toEqual([303, ada.email]);
  });
});

describe('POST /api/password', () => {
  const first = { password: 'a wide meadow at dawn' };
  const withoutPassword = async (): Promise<Visitor> => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on' });
    return signedIn(ada);
  };

  test('sets the first password without an old one; the other sessions end, and the provider is no longer the last way', async () => {
    const browser = await withoutPassword();
    const other = await signedIn(ada);
    await browser.json(400, 'POST', '/api/password', { password: 'short' });
    await browser.json(400, 'POST', '/api/password', { ...first, current: 'a guess' });
    const before = browser.cookies.get('__Host-sid');
    await browser.json(200, 'POST', '/api/password', first);
    expect([await browser.who(), await other.who()]).toEqual([ada.email, undefined]);
    expect(browser.cookies.get('__Host-sid')).not.toBe(before);
    await harness.visitor().json(201, 'POST', '/api/session', { email: ada.email, ...first });
    await browser.json(200, 'DELETE', '/api/me/oidc', {});
  });

  test('needs the old one afterwards, also of two requests at once', async () => {
    const browser = await withoutPassword();
    const other = await signedIn(ada);
    const set = (from: Visitor) => from.call('POST', '/api/password', first);
    const statuses = (await Promise.all([set(browser), set(other)])).map(({ status }) => status);
    expect(statuses.filter(status => status === 200)).toHaveLength(1);
    const winner = statuses[0] === 200 ? browser : other;
    expect(await winner.json(400, 'POST', '/api/password', { password: 'another long password' })).toMatchObject({
      problems: [{ path: 'current', message: 'required' }],
    });
  });

  test('sets none for an API key, nor without a recent sign-in', async () => {
    const browser = await withoutPassword();
    const { key } = await browser.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'a key' });
    const authorization = `Bearer ${key}`;
    expect((await harness.visitor().call('POST', '/api/password', first, { authorization })).status).toBe(403);
    harness.clock.advance(10 * 60_000 + 1);
    expect(await browser.json(403, 'POST', '/api/password', first)).toMatchObject({ needs: 'recent_sign_in' });
  });
});

describe('DELETE /api/session', () => {
  const signOut = (browser: Visitor) =>
    browser.json<{ ok: boolean; endSessionUrl: string | null }>(200, 'DELETE', '/api/session');

  test("gives the provider's address to who came from there", async () => {
    await open();
    await harness.createAccount(ada.email);
    const { endSessionUrl } = await signOut(await signedIn(ada));
    const url = new URL(endSessionUrl ?? '');
    expect(url.origin + url.pathname).toBe('https://id.test/end');
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe('https://hooks.test/login');
    expect(url.searchParams.get('client_id')).toBe('hooktape');
    const hint = url.searchParams.get('id_token_hint') ?? '';
    expect(JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({ sub: 'ada' });
    expect(await signOut(await withPassword(ada.email))).toEqual({ ok: true, endSessionUrl: null });
  });

  test('null if the provider has none, is down, or gives an address that is no page', async () => {
    await open();
    await harness.createAccount(ada.email);
    const { issuer, clock } = harness;
    for (const end_session_endpoint of [undefined, 'javascript:alert(1)', 'http://id.test/end']) {
      clock.advance(3_600_000);
      issuer.metadata = { end_session_endpoint };
      expect((await signOut(await signedIn(ada))).endSessionUrl).toBeNull();
    }
    const browser = await signedIn(ada);
    clock.advance(3_600_000);
    issuer.intercept = async () => new Response('', { status: 500 });
    expect((await signOut(browser)).endSessionUrl).toBeNull();
    expect(await browser.who()).toBeUndefined();
  });

  test('a long ID token is not kept, and a kept one is sealed', async () => {
    await open();
    await harness.createAccount(ada.email);
    const { endSessionUrl } = await signOut(await signedIn({ ...ada, picture: 'x'.repeat(8000) }));
    expect(new URL(endSessionUrl ?? '').searchParams.has('id_token_hint')).toBe(false);
    await signedIn(ada);
    const { rows } = await harness.services.database.client.execute('SELECT id_token FROM sessions');
    const stored = Buffer.from(rows[0]?.['id_token'] as ArrayBuffer).toString('latin1');
    expect(stored.length).toBeGreaterThan(100);
    expect(stored).not.toContain('eyJ');
  });
});

describe('without a provider', () => {
  test('there is nothing to begin, to bind or to end', async () => {
    await open({ HOOKTAPE_OIDC_ISSUER: '', HOOKTAPE_OIDC_CLIENT_ID: '' });
    await harness.createAccount(ada.email);
    const browser = await withPassword(ada.email);
    await browser.json(404, 'POST', '/api/me/oidc', {});
    await browser.json(404, 'DELETE', '/api/me/oidc');
    expect((await browser.call('GET', '/login/oidc')).status).toBe(404);
  });

  test('a binding to another issuer does not count', async () => {
    await open();
    const { accountId } = await harness.createAccount(ada.email);
    await harness.services.database.client.execute({
      sql: "INSERT INTO oidc_bindings VALUES ('https://old.test/', 'ada', ?, 1)",
      args: [accountId],
    });
    expect((await me(await withPassword(ada.email))).signIn['oidc']).toBe(false);
    expect((await me(await signedIn({ ...ada, sub: 'new' }))).signIn['oidc']).toBe(true);
  });
});

describe('the ways to sign in', () => {
  test('name the provider', async () => {
    await open();
    expect(await harness.visitor().json(401, 'GET', '/api/session')).toMatchObject({
      ways: { password: true, oidc: { name: 'Example ID' }, passkeys: expect.anything() },
    });
  });
});
