import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, openBrowser } from '../../testing/browser.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const clock = holdClock();
const password = 'a good long password';
const hour = 3_600_000;
let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ clock });
  await server.createAccount('ada@example.com', { password });
  await server.createAccount('bob@example.com', { password });
  await server.services.account.create({ email: 'keyless@example.com' });
});
afterAll(() => server.close());

type Session = {
  id: string;
  current: boolean;
  userAgent: string;
  sourceIp: string;
  createdAt: number;
  lastSeenAt: number;
};
const signIn = async (email = 'ada@example.com', secret = password): Promise<Browser> => {
  const browser = openBrowser(server);
  await browser.json(201, 'POST', '/api/session', { email, password: secret });
  return browser;
};
const isIn = async (browser: Browser) => (await browser.call('GET', '/api/me')).status === 200;
const sessionsOf = async (browser: Browser) =>
  (await browser.json<{ sessions: Session[] }>(200, 'GET', '/api/sessions')).sessions;

describe('POST /api/session', () => {
  test('201 and a cookie that authenticates every operation', async () => {
    const browser = await signIn('  Ada@Example.com ');
    expect(browser.cookie).toMatch(/^hooktape_sid=[0-9a-z]{52}$/);
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({
      account: { email: 'ada@example.com', plan: 'pro' },
      role: 'owner',
      sessionId: expect.stringMatching(/^ses_/),
      setupRequired: false,
      version: 'test',
    });
    expect(await browser.json(201, 'POST', '/api/endpoints', { name: 'by cookie' })).toMatchObject({
      name: 'by cookie',
    });
  });

  test('401 with the same message for a wrong password, an unknown address and an account without a password', async () => {
    const answers = await Promise.all(
      ['ada@example.com', 'nobody@example.com', 'keyless@example.com', 'no address'].map(async email => {
        const response = await openBrowser(server).call('POST', '/api/session', {
          email,
          password: 'wrong wrong wrong',
        });
        return [response.status, response.headers.getSetCookie(), await response.text()];
      }),
    );
    expect(answers).toEqual(new Array(4).fill([401, [], '{"error":"wrong email or password"}']));
    clock.advance(hour);
  });

  test('429 with Retry-After after five failures, also for the right password, until the time is over', async () => {
    const browser = openBrowser(server);
    const wrong = { email: 'bob@example.com', password: 'wrong wrong wrong' };
    for (let i = 0; i < 5; i++) await browser.json(401, 'POST', '/api/session', wrong);
    const refused = await browser.call('POST', '/api/session', { email: 'bob@example.com', password });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    clock.advance(1000);
    await browser.json(201, 'POST', '/api/session', { email: 'bob@example.com', password });
    await browser.json(401, 'POST', '/api/session', wrong);
  });

  test('the API lists the ways to sign in, and the metrics count sign-ins', async () => {
    const refused = 'hooktape_sign_ins_total{way="password",result="refused"}';
    const count = async (): Promise<number> => {
      const line = (await server.services.metrics.text()).split('\n').find(one => one.startsWith(refused));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    const before = await count();
    await openBrowser(server).json(401, 'POST', '/api/session', { email: 'ada@example.com', password: 'wrong' });
    expect(await count()).toBe(before + 1);
    const browser = await signIn();
    expect(await count()).toBe(before + 1);
    expect(await browser.json(200, 'GET', '/api/me')).toMatchObject({
      signIn: { password: true, oidc: false, passkeys: 0, totp: false },
    });
    expect(await browser.json(200, 'DELETE', '/api/session')).toEqual({ ok: true, endSessionUrl: null });
  });

  test('signing in again ends the previous session', async () => {
    const browser = await signIn();
    const before = { ...browser, cookie: browser.cookie };
    await browser.json(201, 'POST', '/api/session', { email: 'ada@example.com', password });
    expect(browser.cookie).not.toBe(before.cookie);
    const old = openBrowser(server);
    old.cookie = before.cookie;
    expect(await isIn(old)).toBe(false);
    expect(await isIn(browser)).toBe(true);
  });

  test('400 without the fields, 415 when it is not JSON, and the token is not in the database', async () => {
    const browser = await signIn();
    await openBrowser(server).json(400, 'POST', '/api/session', { email: 'ada@example.com' });
    const form = await server.fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ email: 'ada@example.com', password }),
    });
    expect(form.status).toBe(415);
    const { rows } = await server.services.database.client.execute('SELECT * FROM sessions');
    const stored = rows
      .flatMap(row => Object.values(row))
      .map(value => (value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : String(value)));
    expect(stored.join()).not.toContain(browser.cookie.split('=')[1] ?? '-');
  });
});

