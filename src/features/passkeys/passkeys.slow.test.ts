/* Passkeys over the API, with an authenticator in software. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { type Algorithm, type Authenticator, createAuthenticator, type Wrong } from '../../testing/authenticator.ts';
import { type Browser, openBrowser } from '../../testing/browser.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import type { Passkey } from './model.ts';

const site = 'http://localhost:4665';
const email = 'ada@example.com';
const password = 'a good long password';
const minute = 60_000;
let clock: HeldClock;
let server: TestServer;
let browser: Browser;
beforeEach(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
  await server.createAccount(email, { password });
  browser = await signInWithPassword(email);
});
afterEach(() => server.close());

async function signInWithPassword(who: string): Promise<Browser> {
  const signedIn = openBrowser(server);
  await signedIn.json(201, 'POST', '/api/session', { email: who, password });
  return signedIn;
}

const creationOptions = (from = browser) =>
  from.json<PublicKeyCredentialCreationOptionsJSON>(200, 'POST', '/api/me/passkeys/options', {});
const requestOptions = () =>
  openBrowser(server).json<PublicKeyCredentialRequestOptionsJSON>(200, 'POST', '/api/session/passkey/options', {});

async function add(authenticator: Authenticator, from = browser, name = 'laptop'): Promise<Passkey> {
  const response = authenticator.create(await creationOptions(from));
  return from.json<Passkey>(201, 'POST', '/api/me/passkeys', { name, response });
}
const send = async (response: object, from = openBrowser(server)): Promise<number> =>
  (await from.call('POST', '/api/session/passkey', { response })).status;
const signIn = async (authenticator: Authenticator, wrong: Wrong = {}, from = openBrowser(server)): Promise<number> =>
  send(authenticator.get(await requestOptions(), wrong), from);
const list = async (from = browser): Promise<Passkey[]> =>
  (await from.json<{ passkeys: Passkey[] }>(200, 'GET', '/api/me/passkeys')).passkeys;
const passkeyCount = async (): Promise<unknown> =>
  (await browser.json<{ signIn: { passkeys: number } }>(200, 'GET', '/api/me')).signIn.passkeys;
const audit = async (): Promise<string[]> => {
  const page = await browser.json<{ entries: { action: string; text: string }[] }>(200, 'GET', '/api/audit?limit=10');
  return page.entries.map(({ action, text }) => `${action}: ${text}`);
};
const signIns = async (): Promise<string[]> =>
  (await (await server.fetch('/metrics')).text())
    .split('\n')
    .filter(line => /^hooktape_sign_ins_total.*passkey/.test(line));

describe('a passkey', () => {
  test('is added, named, used, renamed and deleted', async () => {
    const options = await creationOptions();
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Hooktape' },
      user: { name: email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      pubKeyCredParams: [-8, -7, -257].map(alg => ({ alg, type: 'public-key' })),
      excludeCredentials: [],
    });
    const authenticator = createAuthenticator(site);
    const added = await add(authenticator, browser, ' laptop ');
    expect(added).toEqual({
      id: expect.stringMatching(/^pky_/),
      name: 'laptop',
      createdAt: clock.now(),
      lastUsedAt: null,
    });
    expect(await passkeyCount()).toBe(1);
    expect((await creationOptions()).excludeCredentials).toEqual([
      { id: authenticator.id, type: 'public-key', transports: ['hybrid', 'internal'] },
    ]);

    clock.advance(minute);
    const other = openBrowser(server);
    expect(await signIn(authenticator, {}, other)).toBe(201);
    expect(await other.json(200, 'GET', '/api/session')).toMatchObject({ account: { email } });
    expect(await list(other)).toEqual([{ ...added, lastUsedAt: clock.now() }]);

    const renamed = { ...added, name: 'phone', lastUsedAt: clock.now() };
    expect(await browser.json(200, 'PATCH', `/api/me/passkeys/${added.id}`, { name: 'phone' })).toEqual(renamed);
    expect(await browser.json(200, 'DELETE', `/api/me/passkeys/${added.id}`)).toEqual({ ok: true });
    await browser.json(404, 'DELETE', `/api/me/passkeys/${added.id}`);
    await browser.json(404, 'PATCH', `/api/me/passkeys/${added.id}`, { name: 'phone' });
    expect(await signIn(authenticator)).toBe(401);
    expect(await passkeyCount()).toBe(0);
    expect((await audit()).slice(0, 4)).toEqual([
      `passkey.deleted: ${email} deleted passkey “phone”`,
      `passkey.changed: ${email} renamed passkey “phone”`,
      `session.started_passkey: ${email} signed in with a passkey`,
      `passkey.created: ${email} added passkey “laptop”`,
    ]);
    expect(await signIns()).toEqual([
      'hooktape_sign_ins_total{way="passkey",result="ok"} 1',
      'hooktape_sign_ins_total{way="passkey",result="refused"} 1',
    ]);
  });

  test.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('may use %s', async algorithm => {
    const authenticator = createAuthenticator(site, { algorithm, counts: true });
    await add(authenticator);
    expect([await signIn(authenticator), await signIn(authenticator)]).toEqual([201, 201]);
  });

  test('needs no one-time code', async () => {
    const authenticator = createAuthenticator(site);
    await add(authenticator);
    const { id } = await server.services.account.byEmail(email);
    await server.services.database.client.execute(
      `INSERT INTO totps (account_id, secret, created_at, confirmed_at) VALUES ('${id}', x'01', 1, 1)`,
    );
    expect(await signIn(authenticator)).toBe(201);
  });

  test('ends with its account', async () => {
    const authenticator = createAuthenticator(site);
    await add(authenticator);
    await server.services.account.remove(email);
    expect(await signIn(authenticator)).toBe(401);
    const { rows } = await server.services.database.client.execute('SELECT count(*) FROM passkeys');
    expect(rows[0]?.[0]).toBe(0);
  });
});

describe('making a passkey is refused', () => {
  const create = async (wrong: Wrong, authenticator = createAuthenticator(site)): Promise<number> => {
    const response = authenticator.create(await creationOptions(), wrong);
    return (await browser.call('POST', '/api/me/passkeys', { name: 'laptop', response })).status;
  };
  test.each<[string, Wrong]>([
    ['on another origin', { origin: 'http://localhost:4666' }],
    ['for another host', { rpId: 'example.com' }],
    ['without verifying the person', { isVerified: false }],
    ['for an invented challenge', { challenge: 'AAAA' }],
    ['as a sign-in', { type: 'webauthn.get' }],
    ['with certificates', { attestation: { fmt: 'packed', attStmt: { x5c: [Buffer.of(1)] } } }],
    ['with an attestation that is fetched for', { attestation: { fmt: 'apple', attStmt: { x5c: [Buffer.of(1)] } } }],
    ['with a wrong attestation', { attestation: { fmt: 'packed', attStmt: { alg: -7, sig: Buffer.of(1) } } }],
  ])('%s: 400', async (_what, wrong) => {
    expect(await create(wrong)).toBe(400);
    expect(await list()).toEqual([]);
    expect(server.lines.map(({ message }) => message)).toContain('the response of a passkey is not valid');
  });

  test.each([
    {},
    { id: 1 },
    { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: 'e30', attestationObject: '!' } },
  ])('for %j: 400', async response => {
    await browser.json(400, 'POST', '/api/me/passkeys', { name: 'laptop', response });
  });

  test.each(['', '  ', 'x'.repeat(101), 'two\nlines'])('with the name %j: 400', async name => {
    const response = createAuthenticator(site).create(await creationOptions());
    await browser.json(400, 'POST', '/api/me/passkeys', { name, response });
    const added = await add(createAuthenticator(site), browser, 'x'.repeat(100));
    await browser.json(400, 'PATCH', `/api/me/passkeys/${added.id}`, { name });
  });

  test('for a challenge that was used, has expired, or belongs to a sign-in or another account', async () => {
    const authenticator = createAuthenticator(site);
    const options = await creationOptions();
    const post = async (from: Browser, made: PublicKeyCredentialCreationOptionsJSON): Promise<number> =>
      (await from.call('POST', '/api/me/passkeys', { name: 'laptop', response: authenticator.create(made) })).status;
    await server.createAccount('bob@example.com', { password });
    const bob = await signInWithPassword('bob@example.com');
    expect(await post(bob, options)).toBe(400);
    expect(await post(browser, { ...options, ...(await requestOptions()) })).toBe(400);
    expect(await post(browser, options)).toBe(201);
    await browser.json(200, 'DELETE', `/api/me/passkeys/${(await list())[0]?.id}`);
    expect(await post(browser, options)).toBe(400);
    const later = await creationOptions();
    clock.advance(5 * minute + 1);
    expect(await post(browser, later)).toBe(400);
  });

  test('for a credential that an account has: 409', async () => {
    const authenticator = createAuthenticator(site);
    await add(authenticator);
    expect(await create({}, authenticator)).toBe(409);
  });

  test('beyond 20, also at once: 409', async () => {
    const made = await Promise.all(
      Array.from({ length: 22 }, async () => createAuthenticator(site).create(await creationOptions())),
    );
    const answers = await Promise.all(
      made.map(response => browser.call('POST', '/api/me/passkeys', { name: 'laptop', response })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...new Array<number>(20).fill(201), 409, 409]);
    await browser.json(409, 'POST', '/api/me/passkeys/options', {});
    expect((await list()).length).toBe(20);
  });
});

describe('signing in is refused', () => {
  let authenticator: Authenticator;
  beforeEach(async () => {
    authenticator = createAuthenticator(site, { counts: true });
    await add(authenticator);
  });

  test.each<[string, Wrong]>([
    ['on another origin', { origin: 'https://localhost:4665' }],
    ['for another host', { rpId: 'example.com' }],
    ['without verifying the person', { isVerified: false }],
    ['for an invented challenge', { challenge: 'AAAA' }],
    ['as a creation', { type: 'webauthn.create' }],
    ['with a wrong signature', { signature: Buffer.from('3006020101020101', 'hex') }],
    ['with a counter that went back', { counter: 0 }],
    ['with the counter of the last time', { counter: 1 }],
    ['without the account', { userHandle: null }],
    ['for another account', { userHandle: Buffer.from('acc_other').toString('base64url') }],
    ['with an unknown id', { id: 'AAAA' }],
  ])('%s', async (_what, wrong) => {
    const answer = await openBrowser(server).call('POST', '/api/session/passkey', {
      response: authenticator.get(await requestOptions(), wrong),
    });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    expect(await answer.json()).toEqual({ error: 'the passkey was not accepted: try again, or sign in another way' });
    expect(await signIn(authenticator)).toBe(201);
  });

  test.each([{}, { id: 1 }, { id: 'AAAA', response: null }, { id: 'AAAA', response: { userHandle: {} } }])(
    'for %j',
    async response => expect(await send(response)).toBe(401),
  );

  test('with the passkey of one account and the id and account of another', async () => {
    await server.createAccount('bob@example.com', { password });
    const bobs = createAuthenticator(site);
    await add(bobs, await signInWithPassword('bob@example.com'));
    const { id } = await server.services.account.byEmail(email);
    const userHandle = Buffer.from(id).toString('base64url');
    expect(await signIn(bobs, { userHandle })).toBe(401);
    expect(await signIn(bobs, { id: authenticator.id })).toBe(401);
    expect(await signIn(bobs, { id: authenticator.id, userHandle })).toBe(401);
    expect(await signIn(bobs)).toBe(201);
  });

  test('when a challenge is used again, also at once and by a passkey that does not count', async () => {
    const synchronised = createAuthenticator(site);
    await add(synchronised);
    const response = synchronised.get(await requestOptions());
    const statuses = await Promise.all([send(response), send(response), send(response)]);
    expect(statuses.sort()).toEqual([201, 401, 401]);
    expect(await send(response)).toBe(401);
    const options = await requestOptions();
    expect(await send(synchronised.get(options, { isVerified: false }))).toBe(401);
    expect(await send(synchronised.get(options))).toBe(401);
  });

  test('after 5 minutes, whatever the wall clock says, and for the challenge of a creation', async () => {
    const options = await requestOptions();
    clock.advance(5 * minute);
    // The clock of a shared database's processes is the wall clock.
    if (!server.services.isShared) clock.setNow(clock.now() - 60 * minute);
    expect(await send(authenticator.get(options))).toBe(201);
    const later = await requestOptions();
    clock.advance(5 * minute + 1);
    expect(await send(authenticator.get(later))).toBe(401);
    const creation = await creationOptions(await signInWithPassword(email));
    expect(await send(authenticator.get({ challenge: creation.challenge }))).toBe(401);
  });

  test('for one of two answers at once of a passkey and its clone', async () => {
    const [one, other] = [await requestOptions(), await requestOptions()];
    const first = authenticator.get(one);
    authenticator.counter -= 1;
    const statuses = await Promise.all([send(first), send(authenticator.get(other))]);
    expect(statuses.sort()).toEqual([201, 401]);
  });
});

describe('who may change passkeys', () => {
  test('a person who signed in within 10 minutes; renaming needs only a session', async () => {
    const authenticator = createAuthenticator(site);
    const { id } = await add(authenticator);
    clock.advance(10 * minute + 1);
    const refusal = { error: expect.any(String), needs: 'recent_sign_in' };
    expect(await browser.json(403, 'POST', '/api/me/passkeys/options', {})).toEqual(refusal);
    expect(await browser.json(403, 'POST', '/api/me/passkeys', { name: 'a', response: {} })).toEqual(refusal);
    expect(await browser.json(403, 'DELETE', `/api/me/passkeys/${id}`)).toEqual(refusal);
    await browser.json(200, 'PATCH', `/api/me/passkeys/${id}`, { name: 'a' });
    expect(await signIn(authenticator, {}, browser)).toBe(201);
    await browser.json(200, 'DELETE', `/api/me/passkeys/${id}`);
  });

  test('no API key', async () => {
    const { id } = await add(createAuthenticator(site));
    const { key } = await server.services.keys.create((await server.services.account.byEmail(email)).id, 'k');
    const call = async (method: string, path: string, body?: object): Promise<number> =>
      (
        await server.fetch(`/api/me/passkeys${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
      ).status;
    expect([
      await call('POST', '/options', {}),
      await call('POST', '', { name: 'a', response: {} }),
      await call('PATCH', `/${id}`, { name: 'a' }),
      await call('DELETE', `/${id}`),
      await call('GET', ''),
    ]).toEqual([403, 403, 403, 403, 200]);
  });

  test('nobody else: another account’s passkey is not found', async () => {
    const { id } = await add(createAuthenticator(site));
    await server.createAccount('bob@example.com', { password, teamOf: email });
    const bob = await signInWithPassword('bob@example.com');
    await bob.json(404, 'PATCH', `/api/me/passkeys/${id}`, { name: 'mine' });
    await bob.json(404, 'DELETE', `/api/me/passkeys/${id}`);
    expect((await list()).map(({ name }) => name)).toEqual(['laptop']);
    expect(await list(bob)).toEqual([]);
  });

  test('the last way to sign in cannot be deleted, also not two at once', async () => {
    const authenticators = [createAuthenticator(site), createAuthenticator(site)];
    const ids: string[] = [];
    for (const authenticator of authenticators) ids.push((await add(authenticator)).id);
    await server.services.database.client.execute('UPDATE accounts SET password_hash = NULL');
    const answers = await Promise.all(ids.map(id => browser.call('DELETE', `/api/me/passkeys/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await passkeyCount()).toBe(1);
  });
});

describe('the ways to sign in', () => {
  const ways = async (baseUrl: string): Promise<unknown> => {
    const own = await openTestServer({ env: { HOOKTAPE_BASE_URL: baseUrl } });
    try {
      const { host } = new URL(baseUrl);
      const visitor = openBrowser(own, { host });
      const session = await visitor.json<{ ways: { passkeys: boolean } }>(401, 'GET', '/api/session');
      const options = await visitor.call('POST', '/api/session/passkey/options', {});
      const { rpId } = (await options.json()) as { rpId?: string };
      const attempt = await visitor.call('POST', '/api/session/passkey', {
        response: { id: 'AAAA', response: { userHandle: 'AAAA' } },
      });
      return [session.ways.passkeys, options.status, rpId, attempt.status];
    } finally {
      await own.close();
    }
  };

  test.each([
    ['https://hooks.example.com', [true, 200, 'hooks.example.com', 401]],
    ['http://localhost:8080', [true, 200, 'localhost', 401]],
    ['http://127.0.0.1:8080', [false, 409, undefined, 401]],
    ['http://[::1]:8080', [false, 409, undefined, 401]],
  ])('under %s', async (baseUrl, expected) => {
    expect(await ways(baseUrl)).toEqual(expected);
  });
});
