/* Statements change only the account or team that they are for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sessions } from '../../db/schema.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { type AccountStore, createAccountStore } from './store.ts';

let server: TestServer;
let store: AccountStore;
let ada: TestAccount;
let bob: TestAccount;
let teamOf: (who: TestAccount) => Promise<string>;
beforeAll(async () => {
  server = await openTestServer();
  store = createAccountStore(server.services.database.db);
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
  teamOf = async who => (await store.byId(who.accountId))?.teamId ?? '';
});
afterAll(() => server.close());

const session = (id: string, { accountId }: TestAccount) => ({
  id,
  accountId,
  hash: Buffer.from(id),
  userAgent: '',
  sourceIp: '::1',
  createdAt: 0,
  lastSeenAt: 0,
});

describe('other accounts and teams', () => {
  test('keep their passwords and sessions when one gets a new password', async () => {
    const { db } = server.services.database;
    await db.insert(sessions).values([session('one', ada), session('two', ada), session('three', bob)]);
    await store.setPasswordHash(ada.accountId, 'a hash', 'one');
    expect((await db.select().from(sessions)).map(({ id }) => id).sort()).toEqual(['one', 'three']);
    const hashes = [ada, bob].map(async who => (await store.byId(who.accountId))?.passwordHash);
    expect(await Promise.all(hashes)).toEqual(['a hash', null]);
  });

  test('keep their plan', async () => {
    await store.setPlan(await teamOf(ada), 'free');
    expect([(await store.byId(ada.accountId))?.plan, (await store.byId(bob.accountId))?.plan]).toEqual(['free', 'pro']);
  });

  test('are not listed as members, keep their roles, and stay when a member is deleted', async () => {
    const cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
    const members = async () => (await store.membersOf(await teamOf(ada))).map(({ email, role }) => [email, role]);
    expect(await members()).toEqual([
      ['ada@example.com', 'owner'],
      ['cleo@example.com', 'member'],
    ]);
    await store.setRole(ada.accountId, 'member');
    await store.setRole(cleo.accountId, 'owner');
    expect(await members()).toEqual([
      ['ada@example.com', 'member'],
      ['cleo@example.com', 'owner'],
    ]);
    expect((await store.byId(bob.accountId))?.role).toBe('owner');
    await store.remove(cleo.accountId);
    expect(await members()).toEqual([['ada@example.com', 'member']]);
    expect((await store.byId(bob.accountId))?.email).toBe('bob@example.com');
  });
});
