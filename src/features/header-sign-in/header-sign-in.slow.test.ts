/* Signing in with the header of a proxy. Over real sockets: what counts is where the connection comes from. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openBrowser } from '../../testing/browser.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const email = 'ada@example.com';
const password = 'a good long password';
const name = 'Remote-Email';
const trusting = { HOOKTAPE_AUTH_HEADER: name, HOOKTAPE_AUTH_HEADER_PROXIES: '127.0.0.1' };
let clock: HeldClock;
let server: TestServer;
let origin: string;
const open = async (env: Record<string, string> = trusting): Promise<void> => {
  clock = holdClock();
  server = await openTestServer({ clock, env });
  origin = await server.listen();
};
beforeEach(() => open());
afterEach(() => server.close());
const reopen = async (env: Record<string, string>): Promise<void> => {
  await server.close();
  await open(env);
};

/** A request from a proxy, and the session cookie that it sets. */
async function call(path: string, headers: [string, string][] | Record<string, string> = {}, init: RequestInit = {}) {
  const list = new Headers({ 'sec-fetch-site': 'same-origin' });
  for (const [key, value] of Array.isArray(headers) ? headers : Object.entries(headers)) list.append(key, value);
  const response = await fetch(`${origin}${path}`, { ...init, headers: list });
  const text = await response.text();
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { status: response.status, cookie, text };
}
const named = (who: string, cookie = ''): Record<string, string> => ({ [name]: who, ...(cookie && { cookie }) });
const whoIs = async (headers: Record<string, string>): Promise<string | undefined> => {
  const { text } = await call('/api/session', headers);
  return (JSON.parse(text) as { account?: { email: string } }).account?.email;
};
const sessionCount = async (): Promise<unknown> =>
  (await server.services.database.client.execute('SELECT count(*) FROM sessions')).rows[0]?.[0];
/** Away from the proxy: requests without a connection come from nowhere. */
const fromElsewhere = async (cookie: string, headers: Record<string, string> = {}): Promise<number> => {
  const browser = openBrowser(server);
  browser.cookie = cookie;
  return (await browser.call('GET', '/api/session', undefined, headers)).status;
};

