/* The way through the browser: what binds the provider's answer to the browser that asked for it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { base, type OidcHarness, openOidcHarness } from '../../testing/oidc-harness.ts';

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true };
const mallory = { sub: 'mallory', email: 'mallory@example.com', email_verified: true };
let harness: OidcHarness;
beforeAll(async () => {
  harness = await openOidcHarness();
  await harness.createAccount(ada.email);
  await harness.createAccount(mallory.email);
});
beforeEach(() => {
  harness.clock.advance(3_600_000);
});
afterAll(() => harness.close());

const title = async (response: Response): Promise<string> => /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1] ?? '';

describe('login CSRF', () => {
  test("another person's callback address signs nobody in, in a browser that began nothing", async () => {
    const { issuer, visitor } = harness;
    const attack = issuer.authorize(await visitor().start(), mallory);
    const victim = visitor();
    const response = await victim.comeBack(attack);
    expect([response.status, await title(response)]).toEqual([400, 'Start again']);
    expect([await victim.who(), victim.cookies.size]).toEqual([undefined, 0]);
  });

  test('nor in one that has begun a sign-in of its own, which is then over', async () => {
    const { issuer, visitor } = harness;
    const attack = issuer.authorize(await visitor().start(), mallory);
    const victim = visitor();
    const own = issuer.authorize(await victim.start(), ada);
    expect((await victim.comeBack(attack)).status).toBe(400);
    expect(await victim.who()).toBeUndefined();
    expect((await victim.comeBack(own)).status).toBe(400);
    expect((await victim.signIn(ada)).status).toBe(303);
  });

  test('the session that is there stays, and so does its account', async () => {
    const { issuer, visitor } = harness;
    const attack = issuer.authorize(await visitor().start(), mallory);
    const victim = visitor();
    await victim.signIn(ada);
    expect((await victim.comeBack(attack)).status).toBe(400);
    expect(await victim.who()).toBe(ada.email);
  });

  test.each([
    ['no state', { state: undefined }],
    ['an empty state', { state: '' }],
    ['another state', { state: 'another' }],
    ['no code', { code: undefined }],
  ])('an answer with %s is refused', async (_, over) => {
    const browser = harness.visitor();
    const back = harness.issuer.authorize(await browser.start(), ada, over);
    expect((await browser.comeBack(back)).status).toBe(400);
    expect(await browser.who()).toBeUndefined();
  });

  test('a callback works once, and so does its cookie', async () => {
    const browser = harness.visitor();
    const back = harness.issuer.authorize(await browser.start(), ada);
    const begun = [...browser.cookies];
    expect((await browser.comeBack(back)).status).toBe(303);
    expect((await browser.comeBack(back)).status).toBe(400);
    const replay = harness.visitor();
    for (const [name, value] of begun) replay.cookies.set(name, value);
    expect((await replay.comeBack(back)).status).toBe(400);
    expect(await replay.who()).toBeUndefined();
  });

  test('of two callbacks at once one signs in', async () => {
    const browser = harness.visitor();
    const back = harness.issuer.authorize(await browser.start(), ada);
    const answers = await Promise.all([browser.comeBack(back), browser.comeBack(back)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  test('the cookie counts for 10 minutes, also when the clock jumps', async () => {
    const { issuer, visitor, clock } = harness;
    const cases: [number, number][] = [
      [9 * 60_000, 303],
      [10 * 60_000, 400],
      [-11 * 60_000, 400],
    ];
    for (const [ms, status] of cases) {
      const browser = visitor();
      const back = issuer.authorize(await browser.start(), ada);
      const before = clock.now();
      clock.setNow(before + ms);
      expect([ms, (await browser.comeBack(back)).status]).toEqual([ms, status]);
      clock.setNow(before);
    }
  });

  test.each([
    ['altered', (value: string) => `${value.slice(0, -2)}AA`],
    ['made up', () => Buffer.from('{"state":"x"}').toString('base64url')],
    ['empty', () => ''],
  ])('a cookie that is %s is none', async (_, change) => {
    const browser = harness.visitor();
    const back = harness.issuer.authorize(await browser.start(), ada);
    const [[name = '', value = ''] = []] = [...browser.cookies];
    browser.cookies.set(name, change(value));
    expect((await browser.comeBack(back)).status).toBe(400);
  });
});

describe('fixation', () => {
  test('a sign-in always makes a new session and ends the one of the browser', async () => {
    const browser = harness.visitor();
    await browser.signInWithPassword(mallory.email);
    const planted = browser.cookies.get('__Host-sid') ?? '';
    const response = await browser.signIn(ada);
    expect([response.status, await browser.who()]).toEqual([303, ada.email]);
    expect(browser.cookies.get('__Host-sid')).not.toBe(planted);
    const attacker = harness.visitor();
    attacker.cookies.set('__Host-sid', planted);
    expect(await attacker.who()).toBeUndefined();
    const first = browser.cookies.get('__Host-sid');
    await browser.signIn(ada);
    expect(browser.cookies.get('__Host-sid')).not.toBe(first);
  });

  test('the cookie is HttpOnly, Lax and for this host only; nothing is left of it afterwards', async () => {
    const browser = harness.visitor();
    const started = await browser.call('GET', '/login/oidc');
    expect(started.headers.get('set-cookie')).toMatch(
      /^__Host-hooktape_oidc=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    );
    await browser.comeBack(harness.issuer.authorize(started.headers.get('location') ?? '', ada));
    expect([...browser.cookies.keys()]).toEqual(['__Host-sid']);
  });
});

describe('mix-up', () => {
  test.each([
    ['of another issuer', { iss: 'https://evil.test' }],
    ['without the announced issuer', { iss: undefined }],
  ])('an answer %s is refused before a code is sent anywhere', async (_, over) => {
    const { issuer, visitor } = harness;
    const browser = visitor();
    const back = issuer.authorize(await browser.start(), ada, over);
    issuer.requests.length = 0;
    expect((await browser.comeBack(back)).status).toBe(400);
    expect(issuer.requests.filter(({ url }) => url.endsWith('/token'))).toEqual([]);
  });

  test('a sign-in that was begun at the issuer of an earlier setting is over', async () => {
    const browser = harness.visitor();
    const back = harness.issuer.authorize(await browser.start(), ada);
    const changed = await openOidcHarness({ env: { HOOKTAPE_OIDC_ISSUER: 'https://other.test' } });
    try {
      const later = changed.visitor();
      for (const [name, value] of browser.cookies) later.cookies.set(name, value);
      expect((await later.comeBack(back)).status).toBe(400);
      expect(changed.issuer.requests).toEqual([]);
    } finally {
      await changed.close();
    }
  });
});

describe('the provider is asked', () => {
  test('for a code with PKCE, state, nonce, and the redirect URI of BASE_URL', async () => {
    const first = new URL(await harness.visitor().start());
    const { searchParams: asked } = first;
    expect(first.origin + first.pathname).toBe('https://id.test/authorize');
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: 'hooktape',
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri: `${base}/login/oidc/callback`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)?.length).toBeGreaterThan(40);
    const second = new URL(await harness.visitor().start()).searchParams;
    for (const name of ['state', 'nonce', 'code_challenge']) expect(second.get(name)).not.toBe(asked.get(name));
  });

  test('on the host of BASE_URL, where the cookie will be needed, once', async () => {
    const browser = harness.visitor();
    const visit = (query: string) => browser.call('GET', `/login/oidc${query}`, undefined, { host: '127.0.0.1:4665' });
    const moved = await visit('?return_to=/app/x');
    expect(moved.headers.get('location')).toBe(`${base}/login/oidc?return_to=%2Fapp%2Fx&redirected=1`);
    expect(browser.cookies.size).toBe(0);
    expect((await visit('?redirected=1')).headers.get('location')).toStartWith('https://id.test/');
    expect((await browser.call('GET', '/login/oidc', undefined, { host: 'evil.example' })).status).toBe(421);
  });

  test('HEAD begins nothing, and other methods are refused', async () => {
    const browser = harness.visitor();
    const head = await browser.call('HEAD', '/login/oidc');
    expect([head.status, browser.cookies.size]).toEqual([200, 0]);
    expect((await browser.call('POST', '/login/oidc', {})).status).toBe(405);
    expect((await browser.call('POST', '/login/oidc/callback', {})).status).toBe(405);
  });
});

describe('return_to', () => {
  test.each([
    ['/app/endpoints/ep_1?q=a#b', '/app/endpoints/ep_1?q=a#b'],
    ['/authorize?client_id=x', '/authorize?client_id=x'],
    ['https://evil.test/', '/app'],
    ['//evil.test', '/app'],
    ['/\\evil.test', '/app'],
    ['/.//evil.test', '/app'],
    ['/\t/evil.test', '/app'],
    ['javascript:alert(1)', '/app'],
    [`/${'x'.repeat(3000)}`, '/app'],
    ['', '/app'],
  ])('%j leads to %j', async (wish, path) => {
    expect((await harness.visitor().signIn(ada, wish)).headers.get('location')).toBe(path);
  });
});

describe('the rate limit', () => {
  test('60 visits a minute of a network reach the provider, then there is a page with 429', async () => {
    const browser = harness.visitor();
    harness.clock.advance(60_000);
    for (let i = 0; i < 60; i++) await browser.start();
    const refused = await browser.call('GET', '/login/oidc');
    expect([refused.status, refused.headers.has('retry-after'), await title(refused)]).toEqual([
      429,
      true,
      'Too many sign-ins',
    ]);
    harness.clock.advance(60_000);
    await browser.start();
  });
});