describe('GET /api/session', () => {
  test('401 with setupRequired while there is no account', async () => {
    expect(await openBrowser(server).json(401, 'GET', '/api/session')).toEqual({
      error: 'not signed in',
      setupRequired: false,
      ways: { password: true, oidc: null, passkeys: true },
    });
  });

  test('the cookie of a request with an Authorization header is ignored', async () => {
    const browser = await signIn();
    const bad = { authorization: 'Bearer htk_nothing' };
    expect((await browser.call('GET', '/api/session', undefined, bad)).status).toBe(401);
    expect((await browser.call('GET', '/api/me', undefined, bad)).status).toBe(401);
    expect((await browser.call('GET', '/api/me', undefined, { authorization: 'Basic eDp5' })).status).toBe(401);
  });

  test('an API key returns its account without a session', async () => {
    const carol = await server.createAccount('carol@example.com');
    expect(await carol.json(200, 'GET', '/api/session')).toMatchObject({
      account: { email: 'carol@example.com' },
      sessionId: null,
    });
  });
});

describe('the browser guard', () => {
  test('403 from another site and 421 with another host name, without any change', async () => {
    const browser = await signIn();
    const name = { name: 'forged' };
    expect((await browser.call('POST', '/api/endpoints', name, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await browser.call('POST', '/api/endpoints', name, { host: 'evil.example' })).status).toBe(421);
    expect((await browser.call('GET', '/api/endpoints', undefined, { host: 'evil.example' })).status).toBe(421);
    expect(JSON.stringify(await browser.json(200, 'GET', '/api/endpoints'))).not.toContain('forged');
  });
});

describe('invalid credentials', () => {
  test('are refused by operations that need none, and do not bypass the browser guard', async () => {
    const browser = openBrowser(server);
    for (const authorization of ['Bearer htk_nothing', 'Basic eDp5', 'x']) {
      const headers = { authorization, host: 'evil.example', 'sec-fetch-site': 'cross-site' };
      const refused = await browser.call('POST', '/api/session', { email: 'a@example.com', password: 'x' }, headers);
      expect([refused.status, refused.headers.has('www-authenticate')]).toEqual([401, true]);
      expect(refused.headers.has('set-cookie')).toBe(false);
    }
  });
});

describe('expiry', () => {
  test('14 days without use end a session; each use extends it, written at most once a minute', async () => {
    const browser = await signIn();
    const seenAt = async () => (await sessionsOf(browser)).find(({ current }) => current)?.lastSeenAt;
    const start = clock.now();
    clock.advance(59_999);
    expect(await seenAt()).toBe(start);
    clock.advance(1);
    expect(await seenAt()).toBe(start + 60_000);
    clock.advance(14 * 24 * hour - 1);
    expect(await isIn(browser)).toBe(true);
    clock.advance(14 * 24 * hour);
    expect(await isIn(browser)).toBe(false);
  });

  test('a session ends 60 days after sign-in, however often it is used', async () => {
    const browser = await signIn();
    for (let day = 10; day < 60; day += 10) {
      clock.advance(10 * 24 * hour);
      expect(await isIn(browser)).toBe(true);
    }
    clock.advance(10 * 24 * hour);
    expect(await isIn(browser)).toBe(false);
  });
});

describe('DELETE /api/session', () => {
  test('ends the session at once and clears the cookie', async () => {
    const browser = await signIn();
    const { cookie } = browser;
    expect(await browser.json(200, 'DELETE', '/api/session')).toEqual({ ok: true, endSessionUrl: null });
    expect(browser.cookie).toBe('');
    browser.cookie = cookie;
    expect(await isIn(browser)).toBe(false);
  });
});

describe('/api/sessions', () => {
  test('lists the sessions with the current one marked, and ends one', async () => {
    const phone = await signIn();
    clock.advance(1000);
    const laptop = await signIn();
    const [newest, older] = await sessionsOf(laptop);
    expect(newest).toMatchObject({
      current: true,
      userAgent: 'test browser',
      sourceIp: '127.0.0.1',
      createdAt: clock.now(),
    });
    expect(older?.current).toBe(false);
    await laptop.json(200, 'DELETE', `/api/sessions/${older?.id}`);
    expect([await isIn(phone), await isIn(laptop)]).toEqual([false, true]);
  });

  test('another account’s session is answered like one that does not exist', async () => {
    const [ada, bob] = [await signIn(), await signIn('bob@example.com')];
    const [theirs] = await sessionsOf(bob);
    const notOwned = await ada.call('DELETE', `/api/sessions/${theirs?.id}`);
    const missing = await ada.call('DELETE', '/api/sessions/ses_nothing');
    expect([notOwned.status, await notOwned.text()]).toEqual([missing.status, await missing.text()]);
    expect(notOwned.status).toBe(404);
    expect(await isIn(bob)).toBe(true);
    expect((await sessionsOf(ada)).map(({ id }) => id)).not.toContain(theirs?.id);
  });
});

describe('POST /api/password', () => {
  test('ends the other sessions, renews the current one, and only the new password signs in', async () => {
    const dora = 'dora@example.com';
    await server.createAccount(dora, { password });
    const [phone, laptop] = [await signIn(dora), await signIn(dora)];
    const before = laptop.cookie;
    const change = { current: password, password: 'another long password' };
    expect(await laptop.json(200, 'POST', '/api/password', change)).toEqual({ ok: true });
    expect([await isIn(phone), await isIn(laptop)]).toEqual([false, true]);
    expect(laptop.cookie).not.toBe(before);
    phone.cookie = before;
    expect(await isIn(phone)).toBe(false);
    await openBrowser(server).json(401, 'POST', '/api/session', { email: dora, password });
    await signIn(dora, 'another long password');
  });

  test('400 for a wrong current password and for a weak new one; guessing is throttled', async () => {
    const eve = 'eve@example.com';
    await server.createAccount(eve, { password });
    const browser = await signIn(eve);
    await browser.json(400, 'POST', '/api/password', { current: password, password: 'short' });
    const guess = { current: 'wrong wrong wrong', password: 'another long password' };
    for (let i = 0; i < 5; i++) await browser.json(400, 'POST', '/api/password', guess);
    await browser.json(429, 'POST', '/api/password', guess);
    clock.advance(hour);
    await signIn(eve);
  });

  test('401 after the account was deleted, not a wrong password', async () => {
    const ida = 'ida@example.com';
    const { accountId } = await server.createAccount(ida, { password });
    await server.services.account.remove(ida);
    const late = server.services.sessions.changePassword(
      { accountId, email: ida },
      { current: password, password: 'another long password' },
      { userAgent: '', sourceIp: '::1', sessionId: undefined },
    );
    const refusal: unknown = await late.catch(error => error);
    expect(refusal).toMatchObject({ code: 'unauthorized' });
  });

  test('a concurrent sign-in with the old password is refused', async () => {
    const gus = 'gus@example.com';
    await server.createAccount(gus, { password });
    const { id, passwordHash } = await server.services.account.byEmail(gus);
    await server.services.account.resetPassword(gus, 'another long password');
    const clientInfo = { userAgent: '', sourceIp: '::1', sessionId: undefined };
    const late = server.services.sessions.start(id, { way: 'password', passwordHash: passwordHash ?? '' }, clientInfo);
    const refusal: unknown = await late.catch(error => error);
    expect(refusal).toMatchObject({ code: 'unauthorized' });
  });

  test('a password that the operator sets ends all sessions', async () => {
    const fay = 'fay@example.com';
    await server.createAccount(fay, { password });
    const browser = await signIn(fay);
    await server.services.account.resetPassword(fay, 'set by the operator');
    expect(await isIn(browser)).toBe(false);
  });
});

describe('the rate limit', () => {
  test('a session has ten times the rate limit of a key', async () => {
    const small = await openTestServer({ clock, env: { HOOKTAPE_RATE_LIMIT: '3' } });
    try {
      await small.createAccount('ada@example.com', { password });
      const browser = openBrowser(small);
      await browser.json(201, 'POST', '/api/session', { email: 'ada@example.com', password });
      for (let i = 0; i < 30; i++) await browser.json(200, 'GET', '/api/me');
      expect((await browser.call('GET', '/api/me')).status).toBe(429);
    } finally {
      await small.close();
    }
  });
});