describe('the header of a trusted proxy', () => {
  test.each(['/api/session', '/', '/app', '/login'])('starts a session at %s', async path => {
    await server.createAccount(email, { password });
    const { status, cookie } = await call(path, named(' ADA@example.com '));
    expect([status, cookie]).toEqual([200, expect.stringMatching(/^hooktape_sid=/)]);
    const session = await call('/api/session', named(email, cookie));
    expect([session.status, session.cookie]).toEqual([200, '']);
    expect(JSON.parse(session.text)).toMatchObject({ account: { email }, sessionId: expect.stringMatching(/^ses_/) });
    expect(await sessionCount()).toBe(1);
  });

  test('is in the audit log and counted', async () => {
    await server.createAccount(email);
    const { cookie } = await call('/api/session', named(email));
    await call('/api/session', named('nobody@example.com'));
    const audit = JSON.parse((await call('/api/audit', named(email, cookie))).text) as {
      entries: { action: string; text: string; via: string }[];
    };
    expect(audit.entries.slice(0, 1)).toMatchObject([
      { action: 'session.started_header', text: `${email} signed in through the proxy`, via: 'dashboard' },
    ]);
    const { text } = await call('/metrics');
    expect(text).toContain('hooktape_sign_ins_total{way="header",result="ok"} 1');
    expect(text).toContain('hooktape_sign_ins_total{way="header",result="refused"} 1');
  });

  test('starts none for files, other methods and other operations, nor for programs', async () => {
    const ada = await server.createAccount(email);
    expect((await call('/app', named(email), { method: 'HEAD' })).cookie).toBe('');
    expect(await call('/api/endpoints', named(email))).toMatchObject({ status: 401, cookie: '' });
    expect(await call('/favicon.svg', named(email))).toMatchObject({ cookie: '' });
    expect(await call('/mcp', named(email), { method: 'POST', body: '{}' })).toMatchObject({ status: 401, cookie: '' });
    expect(await call('/metrics', named(email))).toMatchObject({ status: 200, cookie: '' });
    const basic = { ...named(email), authorization: 'Basic YTpi' };
    expect(await call('/app', basic)).toMatchObject({ status: 200, cookie: '' });
    const { url } = await ada.createEndpoint();
    const delivered = await call(new URL(url).pathname, named(email), { method: 'POST', body: '{}' });
    expect(delivered).toMatchObject({ status: 200, cookie: '' });
    expect(await sessionCount()).toBe(0);
  });

  test('names nobody in a replay, which this server itself may send from the address of the proxy', async () => {
    await reopen({ ...trusting, HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' });
    await server.createAccount(email);
    const eve = await server.createAccount('eve@example.com');
    const endpoint = await eve.createEndpoint();
    const { id } = JSON.parse((await call(new URL(endpoint.url).pathname, named(email))).text) as { id: string };
    const replay = await eve.json<{ status: number }>(200, 'POST', `/api/events/${id}/replay`, {
      url: `${origin}/api/session`,
    });
    expect([replay.status, await sessionCount()]).toEqual([401, 0]);
  });

  test('changes nothing for an API key, whatever person it names', async () => {
    const ada = await server.createAccount(email);
    await server.createAccount('bob@example.com');
    const headers = { ...named('bob@example.com'), authorization: `Bearer ${ada.key}` };
    const answer = await call('/api/session', headers);
    expect([answer.status, answer.cookie]).toEqual([200, '']);
    expect(await whoIs(headers)).toBe(email);
    const wrong = { ...named(email), authorization: 'Bearer htk_wrong' };
    expect(await call('/api/session', wrong)).toMatchObject({ status: 401, cookie: '' });
    const change = { ...headers, 'content-type': 'application/json' };
    expect((await call('/api/me/passkeys/options', change, { method: 'POST', body: '{}' })).status).toBe(403);
  });

  test.each<[string, [string, string][]]>([
    [
      'twice',
      [
        [name, email],
        [name, email],
      ],
    ],
    ['as a list', [[name, `${email},bob@example.com`]]],
    ['with a blank', [[name, `${email} bob@example.com`]]],
    ['empty', [[name, '']]],
    ['as the placeholder of a proxy', [[name, '{http.reverse_proxy.header.Remote-Email}']]],
    ['as a name', [[name, 'ada']]],
    ['with an underscore', [['Remote_Email', email]]],
  ])('names nobody %s', async (what, headers) => {
    await server.createAccount(email);
    for (let n = 0; n < 2; n++) expect(await call('/api/session', headers)).toMatchObject({ status: 401, cookie: '' });
    const warnings = server.lines.filter(({ message }) => message.includes('HOOKTAPE_AUTH_HEADER'));
    expect(warnings).toHaveLength(what === 'with an underscore' ? 0 : 1);
  });

  test('counts as a recent sign-in, in each request that has it', async () => {
    await server.createAccount(email, { password });
    const { cookie } = await call('/api/session', named(email));
    clock.advance(60 * 60_000);
    const change = (headers: Record<string, string>) =>
      call(
        '/api/me/passkeys/options',
        { ...headers, 'content-type': 'application/json' },
        { method: 'POST', body: '{}' },
      );
    expect((await change({ cookie })).status).toBe(403);
    expect((await change(named('ada', cookie))).status).toBe(403);
    expect((await change(named(email, cookie))).status).toBe(200);
  });
});

describe('a session', () => {
  beforeEach(async () => {
    await server.createAccount(email, { password });
    await server.createAccount('bob@example.com', { password });
  });

  test('ends when the header names another person, who is then signed in', async () => {
    const { cookie } = await call('/api/session', named(email));
    const other = await call('/app', named('bob@example.com', cookie));
    expect(await whoIs(named('bob@example.com', other.cookie))).toBe('bob@example.com');
    expect(await whoIs({ cookie })).toBeUndefined();
    expect(await sessionCount()).toBe(1);
  });

  test('that began with a password ends in the same way, also when nobody has the address', async () => {
    for (const path of ['/api/me', '/api/session', '/authorize?client_id=x']) {
      const browser = openBrowser(server);
      await browser.json(201, 'POST', '/api/session', { email, password });
      expect(await fromElsewhere(browser.cookie)).toBe(200);
      const { status } = await call(path, named('nobody@example.com', browser.cookie));
      if (path.startsWith('/api')) expect(status).toBe(401);
      expect([path, await fromElsewhere(browser.cookie)]).toEqual([path, 401]);
    }
  });

  test('stays when a header that names nobody, or none, comes from the proxy', async () => {
    const { cookie } = await call('/api/session', named(email));
    expect(await whoIs(named('x', cookie))).toBe(email);
    expect(await whoIs({ cookie })).toBe(email);
  });

  test('that began with the header needs a connection from the proxy', async () => {
    const { cookie } = await call('/api/session', named(email));
    expect(await fromElsewhere(cookie)).toBe(401);
    expect(await fromElsewhere(cookie, { [name]: email })).toBe(401);
    expect(await whoIs({ cookie })).toBe(email);
  });

  test('that began with a password does not, and the header is ignored there', async () => {
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/session', { email, password });
    expect(await fromElsewhere(browser.cookie, { [name]: 'bob@example.com' })).toBe(200);
    expect(await fromElsewhere(browser.cookie)).toBe(200);
  });
});

describe('from anywhere else', () => {
  test.each([{}, { 'x-forwarded-for': '10.0.0.5' }, { forwarded: 'for=10.0.0.5' }, { 'x-real-ip': '10.0.0.5' }])(
    'the header is ignored, with %j',
    async further => {
      await reopen({
        ...trusting,
        HOOKTAPE_AUTH_HEADER_PROXIES: '10.0.0.0/8',
        HOOKTAPE_TRUSTED_PROXIES: '127.0.0.0/8',
      });
      await server.createAccount(email);
      for (const path of ['/api/session', '/app'])
        expect((await call(path, { ...named(email), ...(further as Record<string, string>) })).cookie).toBe('');
    },
  );

  test('what X-Forwarded-For says does not matter to a trusted connection', async () => {
    await reopen({ ...trusting, HOOKTAPE_TRUSTED_PROXIES: '127.0.0.0/8' });
    await server.createAccount(email);
    expect((await call('/api/session', { ...named(email), 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
  });

  test('without the setting no header is believed, and sessions that began with one end', async () => {
    await server.createAccount(email);
    const { cookie } = await call('/api/session', named(email));
    const without = await openTestServer({ clock });
    await without.createAccount(email);
    const token = await without.services.sessions.start(
      (await without.services.account.byEmail(email)).id,
      { way: 'header' },
      { userAgent: '', sourceIp: '', sessionId: undefined },
    );
    const other = await without.listen();
    const ask = async (headers: Record<string, string>) => (await fetch(`${other}/api/session`, { headers })).status;
    expect(await ask(named(email))).toBe(401);
    expect(await ask({ cookie: `hooktape_sid=${token}` })).toBe(401);
    await without.close();
    expect(await whoIs({ cookie })).toBe(email);
  });
});

describe('an address without an account', () => {
  test('gets none, and is told nothing', async () => {
    await server.createAccount(email);
    const unknown = await call('/api/session', named('nobody@example.com'));
    const anonymous = await call('/api/session');
    expect(unknown).toEqual(anonymous);
    expect(unknown.status).toBe(401);
  });

  test('with HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS gets one, the first of the installation with plan pro', async () => {
    await reopen({ ...trusting, HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: 'on' });
    const plans: unknown[] = [];
    for (const who of [email, 'bob@example.com']) {
      const { text } = await call('/api/session', named(who));
      plans.push([
        (JSON.parse(text) as { account: { plan: string } }).account.plan,
        (JSON.parse(text) as { role: string }).role,
      ]);
    }
    expect(plans).toEqual([
      ['pro', 'owner'],
      ['free', 'owner'],
    ]);
    const [ada, bob] = await server.services.account.list();
    expect(ada?.teamId).not.toBe(bob?.teamId);
  });

  test('gets one account when it comes several times at once', async () => {
    await reopen({ ...trusting, HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: 'on' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('/api/session', named(email))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await server.services.account.list()).toHaveLength(1);
  });

  test('that is invited joins that team, and uses the invitation up', async () => {
    await server.createAccount(email);
    const { cookie } = await call('/api/session', named(email));
    const invitation = { method: 'POST', body: JSON.stringify({ email: 'bob@example.com' }) };
    const headers = { ...named(email, cookie), 'content-type': 'application/json' };
    expect((await call('/api/team/invitations', headers, invitation)).status).toBe(201);
    const answers = await Promise.all([1, 2, 3].map(() => call('/api/session', named('bob@example.com'))));
    for (const { text } of answers)
      expect(JSON.parse(text)).toMatchObject({ account: { email: 'bob@example.com' }, role: 'member' });
    const members = JSON.parse((await call('/api/team', named(email, cookie))).text) as {
      members: { email: string }[];
    };
    expect(members.members.map(member => member.email).toSorted()).toEqual([email, 'bob@example.com']);
    const { rows } = await server.services.database.client.execute('SELECT count(*) FROM invitations');
    expect(rows[0]?.[0]).toBe(0);
  });
});
