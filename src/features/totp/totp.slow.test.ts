/* One-time codes over the API: turning them on and off, and signing in with them. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Secret, TOTP } from 'otpauth';
import { runOperation } from '../../cli/operations.ts';
import { type Browser, openBrowser } from '../../testing/browser.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const email = 'ada@example.com';
const password = 'a good long password';
const step = 30_000;
let clock: HeldClock;
let server: TestServer;
let browser: Browser;
beforeEach(async () => {
  clock = holdClock();
  server = await openTestServer({ clock });
  await server.createAccount(email, { password });
  browser = openBrowser(server);
  await browser.json(201, 'POST', '/api/session', { email, password });
});
afterEach(() => server.close());

type Setup = { code: (offsetMs?: number) => string; recoveryCodes: string[] };

const codeOf = (secret: string, offsetMs = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() + offsetMs });
/** A code that is wrong in every step around now. */
const wrongCode = ({ code }: Setup): string => {
  const near = [-2, -1, 0, 1, 2].map(offset => code(offset * step));
  return ['111111', '222222', '333333', '444444', '555555', '666666'].find(one => !near.includes(one)) ?? '';
};

/** Turns one-time codes on, and waits until the next code is valid. */
async function turnOn(): Promise<Setup> {
  const { secret } = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
  const { recoveryCodes } = await browser.json<{ recoveryCodes: string[] }>(200, 'POST', '/api/me/totp/confirm', {
    code: codeOf(secret),
  });
  clock.advance(step);
  return { code: offset => codeOf(secret, offset), recoveryCodes };
}

const signIn = async (given: object, from = openBrowser(server)): Promise<[number, string | undefined]> => {
  const answer = await from.call('POST', '/api/session', { email, password, ...given });
  return [answer.status, ((await answer.json()) as { needs?: string }).needs];
};
const hasTotp = async (): Promise<unknown> =>
  (await browser.json<{ signIn: { totp: boolean } }>(200, 'GET', '/api/me')).signIn.totp;
const actions = async (): Promise<string[]> => {
  const page = await browser.json<{ entries: { action: string; text: string }[] }>(200, 'GET', '/api/audit?limit=10');
  return page.entries.map(({ action, text }) => `${action}: ${text}`).filter(line => line.startsWith('totp'));
};

