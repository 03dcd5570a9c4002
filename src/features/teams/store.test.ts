/* What only an owner may do, and only in its own team. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createTeamsStore, type TeamsStore } from './store.ts';

let server: TestServer;
let store: TeamsStore;
let ada: TestAccount;
let bob: TestAccount;
let cleo: TestAccount;
const team: Record<string, string> = {};
beforeAll(async () => {
  server = await openTestServer();
  store = createTeamsStore(server.services.database.db);
  ada = await server.createAccount('ada@example.com');
  cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
  bob = await server.createAccount('bob@example.com');
  for (const { email } of [ada, bob]) team[email] = (await server.services.account.byEmail(email)).teamId;
});
afterAll(() => server.close());

const teamOf = ({ email }: TestAccount): string => team[email] ?? '';
const invite = (by: TestAccount, of: TestAccount, email: string, limit = 2) =>
  store.invite(
    {
      hash: Buffer.from(`${of.email} ${email}`),
      id: `inv ${of.email} ${email}`,
      teamId: teamOf(of),
      invitedBy: by.accountId,
      email,
      createdAt: 1,
      expiresAt: 9,
    },
    limit,
  );
const invited = (of: TestAccount, email: string) => store.findInvitation(Buffer.from(`${of.email} ${email}`), 2);

test('only an owner of the team can invite, within its limit, replacing its earlier invitation', async () => {
  expect(await invite(cleo, ada, 'guest@example.com')).toBe(false);
  expect(await invite(bob, ada, 'guest@example.com')).toBe(false);
  for (const by of [ada, bob]) expect(await invite(by, by, 'guest@example.com')).toBe(true);
  expect([await invited(ada, 'guest@example.com'), await invited(bob, 'guest@example.com')]).toEqual([
    { email: 'guest@example.com', teamOf: 'ada@example.com' },
    { email: 'guest@example.com', teamOf: 'bob@example.com' },
  ]);
  expect(await invite(ada, ada, 'second@example.com')).toBe(true);
  expect(await invite(ada, ada, 'third@example.com')).toBe(false);
});

test('accepting an invitation keeps the others', async () => {
  const hash = Buffer.from('ada@example.com guest@example.com');
  expect(await store.accept(hash, 2, { id: 'acc_guest', passwordHash: '', createdAt: 2 })).toBe('joined');
  expect(await invited(ada, 'second@example.com')).toBeDefined();
  expect(await invited(bob, 'guest@example.com')).toBeDefined();
});

test('a link sets only the password of its own account, and only the first one', async () => {
  const link = (hash: string, email: string) =>
    store.insertPasswordLink({
      hash: Buffer.from(hash),
      id: hash,
      teamId: teamOf(bob),
      invitedBy: bob.accountId,
      email,
      createdAt: 1,
      expiresAt: 9,
    });
  await link('invitation', 'another@example.com');
  for (const hash of ['first', 'second', 'late']) await link(hash, bob.email);
  const accept = (hash: string, now = 2) => store.acceptPasswordLink(Buffer.from(hash), now, 'its hash');
  expect(await accept('invitation')).toBeUndefined();
  expect(await accept('late', 9)).toBeUndefined();
  expect(await accept('first')).toBe(bob.accountId);
  expect(await accept('second')).toBeUndefined();
});

test('only an owner of the team can remove its members', async () => {
  expect(await store.removeMember(teamOf(ada), 'acc_guest', cleo.accountId)).toBe(false);
  expect(await store.removeMember(teamOf(ada), 'acc_guest', bob.accountId)).toBe(false);
  expect(await store.removeMember(teamOf(ada), bob.accountId, ada.accountId)).toBe(false);
  expect(await store.removeMember(teamOf(ada), ada.accountId, ada.accountId)).toBe(false);
  expect(await store.removeMember(teamOf(ada), 'acc_guest', ada.accountId)).toBe(true);
  const emails = async (of: TestAccount) => (await store.membersOf(teamOf(of))).map(({ email }) => email);
  expect([await emails(ada), await emails(bob)]).toEqual([
    ['ada@example.com', 'cleo@example.com'],
    ['bob@example.com'],
  ]);
});
