import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, openBrowser } from '../../testing/browser.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const clock = holdClock();
const hour = 3_600_000;
const password = 'a good long password';
let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com', { plan: 'free' });
});
afterAll(() => server.close());

type Team = { members: { id: string; email: string; role: string; createdAt: number }[]; plan: string };
const team = (caller: TestAccount) => caller.json<Team>(200, 'GET', '/api/team');
const invite = async (caller: TestAccount, email: string) =>
  (await caller.json<{ url: string }>(201, 'POST', '/api/team/invitations', { email })).url.split('=')[1] ?? '';
const join = async (token: string): Promise<Browser> => {
  const browser = openBrowser(server);
  await browser.json(201, 'POST', `/api/invitations/${token}`, { password });
  return browser;
};

describe('GET /api/team', () => {
  test('lists members, plan and its limits', async () => {
    expect(await bob.json(200, 'GET', '/api/team')).toEqual({
      members: [{ id: bob.accountId, email: 'bob@example.com', role: 'owner', createdAt: clock.now() }],
      plan: 'free',
      limits: { endpoints: 1, keys: 10, retentionMs: 7 * 24 * hour },
    });
    expect(await team(ada)).toMatchObject({ plan: 'pro', limits: { endpoints: 0, retentionMs: 90 * 24 * hour } });
  });
});