describe('turning one-time codes on', () => {
  test('needs a code of the new secret; until then a sign-in needs none', async () => {
    const started = await browser.json<{ secret: string; uri: string }>(200, 'POST', '/api/me/totp', {});
    expect(started.uri).toContain(`secret=${started.secret}`);
    expect(await hasTotp()).toBe(false);
    expect(await signIn({})).toEqual([201, undefined]);
    const wrong = wrongCode({ code: offset => codeOf(started.secret, offset), recoveryCodes: [] });
    expect(await browser.json(400, 'POST', '/api/me/totp/confirm', { code: wrong })).toEqual({
      error: 'the code is wrong',
      problems: [{ path: 'code', message: 'is wrong' }],
    });
    const { recoveryCodes } = await browser.json<{ recoveryCodes: string[] }>(200, 'POST', '/api/me/totp/confirm', {
      code: codeOf(started.secret),
    });
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(await hasTotp()).toBe(true);
    await browser.json(409, 'POST', '/api/me/totp', {});
    await browser.json(409, 'POST', '/api/me/totp/confirm', { code: codeOf(started.secret) });
    expect(await actions()).toEqual([`totp.enabled: ${email} turned on one-time codes`]);
  });

  test('a second secret replaces the first one, and without a secret there is nothing to confirm', async () => {
    await browser.json(409, 'POST', '/api/me/totp/confirm', { code: '123456' });
    const first = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
    const second = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
    expect(second.secret).not.toBe(first.secret);
    await browser.json(400, 'POST', '/api/me/totp/confirm', { code: codeOf(first.secret) });
    await browser.json(200, 'POST', '/api/me/totp/confirm', { code: codeOf(second.secret) });
  });

  test('of two confirmations at once one gets recovery codes', async () => {
    const { secret } = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
    const confirm = () => browser.call('POST', '/api/me/totp/confirm', { code: codeOf(secret) });
    const answers = await Promise.all([confirm(), confirm()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { rows } = await server.services.database.client.execute('SELECT count(*) FROM recovery_codes');
    expect(rows[0]?.[0]).toBe(10);
  });

  test('the secret and the recovery codes are not in the database', async () => {
    const { recoveryCodes } = await turnOn();
    const stored: string[] = [];
    for (const table of ['totps', 'recovery_codes']) {
      const { rows } = await server.services.database.client.execute(`SELECT * FROM ${table}`);
      for (const value of rows.flatMap(row => Object.values(row)))
        stored.push(value instanceof ArrayBuffer ? Buffer.from(value).toString('latin1') : String(value));
    }
    expect(stored.length).toBeGreaterThan(20);
    for (const code of recoveryCodes) expect(stored.join('\n')).not.toContain(code.replaceAll('-', ''));
  });
});

describe('signing in', () => {
  test('needs the password and then a code, which works once', async () => {
    const { code } = await turnOn();
    expect(await signIn({})).toEqual([401, 'totp']);
    expect(await signIn({ code: code(), password: 'wrong wrong wrong' })).toEqual([401, undefined]);
    expect(await signIn({ code: code() })).toEqual([201, undefined]);
    expect(await signIn({ code: code() })).toEqual([401, 'totp']);
    expect(await signIn({ code: code(step) })).toEqual([201, undefined]);
    // An earlier code is refused once a later one was used.
    expect(await signIn({ code: code() })).toEqual([401, 'totp']);
  });

  test('the code that confirmed the secret does not work again', async () => {
    const { secret } = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
    await browser.json(200, 'POST', '/api/me/totp/confirm', { code: codeOf(secret) });
    expect(await signIn({ code: codeOf(secret) })).toEqual([401, 'totp']);
  });

  test.each([
    [-2, 401],
    [-1, 201],
    [1, 201],
    [2, 401],
  ])('with a clock that is %d steps off: %d', async (steps, status) => {
    const { code } = await turnOn();
    clock.advance(2 * step);
    expect((await signIn({ code: code(steps * step) }))[0]).toBe(status);
  });

  test('of two requests at once with the same code one succeeds', async () => {
    const { code, recoveryCodes } = await turnOn();
    for (const given of [{ code: code() }, { recoveryCode: recoveryCodes[0] }]) {
      const answers = await Promise.all([signIn(given), signIn(given)]);
      expect(answers.map(([status]) => status).sort()).toEqual([201, 401]);
    }
  });

  test('a recovery code works once, as people type it; not with the wrong password', async () => {
    const { recoveryCodes } = await turnOn();
    const [first = '', second = ''] = recoveryCodes;
    expect(await signIn({ recoveryCode: first.toUpperCase().replaceAll('-', ' ') })).toEqual([201, undefined]);
    expect(await signIn({ recoveryCode: first })).toEqual([401, 'totp']);
    expect((await signIn({ recoveryCode: second, password: 'wrong wrong wrong' }))[0]).toBe(401);
    expect(await signIn({ recoveryCode: second })).toEqual([201, undefined]);
    expect((await signIn({ recoveryCode: second, code: '123456' }))[0]).toBe(400);
  });

  test('wrong codes count as wrong passwords; giving only the password neither counts nor excuses them', async () => {
    const setup = await turnOn();
    for (let i = 0; i < 10; i++) expect(await signIn({})).toEqual([401, 'totp']);
    for (let i = 0; i < 4; i++) {
      expect((await signIn({ code: wrongCode(setup) }))[0]).toBe(401);
      expect(await signIn({})).toEqual([401, 'totp']);
    }
    expect((await signIn({ recoveryCode: 'wrong' }))[0]).toBe(401);
    expect((await signIn({ code: setup.code() }))[0]).toBe(429);
    clock.advance(1000);
    expect((await signIn({ code: setup.code() }))[0]).toBe(201);
  });

  test('codes are also limited per account, however many networks guess them; a recovery code helps', async () => {
    const setup = await turnOn();
    const { sessions } = server.services;
    const from = (n: number, given: object): Promise<string> =>
      sessions
        .signIn({ email, password, ...given }, { userAgent: '', sourceIp: `198.51.100.${n}`, sessionId: undefined })
        .then(
          () => 'signed in',
          ({ code }) => code,
        );
    for (let n = 0; n < 20; n++) expect(await from(n, { code: wrongCode(setup) })).toBe('unauthorized');
    expect(await from(20, { code: setup.code() })).toBe('rate_limited');
    expect(await from(21, { recoveryCode: setup.recoveryCodes[0] })).toBe('signed in');
    clock.advance(1000);
    expect(await from(22, { code: setup.code() })).toBe('signed in');
  });

  test('of many wrong codes at once at most five are looked at', async () => {
    const setup = await turnOn();
    const code = wrongCode(setup);
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn({ code })));
    expect(answers.filter(([status]) => status === 401).length).toBeLessThanOrEqual(5);
    expect(answers.filter(([status]) => status === 429).length).toBeGreaterThanOrEqual(7);
  });
});

