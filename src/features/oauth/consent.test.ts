import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { allowedToApps, deniedToApps, risksOfApps } from '../../core/access/permissions.ts';
import { errorOf, isConsent, isErrorPage } from '../../testing/oauth-answers.ts';
import {
  base,
  challengeOf,
  type OAuthHarness,
  openOAuthHarness,
  ownPage,
  type SignedInAccount,
  type TestClient,
  verifier,
} from '../../testing/oauth-harness.ts';

let harness: OAuthHarness;
let ada: SignedInAccount;
let bob: SignedInAccount;
/** Public, on the web. */
let P: TestClient;
/** Public, native. */
let L: TestClient;

beforeAll(async () => {
  harness = await openOAuthHarness();
  ada = await harness.createAccount('ada@example.com');
  bob = await harness.createAccount('bob@example.com');
  P = await harness.register();
  L = await harness.register({ redirect_uris: ['http://127.0.0.1/cb', 'http://localhost/cb'] });
});
afterAll(() => harness.close());

const ask = (client: TestClient, over = {}) => harness.visit(harness.request(client, over), ada.cookie);

describe('sign-in and consent', () => {
  test('nothing is sent to the client before the user signs in', async () => {
    for (const over of [{}, { response_type: 'token' }, { scope: '"' }]) {
      const response = await harness.visit(harness.request(P, over));
      expect(response.status).toBe(303);
      const location = new URL(response.headers.get('location') ?? '', base);
      expect([location.origin, location.pathname]).toEqual([base, '/login']);
      expect(location.searchParams.get('return_to')).toBe(`/authorize?${harness.request(P, over)}`);
    }
  });
  test('cancelling redirects with access_denied', async () => {
    const { searchParams } = await harness.consent(P, ada, {}, 'deny');
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'access_denied',
      'a-state',
      base,
    ]);
    expect(searchParams.has('code')).toBe(false);
  });
  test('a code has 256 random bits and is URL-safe', async () => {
    const codes = [await harness.codeFor(P, ada), await harness.codeFor(P, ada)];
    expect(codes[0]).toMatch(/^[0-9a-z]{52}$/);
    expect(codes[0]).not.toBe(codes[1] ?? '');
  });
  test('the redirect is a 303 that is not cached and sends no referrer', async () => {
    const response = await harness.answer(await harness.handleIn(await ask(P)), ada.cookie);
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });
  test('the authorization endpoint has no CORS headers', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await harness.visit(harness.request(P), ada.cookie, {
        method,
        headers: { origin: 'https://x.test' },
      });
      expect([...response.headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([]);
    }
  });
  test('pages cannot be framed, are not cached, and load nothing from other origins', async () => {
    for (const response of [await ask(P), await ask(P, { client_id: undefined })]) {
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('script-src');
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const html = await response.text();
      expect(html).not.toMatch(/<script|https?:\/\/|style=/);
    }
    expect((await harness.fetch('/consent.css')).headers.get('content-type')).toStartWith('text/css');
  });
  test('a decision needs a handle of the same session, once, within ten minutes', async () => {
    const refused = async (response: Response) => {
      expect([response.status, response.headers.has('location')]).toEqual([400, false]);
    };
    await refused(await harness.post('/authorize/consent', { decision: 'allow' }, { cookie: ada.cookie, ...ownPage }));
    await refused(await harness.answer('0'.repeat(52), ada.cookie));
    const handle = await harness.handleIn(await ask(P));
    await refused(await harness.answer(handle, bob.cookie));
    await refused(await harness.answer(handle, await harness.signIn('ada@example.com')));
    await refused(await harness.answer(handle, ''));
    expect((await harness.answer(handle, ada.cookie)).status).toBe(303);
    await refused(await harness.answer(handle, ada.cookie));
    const late = await harness.handleIn(await ask(P));
    harness.clock.advance(10 * 60_000);
    await refused(await harness.answer(late, ada.cookie));
  });
  test.each([
    [403, { 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [403, { 'sec-fetch-site': 'cross-site', origin: base }],
    [403, { origin: 'https://evil.test' }],
    [403, { origin: 'null' }],
    [403, {}],
    [303, { 'sec-fetch-site': 'same-origin' }],
    [303, { origin: base }],
  ])('a decision is answered %i with the headers %j', async (status, headers) => {
    const handle = await harness.handleIn(await ask(P));
    const form = { handle, decision: 'allow' };
    const response = await harness.post('/authorize/consent', form, { cookie: ada.cookie, ...headers });
    expect([response.status, response.headers.has('location')]).toEqual([status, status === 303]);
    // A refused decision does not use up the handle.
    expect((await harness.answer(handle, ada.cookie)).status).toBe(status === 303 ? 400 : 303);
  });
  test('the referrer policy of the page sends its origin to this server only', async () => {
    expect((await ask(P)).headers.get('referrer-policy')).toBe('same-origin');
  });
  test('the form cannot change the authorization request', async () => {
    const handle = await harness.handleIn(await ask(P));
    const response = await harness.post(
      '/authorize/consent',
      { handle, decision: 'allow', client_id: L.id, redirect_uri: 'https://evil.test/', scope: 'everything' },
      { cookie: ada.cookie, ...ownPage },
    );
    expect(response.headers.get('location')).toStartWith('https://c.test/cb?code=');
  });
  test('the page shows the app, its permissions, the redirect host and the account', async () => {
    const client = await harness.register({ client_name: 'Tom & <b>Jerry</b>' });
    const html = await isConsent(await ask(client));
    expect(html).toContain('Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;');
    for (const text of ['self-registered, not verified', 'c.test', 'webhooks', 'ada@example.com'])
      expect(html).toContain(text);
    const sentences = (list: string | undefined) =>
      [...(list ?? '').matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text?.replace(/ <strong.*/, ''));
    const [can, cannot] = html.split("It won't be able to");
    expect(sentences(can)).toEqual(Object.values(allowedToApps));
    expect(sentences(cannot)).toEqual(Object.values(deniedToApps));
    expect([...html.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, group]) => group)).toEqual(['Read', 'Change', 'Send']);
    expect(html).toContain('replay webhooks to any URL <strong class="risk">data leaves this server</strong>');
    expect(html.match(/class="risk"/g)).toHaveLength(Object.keys(risksOfApps).length);
    expect(html).not.toContain('class="warning"');
    expect(await isConsent(await ask(L, { redirect_uri: 'http://127.0.0.1:1/cb' }))).toContain('class="warning"');
  });
  test.each([
    ['\u202egnp.exe', 'gnp.exe'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['a\u0000b\u200bc', 'abc'],
    ['x'.repeat(500), 'x'.repeat(100)],
    ['\u0007', 'Unnamed app'],
  ])('the app name %j is escaped', async (client_name, shown) => {
    const client = await harness.register({ client_name });
    expect(await isConsent(await ask(client))).toContain(`<bdi>${shown}</bdi>`);
  });
  test('the consent page is shown every time, also for a connected app', async () => {
    await harness.connect(L, ada, { redirect_uri: 'http://127.0.0.1/cb' });
    await isConsent(await ask(L, { redirect_uri: 'http://127.0.0.1:9/cb' }));
  });
  test('prompt=none redirects only for a connected client', async () => {
    const fresh = await harness.register();
    await isErrorPage(await ask(fresh, { prompt: 'none' }));
    await isErrorPage(await harness.visit(harness.request(fresh, { prompt: 'none' })));
    await harness.connect(fresh, ada);
    expect(await errorOf(await ask(fresh, { prompt: 'none' }))).toBe('interaction_required');
    await isConsent(await ask(fresh, { prompt: 'consent' }));
  });
  test('authorization requests by POST are refused', async () => {
    const response = await harness.post('/authorize', harness.request(P), { cookie: ada.cookie });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
  test('HEAD stores no authorization request', async () => {
    const rows = async () =>
      Number(
        (await harness.services.database.client.execute('SELECT count(*) AS n FROM authz_requests')).rows[0]?.['n'],
      );
    const before = await rows();
    await harness.visit(harness.request(P), ada.cookie, { method: 'HEAD' });
    expect(await rows()).toBe(before);
    await ask(P);
    expect(await rows()).toBe(before + 1);
  });
  test('the form-action policy allows the redirects that follow the consent', async () => {
    expect((await ask(P)).headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const local = await ask(L, { redirect_uri: 'http://127.0.0.1:1/cb' });
    expect(local.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
  });
  test('the code is bound to the code_challenge of the request', async () => {
    const other = `${verifier}-other`;
    const code = await harness.codeFor(P, ada, { code_challenge: challengeOf(other) });
    expect((await harness.redeem(P, code)).status).toBe(400);
    expect((await harness.redeem(P, code, { code_verifier: other })).status).toBe(200);
  });
});
