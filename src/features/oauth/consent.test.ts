import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { closedToApps, openToApps } from '../../core/app-permissions.ts';
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
  test('A18 nobody is bounced before signing in', async () => {
    for (const over of [{}, { response_type: 'token' }, { scope: '"' }]) {
      const response = await harness.visit(harness.request(P, over));
      expect(response.status).toBe(303);
      const location = new URL(response.headers.get('location') ?? '', base);
      expect([location.origin, location.pathname]).toEqual([base, '/login']);
      expect(location.searchParams.get('return_to')).toBe(`/authorize?${harness.request(P, over)}`);
    }
  });
  test('A19 cancelling is a proper answer', async () => {
    const { searchParams } = await harness.consent(P, ada, {}, 'deny');
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      'access_denied',
      'a-state',
      base,
    ]);
    expect(searchParams.has('code')).toBe(false);
  });
  test('A20 a code has 256 random bits and is safe in a URL', async () => {
    const codes = [await harness.codeFor(P, ada), await harness.codeFor(P, ada)];
    expect(codes[0]).toMatch(/^[0-9a-z]{52}$/);
    expect(codes[0]).not.toBe(codes[1] ?? '');
  });
  test('A21 the redirect turns the POST into a GET, is not stored and tells nobody', async () => {
    const response = await harness.answer(await harness.handleIn(await ask(P)), ada.cookie);
    expect(response.status).toBe(303);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });
  test('A22 no other origin may read the authorization endpoint', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await harness.visit(harness.request(P), ada.cookie, {
        method,
        headers: { origin: 'https://x.test' },
      });
      expect([...response.headers.keys()].filter(name => name.startsWith('access-control-'))).toEqual([]);
    }
  });
  test('A23 pages are not framed, not stored, and load nothing from elsewhere', async () => {
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
  test('A24 an answer needs the handle of this very session, once, within ten minutes', async () => {
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
  ])('A24 an answer is %i when the browser says %j of where it comes from', async (status, headers) => {
    const handle = await harness.handleIn(await ask(P));
    const form = { handle, decision: 'allow' };
    const response = await harness.post('/authorize/consent', form, { cookie: ada.cookie, ...headers });
    expect([response.status, response.headers.has('location')]).toEqual([status, status === 303]);
    // A refused one has used nothing up.
    expect((await harness.answer(handle, ada.cookie)).status).toBe(status === 303 ? 400 : 303);
  });
  test('A24 the page lets the browser name its origin to this server, and to no other', async () => {
    expect((await ask(P)).headers.get('referrer-policy')).toBe('same-origin');
  });
  test('A24 the form cannot change what was asked', async () => {
    const handle = await harness.handleIn(await ask(P));
    const response = await harness.post(
      '/authorize/consent',
      { handle, decision: 'allow', client_id: L.id, redirect_uri: 'https://evil.test/', scope: 'everything' },
      { cookie: ada.cookie, ...ownPage },
    );
    expect(response.headers.get('location')).toStartWith('https://c.test/cb?code=');
  });
  test('A25 the page says who asks, for what, where it returns to and which account', async () => {
    const client = await harness.register({ client_name: 'Tom & <b>Jerry</b>' });
    const html = await isConsent(await ask(client));
    expect(html).toContain('Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;');
    for (const text of ['self-registered, not verified', 'c.test', 'webhooks', 'ada@example.com'])
      expect(html).toContain(text);
    const sentences = (list: string | undefined) =>
      [...(list ?? '').matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text);
    const [can, cannot] = html.split('It will not be able to');
    expect(sentences(can)).toEqual(openToApps.map(({ does }) => does));
    expect(sentences(cannot)).toEqual(closedToApps.map(({ does }) => does));
    expect(html).not.toContain('class="warning"');
    expect(await isConsent(await ask(L, { redirect_uri: 'http://127.0.0.1:1/cb' }))).toContain('class="warning"');
  });
  test.each([
    ['\u202egnp.exe', 'gnp.exe'],
    ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
    ['a\u0000b\u200bc', 'abc'],
    ['x'.repeat(500), 'x'.repeat(100)],
    ['\u0007', 'Unnamed app'],
  ])('A26 the name %j is inert', async (client_name, shown) => {
    const client = await harness.register({ client_name });
    expect(await isConsent(await ask(client))).toContain(`<bdi>${shown}</bdi>`);
  });
  test('A27 being connected already opens nothing: the page comes every time', async () => {
    await harness.connect(L, ada, { redirect_uri: 'http://127.0.0.1/cb' });
    await isConsent(await ask(L, { redirect_uri: 'http://127.0.0.1:9/cb' }));
  });
  test('A28 prompt=none is answered only for a client that is connected', async () => {
    const fresh = await harness.register();
    await isErrorPage(await ask(fresh, { prompt: 'none' }));
    await isErrorPage(await harness.visit(harness.request(fresh, { prompt: 'none' })));
    await harness.connect(fresh, ada);
    expect(await errorOf(await ask(fresh, { prompt: 'none' }))).toBe('interaction_required');
    await isConsent(await ask(fresh, { prompt: 'consent' }));
  });
  test('A31 posting the parameters is not a way in', async () => {
    const response = await harness.post('/authorize', harness.request(P), { cookie: ada.cookie });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
  test('A32 HEAD leaves nothing behind', async () => {
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
  test('A33 the policy lets the chain of redirects go on from the client', async () => {
    expect((await ask(P)).headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const local = await ask(L, { redirect_uri: 'http://127.0.0.1:1/cb' });
    expect(local.headers.get('content-security-policy')).toContain("form-action 'self' https: http:;");
  });
  test('the challenge that was stored is the one that was sent', async () => {
    const other = `${verifier}-other`;
    const code = await harness.codeFor(P, ada, { code_challenge: challengeOf(other) });
    expect((await harness.redeem(P, code)).status).toBe(400);
    expect((await harness.redeem(P, code, { code_verifier: other })).status).toBe(200);
  });
});
