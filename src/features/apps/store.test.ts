/* Tokens authenticate only their own account and app, and statements change only rows of the account that they are for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { authzRequests, connectedApps, oauthCodes, oauthGrants } from '../../db/schema-oauth.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { type AppsStore, createAppsStore, createSubjectsStore, type SubjectsStore } from './store.ts';

const now = 1000;
const issuers = ['https://one.test', 'https://two.test'] as const;
let server: TestServer;
let store: AppsStore;
let subjects: SubjectsStore;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  const { db } = server.services.database;
  store = createAppsStore(db);
  subjects = createSubjectsStore(db);
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
  const app = (id: string, { accountId }: TestAccount, issuer: string, clientId: string) => ({
    id,
    accountId,
    issuer,
    clientId,
    name: id,
    createdAt: 0,
  });
  await db
    .insert(connectedApps)
    .values([
      app('app_ada', ada, '', 'client'),
      app('app_bob', bob, '', 'client'),
      app('app_ada_one', ada, issuers[0], 'cli'),
      app('app_ada_two', ada, issuers[1], 'cli'),
      app('app_ada_other', ada, issuers[0], 'other'),
      app('app_bob_one', bob, issuers[0], 'cli'),
    ]);
  const grant = {
    scope: 'webhooks',
    resource: 'https://hooks.test',
    redirectHost: 'c.test',
    createdAt: 0,
    expiresAt: 9999,
  };
  await db.insert(oauthGrants).values([
    { ...grant, id: 'grt_ada', appId: 'app_ada' },
    { ...grant, id: 'grt_bob', appId: 'app_bob' },
  ]);
  for (const [index, issuer] of issuers.entries())
    for (const [subject, who] of Object.entries(index === 0 ? { a: ada, b: bob } : { a: bob, b: ada }))
      await subjects.linkSubject({ issuer, subject, accountId: who.accountId, createdAt: 0 });
});
afterAll(() => server.close());

describe('a token of this server', () => {
  test('is valid only when its grant, account and client belong together', async () => {
    const claims = { grantId: 'grt_ada', accountId: ada.accountId, clientId: 'client' };
    const find = async (over: Partial<typeof claims>) =>
      (await subjects.findByGrant({ ...claims, ...over }, now))?.appId;
    expect(await find({})).toBe('app_ada');
    expect(await find({ accountId: bob.accountId })).toBeUndefined();
    expect(await find({ clientId: 'other' })).toBeUndefined();
    expect(await find({ grantId: 'grt_bob' })).toBeUndefined();
  });
});

describe('a token of an external issuer', () => {
  test('finds only the account of its subject and the app of its client', async () => {
    const find = async (issuer: string, subject: string, clientId: string) => {
      const found = await subjects.findByExternalSubject(issuer, subject, clientId);
      return [found?.email, found?.appId];
    };
    expect(await find(issuers[0], 'a', 'cli')).toEqual(['ada@example.com', 'app_ada_one']);
    expect(await find(issuers[0], 'a', 'other')).toEqual(['ada@example.com', 'app_ada_other']);
    expect(await find(issuers[0], 'b', 'cli')).toEqual(['bob@example.com', 'app_bob_one']);
    expect(await find(issuers[1], 'b', 'cli')).toEqual(['ada@example.com', 'app_ada_two']);
    // Bob has no app of the second issuer, and none for this client of the first one.
    expect(await find(issuers[1], 'a', 'cli')).toEqual(['bob@example.com', null]);
    expect(await find(issuers[0], 'b', 'other')).toEqual(['bob@example.com', null]);
  });
});

test('the list has only the apps of the account, of this server and of external issuers', async () => {
  const ids = async ({ accountId }: TestAccount) => (await store.listOf(accountId, now)).map(({ id }) => id);
  expect(await ids(ada)).toEqual(['app_ada', 'app_ada_one', 'app_ada_other', 'app_ada_two']);
  expect(await ids(bob)).toEqual(['app_bob', 'app_bob_one']);
});

test('removing an app deletes its account’s codes and requests for its client, and no others', async () => {
  const { db } = server.services.database;
  const cases: [string, TestAccount, string][] = [
    ['own', ada, 'client'],
    ['another client’s', ada, 'elsewhere'],
    ['another account’s', bob, 'client'],
  ];
  for (const [name, { accountId }, clientId] of cases) {
    const common = {
      hash: Buffer.from(name),
      accountId,
      clientId,
      redirectUri: '',
      scope: '',
      resource: '',
      expiresAt: 0,
    };
    await db.insert(oauthCodes).values(common);
    await db.insert(authzRequests).values({ ...common, sessionId: '', challenge: '' });
  }
  const left = async (table: typeof oauthCodes | typeof authzRequests) =>
    (await db.select().from(table)).map(({ hash }) => hash.toString()).sort();
  expect(await store.remove(bob.accountId, 'app_ada', now)).toBe(false);
  expect(await left(oauthCodes)).toHaveLength(3);
  expect(await store.remove(ada.accountId, 'app_ada', now)).toBe(true);
  const others = ['another account’s', 'another client’s'];
  expect([await left(oauthCodes), await left(authzRequests)]).toEqual([others, others]);
});

test('another account’s app cannot be removed', async () => {
  expect(await store.remove(ada.accountId, 'app_bob', now)).toBe(false);
  expect(await store.remove(bob.accountId, 'app_ada_one', now)).toBe(false);
  expect(await store.remove(ada.accountId, 'app_ada_one', now)).toBe(true);
  expect((await store.listOf(bob.accountId, now)).map(({ id }) => id)).toEqual(['app_bob', 'app_bob_one']);
});
