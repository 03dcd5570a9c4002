/* A provider that lies, is slow or is down: nobody is signed in, and the page says what still works. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SignJWT } from 'jose';
import { type OidcHarness, openOidcHarness, type Visitor } from '../../testing/oidc-harness.ts';

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true };
let harness: OidcHarness;
let accountId: string;
let browser: Visitor;
beforeAll(async () => {
  harness = await openOidcHarness();
  accountId = (await harness.createAccount(ada.email)).accountId;
});
beforeEach(() => {
  harness.server.lines.length = 0;
  harness.issuer.reset();
  // What was known of the provider is too old.
  harness.clock.advance(3_600_000);
  browser = harness.visitor();
});
afterAll(() => harness.close());

const page = async (response: Response): Promise<string> =>
  (await response.text()).replace(/<[^>]*>|\s+/g, ' ').replaceAll('&#39;', "'");
const refusal = async (person: Record<string, unknown> = {}): Promise<number> => {
  const { status } = await browser.signIn({ ...ada, ...person });
  expect(await browser.who()).toBeUndefined();
  return status;
};

describe('the ID token', () => {
  const seconds = () => Math.floor(harness.clock.now() / 1000);
  test.each([
    ['of another issuer', () => ({ iss: 'https://evil.test' })],
    ['of another path of the issuer', () => ({ iss: 'https://id.test/tenant' })],
    ['without an issuer', () => ({ iss: undefined })],
    ['for another client', () => ({ aud: 'another' })],
    ['for several clients without azp', () => ({ aud: ['hooktape', 'another'] })],
    ['with azp of another client', () => ({ azp: 'another' })],
    ['for several clients with azp of another', () => ({ aud: ['hooktape', 'another'], azp: 'another' })],
    ['with another nonce', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['without sub', () => ({ sub: undefined })],
    ['with an empty sub', () => ({ sub: '' })],
    ['with a sub that is no text', () => ({ sub: 7 })],
    ['with a long sub', () => ({ sub: 'x'.repeat(256) })],
    ['with NUL in sub', () => ({ sub: 'ada\0' })],
    ['that expired 31 s ago', () => ({ exp: seconds() - 31 })],
    ['without expiry', () => ({ exp: undefined })],
    ['that is not valid yet', () => ({ nbf: seconds() + 60 })],
  ])('%s is refused', async (_, claims) => {
    harness.issuer.idClaims = claims();
    expect(await refusal()).toBe(400);
  });

  test('may have the clocks 20 s apart', async () => {
    harness.issuer.idClaims = { exp: seconds() - 20 };
    expect((await browser.signIn(ada)).status).toBe(303);
  });

  test('is refused with a foreign signature, HS256 with the client secret or the public key, and none', async () => {
    const { issuer } = harness;
    const foreign = await issuer.newKey('one');
    const symmetric = (secret: string) => (claims: Record<string, unknown>) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.from(secret));
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forgeries: Record<string, (claims: Record<string, unknown>) => Promise<string>> = {
      foreign: claims => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(foreign.privateKey),
      'own key in the header': async claims =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one', jwk: foreign.jwk }).sign(foreign.privateKey),
      'unknown key': claims =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'two' }).sign(foreign.privateKey),
      secret: symmetric('a secret that the client has, long enough'),
      'public key': symmetric(JSON.stringify(issuer.key.jwk)),
      none: async claims => `${part({ alg: 'none' })}.${part(claims)}.`,
      'cut off': async claims => `${part({ alg: 'ES256', kid: 'one' })}.${part(claims)}.`,
      garbage: async () => 'garbage',
    };
    for (const [name, sign] of Object.entries(forgeries)) {
      issuer.sign = sign;
      harness.clock.advance(6000);
      expect([name, await refusal()]).toEqual([name, 400]);
    }
    issuer.sign = undefined;
    expect((await browser.signIn(ada)).status).toBe(303);
  });

  test('is required', async () => {
    harness.issuer.token = { id_token: undefined };
    expect(await refusal()).toBe(400);
  });

  test('counts with a new key of the provider at once', async () => {
    const { issuer } = harness;
    expect((await browser.signIn(ada)).status).toBe(303);
    issuer.key = await issuer.newKey('two');
    issuer.keys = [issuer.key.jwk];
    expect((await browser.signIn(ada)).status).toBe(303);
  });
});

describe('UserInfo', () => {
  beforeEach(async () => {
    await harness.services.oidcStore.removeAll(accountId);
    harness.issuer.idClaims = { email: undefined, email_verified: undefined };
  });

  test('gives the address if the ID token has none', async () => {
    expect((await browser.signIn(ada)).status).toBe(303);
  });

  test('of another person is refused', async () => {
    harness.issuer.userInfo = { sub: 'somebody else' };
    expect(await refusal()).toBe(400);
  });

  test('does not vouch for the address of the ID token', async () => {
    const { issuer } = harness;
    issuer.idClaims = { email_verified: undefined };
    issuer.userInfo = { email: 'mallory@example.com', email_verified: true };
    expect(await refusal()).toBe(403);
    issuer.idClaims = { email_verified: false };
    issuer.userInfo = {};
    expect(await refusal()).toBe(403);
  });
});

describe('the metadata', () => {
  test.each([
    ['of another issuer', { issuer: 'https://evil.test' }],
    ['without keys', { jwks_uri: undefined }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with a token endpoint over http', { token_endpoint: 'http://id.test/token' }],
    ['with keys over http', { jwks_uri: 'http://127.0.0.1/keys' }],
    ['with a script as sign-in page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['with a file as keys', { jwks_uri: 'file:///etc/passwd' }],
  ])('%s begins nothing', async (_, metadata) => {
    harness.issuer.metadata = metadata;
    const response = await browser.call('GET', '/login/oidc');
    expect([response.status, browser.cookies.size]).toEqual([503, 0]);
  });

  test('is read again after an hour, and not more than every 5 s while that fails', async () => {
    const { issuer, clock } = harness;
    const discoveries = () => issuer.requests.filter(({ url }) => url.includes('.well-known')).length;
    await browser.start();
    clock.advance(59 * 60_000);
    await browser.start();
    expect(discoveries()).toBe(1);
    clock.advance(60_000);
    issuer.intercept = async () => Response.json({}, { status: 500 });
    for (const [ms, count] of [
      [0, 2],
      [4999, 2],
      [1, 3],
    ] as const) {
      clock.advance(ms);
      expect((await browser.call('GET', '/login/oidc')).status).toBe(503);
      expect(discoveries()).toBe(count);
    }
    issuer.intercept = undefined;
    clock.advance(5000);
    expect((await browser.signIn(ada)).status).toBe(303);
  });

  test('is not read again because of a callback address that somebody made up', async () => {
    for (const over of [{ state: 'another' }, { iss: 'https://evil.test' }, { code: undefined, error: 'x' }])
      await browser.comeBack(harness.issuer.authorize(await browser.start(), ada, over));
    await browser.start();
    expect(harness.issuer.requests).toHaveLength(1);
  });

  test('is read once by many who begin at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => harness.visitor().start()));
    expect(harness.issuer.requests).toHaveLength(1);
  });

  test('decides how this server authenticates', async () => {
    const cases = [
      [undefined, ['client_secret_basic'], [null, null]],
      ['s', undefined, ['Basic aG9va3RhcGU6cw==', null]],
      ['s', ['client_secret_post', 'client_secret_basic'], ['Basic aG9va3RhcGU6cw==', null]],
      ['s', ['client_secret_post'], [null, 's']],
    ] as const;
    for (const [secret, methods, expected] of cases) {
      const own = await openOidcHarness({ env: secret === undefined ? {} : { HOOKTAPE_OIDC_CLIENT_SECRET: secret } });
      await own.createAccount(ada.email);
      own.issuer.metadata = { token_endpoint_auth_methods_supported: methods };
      expect((await own.visitor().signIn(ada)).status).toBe(303);
      const sent = own.issuer.requests.find(({ url }) => url.endsWith('/token'));
      expect([sent?.headers.get('authorization') ?? null, sent?.body.get('client_secret') ?? null]).toEqual([
        ...expected,
      ]);
      await own.close();
    }
  });
});

describe('a provider that is down', () => {
  test('costs a page that says what still works, and tells nobody what it said', async () => {
    harness.issuer.intercept = async () => new Response('<b>secret</b>', { status: 502 });
    const response = await browser.call('GET', '/login/oidc?return_to=/app/settings');
    const html = await response.clone().text();
    const text = await page(response);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(html).toContain('href="/login/oidc?return_to=%2Fapp%2Fsettings"');
    expect(text).toContain("Example ID can't be reached");
    expect(text).toContain('your password');
    expect(text).toContain('a sign-in link');
    expect(text).not.toContain('secret');
  });

  test.each([
    ['answers 500', async () => new Response('', { status: 500 })],
    ['breaks off', () => Promise.reject(new TypeError('the socket was closed'))],
    ['sends too much', async () => new Response('x'.repeat(300 * 1024))],
  ])('at the token endpoint: it %s', async (_, answer) => {
    const back = harness.issuer.authorize(await browser.start(), ada);
    harness.issuer.intercept = answer as () => Promise<Response>;
    expect((await browser.comeBack(back)).status).toBe(503);
    expect(await browser.who()).toBeUndefined();
  });

  test('redirects are not followed', async () => {
    const { issuer } = harness;
    issuer.intercept = async url =>
      url.includes('.well-known') ? Response.redirect('https://evil.test/metadata', 302) : undefined;
    expect((await browser.call('GET', '/login/oidc')).status).toBe(503);
    expect(issuer.requests.map(({ url }) => new URL(url).host)).toEqual(['id.test']);
  });

  test('refuses this server: that is the operator’s to mend', async () => {
    const { issuer, server } = harness;
    issuer.intercept = async url =>
      url.endsWith('/token')
        ? Response.json({ error: 'invalid_client', error_description: '<b>x</b>' }, { status: 401 })
        : undefined;
    expect(await refusal()).toBe(503);
    const line = server.lines.find(({ message }) => message.includes('OpenID Connect'));
    expect(JSON.stringify(line)).toContain('invalid_client');
    expect(JSON.stringify(line)).not.toContain('<b>');
  });

  test.each([
    ['access_denied', 400],
    ['temporarily_unavailable', 503],
    ['<script>', 400],
  ])('or answers the browser with the error %s', async (error, status) => {
    const over = { code: undefined, error, error_description: '<script>alert(1)</script>' };
    const response = await browser.comeBack(harness.issuer.authorize(await browser.start(), ada, over));
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('a provider that is slow', () => {
  /** Waits until the request is given up. */
  const never = (_: string, init: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  /** Sends a byte every 20 ms. */
  const dripping = async (_: string, init: RequestInit) =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(20);
          if (init.signal?.aborted) controller.error(init.signal.reason);
          else controller.enqueue(new Uint8Array(1));
        },
      }),
    );

  test.each([
    ['never answers', never],
    ['sends byte by byte', dripping],
  ])('%s: the sign-in ends in time, at each step', async (_, slow) => {
    const own = await openOidcHarness({ overrides: { oidc: { timeoutMs: 150 } } });
    own.issuer.intercept = slow;
    const visitor = own.visitor();
    expect((await visitor.call('GET', '/login/oidc')).status).toBe(503);
    own.clock.advance(5000);
    for (const step of ['/token', '/keys', '/userinfo']) {
      own.issuer.intercept = undefined;
      own.issuer.idClaims = { email: undefined };
      const back = own.issuer.authorize(await visitor.start(), ada);
      own.issuer.intercept = async (url, init) => (url.endsWith(step) ? slow(url, init) : undefined);
      expect([step, (await visitor.comeBack(back)).status]).toEqual([step, 503]);
    }
    await own.close();
  });
});
