/* HOOKTAPE_PASSWORD_SIGN_IN=off. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { runOperation } from '../../cli/operations.ts';
import { openBrowser } from '../../testing/browser.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const email = 'ada@example.com';
const password = 'a good long password';
const env = {
  HOOKTAPE_PASSWORD_SIGN_IN: 'off',
  HOOKTAPE_AUTH_HEADER: 'Remote-Email',
  HOOKTAPE_AUTH_HEADER_PROXIES: '10.0.0.0/8',
};
let server: TestServer;
beforeEach(async () => {
  server = await openTestServer({ env });
});
afterEach(() => server.close());

async function signInWithLink(of = email) {
  const outcome = (await runOperation(server.services, 'account.signInLink', { email: of })) as {
    result: { url: string };
  };
  const browser = openBrowser(server);
  const answer = await browser.call('POST', '/login/link', undefined, { 'content-type': 'text/plain' });
  expect(answer.status).toBe(404);
  const response = await server.fetch('/login/link', {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URL(outcome.result.url).search.slice(1),
  });
  browser.cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return browser;
}

describe('while sign-in with a password is off', () => {
  test('a right and a wrong password are 403, and the ways say so', async () => {
    await server.createAccount(email, { password });
    for (const given of [password, 'wrong wrong wrong']) {
      const answer = await openBrowser(server).json(403, 'POST', '/api/session', { email, password: given });
      expect(answer).toEqual({ error: 'sign-in with a password is off on this server: sign in another way' });
    }
    expect(await openBrowser(server).json(401, 'GET', '/api/session')).toMatchObject({ ways: { password: false } });
    const browser = await signInWithLink();
    expect(await browser.json(200, 'GET', '/api/me')).toMatchObject({ signIn: { password: false } });
  });

  test('the first account needs no password', async () => {
    const link = new URL((await server.services.setup.link()) ?? '');
    const token = link.searchParams.get('token');
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/setup', { token, email });
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({
      account: { email, plan: 'pro' },
      role: 'owner',
    });
    expect((await server.services.account.byEmail(email)).passwordHash).toBeNull();
  });

  test('an invitation needs no password and works once', async () => {
    await server.createAccount(email);
    const owner = await signInWithLink();
    const { url } = await owner.json<{ url: string }>(201, 'POST', '/api/team/invitations', {
      email: 'bob@example.com',
    });
    const path = `/api/invitations/${new URL(url).searchParams.get('invitation')}`;
    const bob = openBrowser(server);
    await bob.json(201, 'POST', path, {});
    expect(await bob.json(200, 'GET', '/api/session')).toMatchObject({
      account: { email: 'bob@example.com' },
      role: 'member',
    });
    await openBrowser(server).json(404, 'POST', path, {});
  });

  test('a new account gets no link that sets a password', async () => {
    const made = await runOperation(server.services, 'account.create', { email, passwordLink: true });
    expect(Object.keys((made as { result: object }).result)).not.toContain('passwordLink');
  });

  test('the last passkey of an account cannot be deleted, although it has a password', async () => {
    const { accountId } = await server.createAccount(email, { password });
    await server.services.database.client.execute(
      `INSERT INTO passkeys (id, account_id, credential_id, public_key, counter, transports, name, created_at)
       VALUES ('pky_1', '${accountId}', x'01', x'01', 0, '[]', 'laptop', 1)`,
    );
    const browser = await signInWithLink();
    await browser.json(409, 'DELETE', '/api/me/passkeys/pky_1');
  });
});

test('while it is on, the first account and a new member need a password', async () => {
  const own = await openTestServer();
  try {
    const token = new URL((await own.services.setup.link()) ?? '').searchParams.get('token');
    const refusal = {
      error: 'invalid body: password: required',
      problems: [{ path: 'password', message: 'required' }],
    };
    expect(await openBrowser(own).json(400, 'POST', '/api/setup', { token, email })).toEqual(refusal);
    const owner = openBrowser(own);
    await owner.json(201, 'POST', '/api/setup', { token, email, password });
    const { url } = await owner.json<{ url: string }>(201, 'POST', '/api/team/invitations', {
      email: 'bob@example.com',
    });
    const path = `/api/invitations/${new URL(url).searchParams.get('invitation')}`;
    expect(await openBrowser(own).json(400, 'POST', path, {})).toEqual(refusal);
    await openBrowser(own).json(201, 'POST', path, { password });
  } finally {
    await own.close();
  }
});
