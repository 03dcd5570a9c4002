/* Who may sign in with the provider, and as whom. */
import { afterEach, describe, expect, test } from 'bun:test';
import { runOperation } from '../../cli/operations.ts';
import { type OidcHarness, openOidcHarness, type Person, peopleOf } from '../../testing/oidc-harness.ts';

const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true };
const bob = { sub: 'bob', email: 'bob@example.com', email_verified: true };
let harness: OidcHarness;
const open = async (env: Record<string, string> = {}): Promise<OidcHarness> => {
  harness = await openOidcHarness({ env });
  return harness;
};
afterEach(() => harness.close());

const { me, signIn, signedIn, withPassword, actionsOf } = peopleOf(() => harness);
const roleOf = async (email: string) => (await harness.services.account.byEmail(email)).role;
const signInsCounted = async (result: string): Promise<number> => {
  const text = await harness.services.metrics.text();
  return Number(new RegExp(`hooktape_sign_ins_total\\{way="oidc",result="${result}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

describe('the first sign-in', () => {
  test('binds the account with the verified address; later the address does not matter', async () => {
    await open();
    const account = await harness.createAccount(ada.email);
    const browser = await signedIn({ ...ada, email: 'Ada@Example.com' });
    expect(await me(browser)).toMatchObject({
      id: account.accountId,
      signIn: { password: true, oidc: true, passkeys: 0, totp: false },
    });
    expect(await signIn({ sub: 'ada', email: 'other@example.com', email_verified: false })).toEqual([303, ada.email]);
    expect(await signIn({ sub: 'ada' })).toEqual([303, ada.email]);
    expect(await actionsOf(browser)).toEqual([
      'oidc.bound: ada@example.com connected their account of the OpenID Connect provider',
      ...Array(3).fill('session.started_oidc: ada@example.com signed in with the OpenID Connect provider'),
    ]);
    expect([await signInsCounted('ok'), await signInsCounted('refused')]).toEqual([3, 0]);
  });

  test('an address that was given to somebody else leads to no account of the first', async () => {
    await open();
    await harness.createAccount(ada.email);
    await signedIn(ada);
    await harness.createAccount(bob.email);
    // The provider renamed Ada, and gave her address to Mallory.
    expect(await signIn({ ...ada, sub: 'mallory' })).toEqual([403, undefined]);
    expect(await signIn({ ...bob, sub: 'ada' })).toEqual([303, ada.email]);
  });

  test('refusals have the same page, byte by byte, and are counted', async () => {
    await open({ HOOKTAPE_OIDC_ALLOWED_GROUPS: 'staff' });
    const groups = ['staff'];
    await harness.createAccount(ada.email);
    await signedIn({ ...ada, groups });
    await harness.createAccount(bob.email);
    const refused: Person[] = [
      { ...bob, sub: 'nobody', email: 'nobody@example.com', groups },
      { ...bob, email_verified: false, groups },
      { ...bob, email_verified: 'true', groups },
      { ...bob, email_verified: undefined, groups },
      { sub: 'bob', groups },
      { ...bob, email: 'no address', groups },
      { ...ada, sub: 'another sub', groups },
      { ...bob, groups: ['others'] },
      { ...bob, groups: { staff: true } },
      { ...bob, groups: 7 },
      bob,
      { ...ada, groups: [] },
    ];
    const pages = new Set<string>();
    for (const person of refused) {
      const browser = harness.visitor();
      const response = await browser.signIn(person);
      expect([person, response.status, await browser.who()]).toEqual([person, 403, undefined]);
      pages.add(`${await response.text()} ${JSON.stringify([...response.headers])}`);
    }
    expect(pages.size).toBe(1);
    expect([await signInsCounted('ok'), await signInsCounted('refused')]).toEqual([1, refused.length]);
    const reasons = harness.server.lines.filter(({ message }) => message.includes('refused'));
    expect(new Set(reasons.map(({ fields }) => fields['reason']))).toEqual(
      new Set(['no account', 'no verified email address', 'bound to another account', 'not in an allowed group']),
    );
  });

  test('parallel callbacks of one person make one account', async () => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on' });
    const answers = await Promise.all([1, 2, 3, 4].map(() => signIn(ada)));
    expect(answers).toEqual(Array(4).fill([303, ada.email]));
    expect(await harness.services.account.list()).toHaveLength(1);
  });

  test('two people with one address at once: one gets the account', async () => {
    await open();
    await harness.createAccount(ada.email);
    const answers = await Promise.all([signIn(ada), signIn({ ...ada, sub: 'twin' })]);
    expect(answers.map(([status]) => status).sort()).toEqual([303, 403]);
  });

  test('with one-time codes on, the provider is trusted', async () => {
    await open();
    const { accountId } = await harness.createAccount(ada.email);
    await harness.services.database.client.execute({
      sql: "INSERT INTO totps (account_id, secret, created_at, confirmed_at) VALUES (?, x'00', 1, 1)",
      args: [accountId],
    });
    expect(await signIn(ada)).toEqual([303, ada.email]);
  });
});

describe('a deleted account', () => {
  test('ends its binding: its person is a stranger again', async () => {
    await open();
    await harness.createAccount(ada.email);
    const browser = await signedIn(ada);
    const late = harness.visitor();
    const back = harness.issuer.authorize(await late.start(), ada);
    await harness.services.account.remove(ada.email);
    expect(await browser.who()).toBeUndefined();
    expect((await late.comeBack(back)).status).toBe(403);
    await harness.createAccount(ada.email);
    expect(await signIn({ ...ada, email_verified: false })).toEqual([403, undefined]);
    expect(await signIn(ada)).toEqual([303, ada.email]);
  });

  test('a binding that ends during the exchange starts no session', async () => {
    await open();
    const { accountId } = await harness.createAccount(ada.email);
    await signedIn(ada);
    const proof = { way: 'oidc', issuer: 'https://id.test/', subject: 'ada', idToken: Buffer.alloc(0) } as const;
    const client = { userAgent: '', sourceIp: '::1', sessionId: undefined };
    await harness.services.sessions.start(accountId, proof, client);
    await runOperation(harness.services, 'account.oidcOff', { email: ada.email });
    const refusal: unknown = await harness.services.sessions.start(accountId, proof, client).catch(error => error);
    expect(refusal).toMatchObject({ code: 'unauthorized' });
  });
});

describe('groups', () => {
  test('come from the ID token, else from UserInfo; one name counts as a list', async () => {
    await open({ HOOKTAPE_OIDC_ALLOWED_GROUPS: 'staff,/admins', HOOKTAPE_OIDC_GROUPS_CLAIM: 'roles' });
    await harness.createAccount(ada.email);
    const { issuer } = harness;
    expect(await signIn({ ...ada, roles: ['x', '/admins'] })).toEqual([303, ada.email]);
    expect(await signIn({ ...ada, roles: 'staff' })).toEqual([303, ada.email]);
    expect(await signIn({ ...ada, groups: ['staff'] })).toEqual([403, undefined]);
    expect(await signIn({ ...ada, roles: ['Staff'] })).toEqual([403, undefined]);
    issuer.userInfo = { roles: ['staff'] };
    expect(await signIn(ada)).toEqual([303, ada.email]);
    // The ID token has the claim, so UserInfo is not asked.
    expect(await signIn({ ...ada, roles: [] })).toEqual([403, undefined]);
    issuer.idClaims = { roles: undefined };
    expect(await signIn({ ...ada, roles: 'x' })).toEqual([303, ada.email]);
  });

  test('decide on every sign-in who is an owner, and the last owner stays one', async () => {
    await open({ HOOKTAPE_OIDC_OWNER_GROUPS: 'admins' });
    await harness.createAccount(ada.email);
    await harness.createAccount(bob.email, ada.email);
    const admin = { groups: ['admins'] };
    await signedIn(bob);
    expect(await roleOf(bob.email)).toBe('member');
    await signedIn({ ...bob, ...admin });
    expect(await roleOf(bob.email)).toBe('owner');
    await signedIn(ada);
    expect([await roleOf(ada.email), await roleOf(bob.email)]).toEqual(['member', 'owner']);
    await signedIn({ ...bob, groups: [] });
    expect(await roleOf(bob.email)).toBe('owner');
    await signedIn({ ...ada, ...admin });
    await Promise.all([signIn(ada), signIn(bob)]);
    expect([await roleOf(ada.email), await roleOf(bob.email)].sort()).toEqual(['member', 'owner']);
  });

  test('without the setting, roles stay as they are', async () => {
    await open();
    await harness.createAccount(ada.email);
    await harness.createAccount(bob.email, ada.email);
    await signedIn({ ...bob, groups: ['admins'] });
    await signedIn(ada);
    expect([await roleOf(ada.email), await roleOf(bob.email)]).toEqual(['owner', 'member']);
  });
});

describe('a person without an account', () => {
  test('gets one with a team of its own: the first with plan pro, the others with plan free', async () => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on' });
    const first = await signedIn(ada);
    expect(await me(first)).toMatchObject({ plan: 'pro', signIn: { password: false, oidc: true } });
    expect(await me(await signedIn(bob))).toMatchObject({ plan: 'free' });
    expect(await actionsOf(first)).toEqual([
      expect.stringContaining('account.created'),
      expect.stringContaining('oidc.bound'),
      expect.stringContaining('session.started_oidc'),
    ]);
    expect(await signIn({ sub: 'x', email: 'x@example.com' })).toEqual([403, undefined]);
    expect(await harness.services.account.list()).toHaveLength(2);
  });

  test('joins the team of HOOKTAPE_OIDC_TEAM_OF; while that account is missing nobody is made', async () => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on', HOOKTAPE_OIDC_TEAM_OF: ada.email });
    expect(await signIn(bob)).toEqual([403, undefined]);
    expect(await signIn(ada)).toEqual([403, undefined]);
    expect(await harness.services.account.list()).toEqual([]);
    await harness.createAccount(ada.email);
    const [team] = await harness.services.account.list();
    expect(await signIn(bob)).toEqual([303, bob.email]);
    expect(await harness.services.account.byEmail(bob.email)).toMatchObject({ teamId: team?.teamId, role: 'member' });
  });

  test.each(['on', 'off'])('joins the team that invited the address, with CREATE_ACCOUNTS=%s', async setting => {
    await open({ HOOKTAPE_OIDC_CREATE_ACCOUNTS: setting });
    await harness.createAccount(ada.email);
    const owner = await withPassword(ada.email);
    const { url } = await owner.json<{ url: string }>(201, 'POST', '/api/team/invitations', { email: bob.email });
    expect(await signIn({ ...bob, email_verified: false })).toEqual([403, undefined]);
    const [first, second] = await Promise.all([signIn(bob), signIn(bob)]);
    expect([first, second]).toEqual([
      [303, bob.email],
      [303, bob.email],
    ]);
    const { teamId } = await harness.services.account.byEmail(ada.email);
    expect(await harness.services.account.byEmail(bob.email)).toMatchObject({ teamId, role: 'member' });
    const token = new URL(url).searchParams.get('invitation');
    await harness.visitor().json(404, 'GET', `/api/invitations/${token}`);
    expect(await actionsOf(owner)).toContain('invitation.accepted: bob@example.com joined the team');
  });

  test('an invitation that has expired invites nobody', async () => {
    await open();
    await harness.createAccount(ada.email);
    await (await withPassword(ada.email)).json(201, 'POST', '/api/team/invitations', { email: bob.email });
    harness.clock.advance(72 * 3_600_000);
    expect(await signIn(bob)).toEqual([403, undefined]);
  });
});
