/* Signing in with a link of the operator. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { runOperation } from '../../cli/operations.ts';
import { openBrowser } from '../../testing/browser.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const email = 'ada@example.com';
const password = 'a good long password';
let clock: HeldClock;
let server: TestServer;
beforeEach(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
  await server.createAccount(email, { password });
});
afterEach(() => server.close());

async function makeLink(): Promise<{ path: string; token: string }> {
  const outcome = await runOperation(server.services, 'account.signInLink', { email });
  if (!('result' in outcome)) throw new Error(outcome.failure.message);
  const { url, expiresAt } = outcome.result as { url: string; expiresAt: number };
  expect(url).toStartWith('http://localhost:4665/login/link?token=');
  expect(expiresAt).toBe(clock.now() + 15 * 60_000);
  const { pathname, search, searchParams } = new URL(url);
  return { path: pathname + search, token: searchParams.get('token') ?? '' };
}
const press = async (token: string, browser = openBrowser(server), headers: Record<string, string> = {}) => {
  const response = await server.fetch('/login/link', {
    method: 'POST',
    headers: {
      host: 'localhost:4665',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...(browser.cookie && { cookie: browser.cookie }),
      ...headers,
    },
    body: new URLSearchParams({ token }).toString(),
  });
  browser.cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? browser.cookie;
  return response.status;
};

describe('a sign-in link', () => {
  test('opens a page with one button, which signs in once', async () => {
    const { path, token } = await makeLink();
    // Opening the link uses nothing up.
    for (const method of ['GET', 'HEAD', 'GET']) expect((await server.fetch(path, { method })).status).toBe(200);
    const page = await server.fetch(path);
    const html = await page.text();
    expect(html.match(/<button/g)).toHaveLength(1);
    expect(html).toContain('<form method="post" action="/login/link">');
    expect(html).toContain(email);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
    const browser = openBrowser(server);
    expect(await press(token, browser)).toBe(303);
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({ account: { email } });
    // It counts as a recent sign-in.
    await browser.json(200, 'POST', '/api/me/passkeys/options', {});
    expect(await press(token)).toBe(404);
    expect((await server.fetch(path)).status).toBe(404);
    const { entries } = await browser.json<{ entries: { text: string; action: string }[] }>(200, 'GET', '/api/audit');
    expect(entries.slice(0, 2).map(({ action, text }) => [action, text])).toEqual([
      ['session.started_link', `${email} signed in with a link`],
      ['sign_in_link.created', `The operator made a sign-in link for ${email}`],
    ]);
    const metrics = await (await server.fetch('/metrics')).text();
    expect(metrics).toContain('hooktape_sign_ins_total{way="link",result="ok"} 1');
    expect(metrics).toContain('hooktape_sign_ins_total{way="link",result="refused"} 1');
  });

  test('signs in one of three at once', async () => {
    const { token } = await makeLink();
    expect((await Promise.all([press(token), press(token), press(token)])).sort()).toEqual([303, 404, 404]);
  });

  test('works for 15 minutes, and until there is a newer one', async () => {
    const first = await makeLink();
    const second = await makeLink();
    expect(await press(first.token)).toBe(404);
    clock.advance(15 * 60_000);
    expect(await press(second.token)).toBe(404);
    const third = await makeLink();
    clock.advance(15 * 60_000 - 1);
    expect(await press(third.token)).toBe(303);
  });

  test('works with one-time codes on', async () => {
    await server.services.database.client.execute(
      "INSERT INTO totps (account_id, secret, created_at, confirmed_at) SELECT id, x'01', 1, 1 FROM accounts",
    );
    expect(await press((await makeLink()).token)).toBe(303);
  });

  test('replaces the session of the browser', async () => {
    await server.createAccount('bob@example.com', { password });
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/session', { email: 'bob@example.com', password });
    const bobs = browser.cookie;
    expect(await press((await makeLink()).token, browser)).toBe(303);
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({ account: { email } });
    browser.cookie = bobs;
    await browser.json(401, 'GET', '/api/session');
  });

  test.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])(
    'is not used up by another site: %j',
    async headers => {
      const { token } = await makeLink();
      expect(await press(token, openBrowser(server), headers)).toBe(403);
      expect(await press(token)).toBe(303);
    },
  );

  test.each(['', 'unknown', '<script>'])('with the token %j does not exist', async token => {
    const answer = await server.fetch(`/login/link?token=${encodeURIComponent(token)}`);
    expect([answer.status, (await answer.text()).includes('<script')]).toEqual([404, false]);
    expect(await press(token)).toBe(404);
  });

  test('ends with the account, is not in the database, and is made only for an account', async () => {
    const { token } = await makeLink();
    const { rows } = await server.services.database.client.execute('SELECT hash FROM sign_in_links');
    expect(Buffer.from(rows[0]?.[0] as ArrayBuffer).includes(token)).toBe(false);
    await server.services.account.remove(email);
    expect(await press(token)).toBe(404);
    expect(await runOperation(server.services, 'account.signInLink', { email })).toMatchObject({
      failure: { code: 'not_found' },
    });
  });
});