describe('invitations', () => {
  test('a link creates one account in the team and signs it in', async () => {
    const answer = await ada.json<{ url: string }>(201, 'POST', '/api/team/invitations', {
      email: ' Cleo@Example.com',
    });
    expect<unknown>(answer).toEqual({
      id: expect.stringMatching(/^inv_/),
      invitedBy: 'ada@example.com',
      createdAt: clock.now(),
      email: 'cleo@example.com',
      url: expect.stringMatching(/^http:\/\/localhost:4665\/login\?invitation=[0-9a-z]{52}$/),
      expiresAt: clock.now() + 72 * hour,
    });
    const token = answer.url.split('=')[1] ?? '';
    const browser = openBrowser(server);
    expect(await browser.json(200, 'GET', `/api/invitations/${token}`)).toEqual({
      email: 'cleo@example.com',
      teamOf: 'ada@example.com',
    });
    const endpoint = await ada.createEndpoint('shared');
    clock.advance(1000);
    await browser.json(400, 'POST', `/api/invitations/${token}`, { password: 'short' });
    await browser.json(201, 'POST', `/api/invitations/${token}`, { password });
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({
      account: { email: 'cleo@example.com', plan: 'pro' },
      role: 'member',
    });
    await browser.json(200, 'GET', `/api/endpoints/${endpoint.id}`);
    await openBrowser(server).json(404, 'GET', `/api/invitations/${token}`);
    await openBrowser(server).json(404, 'POST', `/api/invitations/${token}`, { password });
    expect((await team(ada)).members.map(({ email, role }) => [email, role])).toEqual([
      ['ada@example.com', 'owner'],
      ['cleo@example.com', 'member'],
    ]);
  });

  test('of two concurrent uses of a link one succeeds', async () => {
    const token = await invite(ada, 'twice@example.com');
    const answers = await Promise.all(
      [0, 1, 2].map(() => openBrowser(server).call('POST', `/api/invitations/${token}`, { password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
  });

  test('a link expires after 72 hours, and a new one for the address replaces it', async () => {
    const first = await invite(ada, 'dave@example.com');
    const second = await invite(ada, 'DAVE@example.com');
    await openBrowser(server).json(404, 'GET', `/api/invitations/${first}`);
    clock.advance(72 * hour - 1);
    await openBrowser(server).json(200, 'GET', `/api/invitations/${second}`);
    clock.advance(1);
    await openBrowser(server).json(404, 'GET', `/api/invitations/${second}`);
    await openBrowser(server).json(404, 'POST', `/api/invitations/${second}`, { password });
  });

  test('an unknown token is 404, and tokens are not stored in the database', async () => {
    await openBrowser(server).json(404, 'GET', '/api/invitations/unknown');
    const token = await invite(ada, 'erin@example.com');
    const { rows } = await server.services.database.client.execute('SELECT hex(hash), email FROM invitations');
    expect(JSON.stringify(rows)).toContain('erin@example.com');
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(Buffer.from(token).toString('hex'));
  });

  test('409 for a member’s address; an account in another team is revealed only to the owner of the link', async () => {
    await ada.json(409, 'POST', '/api/team/invitations', { email: 'ADA@example.com' });
    const token = await invite(ada, 'bob@example.com');
    await openBrowser(server).json(409, 'POST', `/api/invitations/${token}`, { password });
    expect((await team(bob)).members).toHaveLength(1);
  });

  test('400 for an invalid address, 403 for a member who is no owner', async () => {
    await ada.json(400, 'POST', '/api/team/invitations', { email: 'nobody' });
    const fred = await server.createAccount('fred@example.com', { teamOf: 'ada@example.com' });
    await fred.json(403, 'POST', '/api/team/invitations', { email: 'friend@example.com' });
    await fred.json(403, 'DELETE', `/api/team/members/${ada.accountId}`);
  });

  test('403 beyond a hundred open invitations, and they end when the inviter is deleted', async () => {
    const gina = await server.createAccount('gina@example.com');
    const token = await invite(gina, 'guest@example.com');
    for (let i = 1; i < 100; i++) await invite(gina, `guest${i}@example.com`);
    await gina.json(403, 'POST', '/api/team/invitations', { email: 'guest100@example.com' });
    await invite(gina, 'guest99@example.com');
    await server.services.account.remove('gina@example.com');
    await openBrowser(server).json(404, 'GET', `/api/invitations/${token}`);
  });
});

describe('a password link', () => {
  const linkFor = async (email: string): Promise<string> => {
    const { account, teams } = server.services;
    return (await teams.passwordLink(await account.byEmail(email))).split('=')[1] ?? '';
  };

  test('sets the first password of its account once, signs in, and keeps the keys valid', async () => {
    const pia = await server.createAccount('pia@example.com');
    const token = await linkFor(pia.email);
    const browser = openBrowser(server);
    expect(await browser.json(200, 'GET', `/api/invitations/${token}`)).toEqual({
      email: pia.email,
      teamOf: pia.email,
    });
    await browser.json(400, 'POST', `/api/invitations/${token}`, { password: 'short' });
    const answers = await Promise.all(
      [browser, openBrowser(server)].map(one => one.call('POST', `/api/invitations/${token}`, { password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
    const signedIn = openBrowser(server);
    await signedIn.json(201, 'POST', '/api/session', { email: pia.email, password });
    expect(await signedIn.json(200, 'GET', '/api/session')).toMatchObject({ account: { id: pia.accountId } });
    expect((await pia.call('GET', '/api/me')).status).toBe(200);
    await openBrowser(server).json(404, 'POST', `/api/invitations/${token}`, { password: 'another good password' });
  });

  test('ends when a password is set another way, after 72 hours, and with its account', async () => {
    const [first, second, third] = ['quin@example.com', 'rae@example.com', 'sam@example.com'];
    for (const email of [first, second, third]) await server.createAccount(email);
    const tokens = [await linkFor(first), await linkFor(second), await linkFor(third)];
    const [ofFirst = '', ofSecond = '', ofThird = ''] = tokens;
    const hasEnded = async (token: string): Promise<void> => {
      await openBrowser(server).json(404, 'GET', `/api/invitations/${token}`);
      await openBrowser(server).json(404, 'POST', `/api/invitations/${token}`, { password });
    };
    await server.services.account.resetPassword(first, 'the administrator chose this');
    await hasEnded(ofFirst);
    await server.services.account.remove(second);
    await hasEnded(ofSecond);
    clock.advance(72 * hour - 1);
    await openBrowser(server).json(200, 'GET', `/api/invitations/${ofThird}`);
    clock.advance(1);
    await hasEnded(ofThird);
    await openBrowser(server).json(401, 'POST', '/api/session', { email: first, password });
  });

  test('is not listed among the invitations of the team', async () => {
    const tess = await server.createAccount('tess@example.com');
    await linkFor(tess.email);
    await invite(tess, 'guest@example.com');
    const { invitations } = await tess.json<{ invitations: { email: string }[] }>(200, 'GET', '/api/team/invitations');
    expect(invitations.map(({ email }) => email)).toEqual(['guest@example.com']);
  });
});

describe('DELETE /api/team/members/{id}', () => {
  test('deletes the account with its keys and sessions at once, and keeps the team’s events', async () => {
    const hugo = await server.createAccount('hugo@example.com', { teamOf: 'ada@example.com', password });
    const browser = openBrowser(server);
    await browser.json(201, 'POST', '/api/session', { email: 'hugo@example.com', password });
    const endpoint = await hugo.createEndpoint('made by hugo');
    expect(await ada.json(200, 'DELETE', `/api/team/members/${hugo.accountId}`)).toEqual({ ok: true });
    expect((await hugo.call('GET', '/api/me')).status).toBe(401);
    await browser.json(401, 'GET', '/api/session');
    await openBrowser(server).json(401, 'POST', '/api/session', { email: 'hugo@example.com', password });
    await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`);
    await ada.json(404, 'DELETE', `/api/team/members/${hugo.accountId}`);
  });

  test('400 for the caller’s own account', async () => {
    await ada.json(400, 'DELETE', `/api/team/members/${ada.accountId}`);
    expect((await ada.call('GET', '/api/me')).status).toBe(200);
  });

  test('another team’s member is answered like one that does not exist', async () => {
    const notOwned = await ada.call('DELETE', `/api/team/members/${bob.accountId}`);
    const missing = await ada.call('DELETE', '/api/team/members/acc_nobody');
    expect([notOwned.status, await notOwned.text()]).toEqual([missing.status, await missing.text()]);
    expect(notOwned.status).toBe(404);
    expect((await bob.call('GET', '/api/me')).status).toBe(200);
    expect(JSON.stringify(await team(ada))).not.toContain('bob@example.com');
  });

  test('401 for an owner whose account is deleted during the request', async () => {
    const jan = await server.createAccount('jan@example.com');
    const kim = await server.createAccount('kim@example.com', { teamOf: 'jan@example.com' });
    const { teamId } = await server.services.account.byEmail('jan@example.com');
    await server.services.account.remove('jan@example.com');
    const by = { accountId: jan.accountId, email: jan.email, role: 'owner', teamId, plan: 'pro' } as const;
    const { teams } = server.services;
    const late = [teams.invite(by, 'lee@example.com'), teams.removeMember(by, kim.accountId)];
    expect(await Promise.all(late.map(one => one.catch((error: unknown) => error)))).toMatchObject([
      { code: 'unauthorized' },
      { code: 'unauthorized' },
    ]);
    expect((await team(kim)).members).toHaveLength(1);
  });

  test('joining ends the previous session of the browser', async () => {
    const browser = await join(await invite(ada, 'ivy@example.com'));
    const { cookie } = browser;
    await browser.json(201, 'POST', `/api/invitations/${await invite(ada, 'jack@example.com')}`, { password });
    expect(await browser.json(200, 'GET', '/api/session')).toMatchObject({ account: { email: 'jack@example.com' } });
    browser.cookie = cookie;
    await browser.json(401, 'GET', '/api/session');
  });
});
