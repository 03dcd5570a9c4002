/* The page and the code with which the command line gets an API key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { challengeOf, openOAuthHarness, ownPage, type SignedInAccount, verifier } from '../../testing/oauth-harness.ts';

type Harness = Awaited<ReturnType<typeof openOAuthHarness>>;
const clock = holdClock();
let as: Harness;
let ada: SignedInAccount;
let grace: SignedInAccount;
beforeAll(async () => {
  as = await openOAuthHarness({ clock });
  ada = await as.createAccount('ada@example.com');
  grace = await as.createAccount('grace@example.com');
});
afterAll(() => as.server.close());

const usual = { port: '4567', name: 'hooktape on lab', state: 's'.repeat(43), code_challenge: challengeOf(verifier) };
const visit = (cookie?: string, over: Record<string, string> = {}) =>
  as.server.fetch(`/authorize/key?${new URLSearchParams({ ...usual, ...over })}`, {
    headers: cookie ? { cookie } : {},
  });
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  as.server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
const handleFor = async ({ cookie }: SignedInAccount): Promise<string> =>
  /name="handle" value="([^"]+)"/.exec(await (await visit(cookie)).text())?.[1] ?? '';
const decide = (handle: string, cookie: string, headers: Record<string, string> = ownPage, decision = 'allow') =>
  post('/authorize/key', { handle, decision }, { cookie, ...headers });
const codeFor = async (who: SignedInAccount): Promise<string> => {
  const { headers } = await decide(await handleFor(who), who.cookie);
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
};
const redeem = async (code: string, code_verifier = verifier) => {
  const response = await post('/authorize/key/token', { code, code_verifier });
  return { status: response.status, body: (await response.json()) as { key?: string; id?: string; error?: string } };
};
const isKeyOf = async (key: string | undefined): Promise<string> => {
  const response = await as.server.fetch('/api/me', { headers: { authorization: `Bearer ${key}` } });
  return ((await response.json()) as { email: string }).email;
};

describe('GET /authorize/key', () => {
  test('shows what is asked for, escaped, with the strict headers of the consent page', async () => {
    const response = await visit(ada.cookie, { name: '<script>alert(1)</script>' });
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).not.toContain('<script');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('ada@example.com');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:4567;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('sends somebody who is not signed in to sign in first, and back', async () => {
    const { status, headers } = await visit();
    const location = headers.get('location') ?? '';
    expect([status, location]).toEqual([
      303,
      expect.stringMatching(/^\/login\?return_to=%2Fauthorize%2Fkey%3Fport%3D4567/),
    ]);
  });

  test.each([
    { port: '80' },
    { port: '70000' },
    { port: '4567@evil.test' },
    { port: '' },
    { state: 'short' },
    { state: `${'s'.repeat(43)}&x` },
    { code_challenge: 'short' },
    { name: '' },
    { name: 'x'.repeat(101) },
  ])('refuses %j without a redirect', async over => {
    const response = await visit(ada.cookie, over);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('says so when the account can have no more keys', async () => {
    const full = await as.createAccount('full@example.com');
    for (let n = 0; n < 9; n++) await full.json(201, 'POST', '/api/keys', { name: `key ${n}` });
    const response = await visit(full.cookie);
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('10 API keys')]);
  });
});

describe('the decision', () => {
  test('leads to the port of this machine alone, with a code or the refusal', async () => {
    const allowed = await decide(await handleFor(ada), ada.cookie);
    expect(allowed.status).toBe(303);
    expect(allowed.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:4567\/callback\?code=\w{52}&state=s{43}$/);
    const denied = await decide(await handleFor(ada), ada.cookie, ownPage, 'deny');
    expect(denied.headers.get('location')).toBe(
      `http://127.0.0.1:4567/callback?error=access_denied&state=${usual.state}`,
    );
  });

  test('counts once, only in the session that was asked, from the own page, and for ten minutes', async () => {
    const handle = await handleFor(ada);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    for (const [cookie, headers, status] of [
      [ada.cookie, crossSite, 403],
      [ada.cookie, { origin: 'https://evil.test' }, 403],
      [grace.cookie, ownPage, 400],
      [await as.signIn('ada@example.com'), ownPage, 400],
      [ada.cookie, ownPage, 303],
      [ada.cookie, ownPage, 400],
    ] as const)
      expect((await decide(handle, cookie, headers)).status).toBe(status);
    const late = await handleFor(ada);
    clock.advance(10 * 60_000);
    expect((await decide(late, ada.cookie)).status).toBe(400);
  });
});

describe('POST /authorize/key/token', () => {
  test('gives the key for the code and its verifier, once, also to 20 at once', async () => {
    const code = await codeFor(ada);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(code)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given).toHaveLength(1);
    expect(await isKeyOf(given[0]?.body.key)).toBe('ada@example.com');
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('gives nothing for a wrong verifier, and after five of them nothing for the right one', async () => {
    const code = await codeFor(ada);
    const wrong = 'another-verifier-that-is-long-enough-for-every-rule';
    expect((await redeem(code, wrong)).status).toBe(400);
    expect((await redeem(await codeFor(ada), wrong)).status).toBe(400);
    expect((await redeem(code)).status).toBe(200);
    const tried = await codeFor(ada);
    for (let n = 0; n < 5; n++) await redeem(tried, wrong);
    expect((await redeem(tried)).status).toBe(400);
  });

  test('a code is good for a minute, and not after its session has ended', async () => {
    const late = await codeFor(ada);
    clock.advance(60_000);
    expect((await redeem(late)).status).toBe(400);
    const cookie = await as.signIn('grace@example.com');
    const code = await codeFor({ ...grace, cookie });
    await as.server.fetch('/api/session', { method: 'DELETE', headers: { cookie, ...ownPage } });
    expect((await redeem(code)).status).toBe(400);
  });

  test('a handle is no code, and codes are not stored', async () => {
    expect((await redeem(await handleFor(ada))).status).toBe(400);
    const code = await codeFor(ada);
    const { rows } = await as.server.services.database.client.execute('SELECT * FROM key_logins');
    expect(JSON.stringify(rows.map(row => Object.values(row).map(String)))).not.toContain(code);
  });

  test('has no CORS headers, takes POST only, and names what is missing', async () => {
    const response = await post('/authorize/key/token', {});
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([400, null]);
    expect((await as.server.fetch('/authorize/key/token')).status).toBe(405);
  });
});