describe('turning one-time codes off', () => {
  test('needs a code or a recovery code; an earlier secret is then worthless', async () => {
    const { code, recoveryCodes } = await turnOn();
    const setup = { code, recoveryCodes };
    await browser.json(400, 'DELETE', '/api/me/totp', { code: wrongCode(setup) });
    await browser.json(400, 'DELETE', '/api/me/totp', { recoveryCode: 'wrong' });
    await browser.json(400, 'DELETE', '/api/me/totp', {});
    await browser.json(400, 'DELETE', '/api/me/totp', { code: code(), recoveryCode: recoveryCodes[0] });
    expect(await hasTotp()).toBe(true);
    await browser.json(200, 'DELETE', '/api/me/totp', { code: code() });
    await browser.json(404, 'DELETE', '/api/me/totp', { code: code() });
    expect(await signIn({})).toEqual([201, undefined]);
    await turnOn();
    await browser.json(400, 'DELETE', '/api/me/totp', { recoveryCode: recoveryCodes[1] });
    expect((await actions())[1]).toBe(`totp.disabled: ${email} turned off one-time codes`);
  });

  test('works with a recovery code', async () => {
    const { recoveryCodes } = await turnOn();
    await browser.json(200, 'DELETE', '/api/me/totp', { recoveryCode: recoveryCodes[9] });
    expect(await hasTotp()).toBe(false);
  });

  test('an operator can do it for somebody who lost both', async () => {
    await turnOn();
    const run = () => runOperation(server.services, 'account.twoFactorOff', { email });
    expect(await run()).toMatchObject({ result: { email } });
    expect(await hasTotp()).toBe(false);
    expect(await actions()).toContain(`totp.disabled: The operator turned off one-time codes of ${email}`);
    expect(await run()).toMatchObject({ failure: { code: 'conflict' } });
  });

  test.each(['confirm', 'DELETE'])('wrong codes are limited, also when they come at once: %s', async operation => {
    const { secret } = await browser.json<{ secret: string }>(200, 'POST', '/api/me/totp', {});
    if (operation === 'DELETE') await browser.json(200, 'POST', '/api/me/totp/confirm', { code: codeOf(secret) });
    const code = wrongCode({ code: offset => codeOf(secret, offset), recoveryCodes: [] });
    const guess = () =>
      operation === 'DELETE'
        ? browser.call('DELETE', '/api/me/totp', { code })
        : browser.call('POST', '/api/me/totp/confirm', { code });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...new Array<number>(5).fill(400),
      ...new Array<number>(7).fill(429),
    ]);
  });
});

describe('all three operations', () => {
  const calls: [string, string, object][] = [
    ['POST', '/api/me/totp', {}],
    ['POST', '/api/me/totp/confirm', { code: '123456' }],
    ['DELETE', '/api/me/totp', { code: '123456' }],
  ];

  test.each(calls)('need a sign-in within 10 minutes: %s %s', async (method, path, body) => {
    const refusal = { error: expect.any(String), needs: 'recent_sign_in' };
    clock.advance(9 * 60_000);
    await browser.json(200, 'GET', '/api/me');
    await browser.json(200, 'POST', '/api/password', { current: password, password: `${password}!` });
    clock.advance(60_001);
    expect(await browser.json(403, method, path, body)).toEqual(refusal);
    await browser.json(201, 'POST', '/api/session', { email, password: `${password}!` });
    expect((await browser.call(method, path, body)).status).not.toBe(403);
  });

  test.each(calls)('are closed to API keys: %s %s', async (method, path, body) => {
    const ada = await server.createAccount('key@example.com');
    const answer = await ada.json(403, method, path, body);
    expect(answer).toEqual({ error: expect.any(String) });
  });
});

test('a deleted account leaves no codes', async () => {
  await turnOn();
  await server.services.account.remove(email);
  for (const table of ['totps', 'recovery_codes']) {
    const { rows } = await server.services.database.client.execute(`SELECT count(*) FROM ${table}`);
    expect(rows[0]?.[0]).toBe(0);
  }
});
