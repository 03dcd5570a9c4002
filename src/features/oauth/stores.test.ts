/* Statements change only rows of the account, client and session that they are for. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { authzRequests, connectedApps, oauthCodes, oauthGrants } from '../../db/schema-oauth.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createOAuthStores } from './store.ts';

const now = 1000;
const server: TestServer = await openTestServer();
const { db } = server.services.database;
const { requests, codes, grants } = createOAuthStores(db);
const ada: TestAccount = await server.createAccount('ada@example.com');
const bob: TestAccount = await server.createAccount('bob@example.com');
afterAll(() => server.close());

const issuer = 'https://one.test';
const cases: { name: string; who: TestAccount; clientId: string }[] = [
  { name: 'ada', who: ada, clientId: 'client' },
  { name: 'ada other', who: ada, clientId: 'other' },
  { name: 'bob', who: bob, clientId: 'client' },
];
beforeEach(async () => {
  for (const table of [oauthCodes, authzRequests, oauthGrants, connectedApps]) await db.delete(table);
  for (const { name, who, clientId } of cases) {
    const { accountId } = who;
    const common = {
      hash: Buffer.from(name),
      accountId,
      clientId,
      redirectUri: '',
      scope: '',
      resource: '',
      expiresAt: 9999,
    };
    await db.insert(oauthCodes).values(common);
    await db.insert(authzRequests).values({ ...common, sessionId: `ses ${name}`, challenge: '' });
    await db.insert(connectedApps).values({ id: `app ${name}`, accountId, issuer: '', clientId, name, createdAt: 0 });
    await db.insert(oauthGrants).values({
      id: `grt ${name}`,
      appId: `app ${name}`,
      scope: '',
      resource: '',
      redirectHost: '',
      createdAt: 0,
      expiresAt: 9999,
    });
  }
});
const left = async (table: typeof oauthCodes | typeof authzRequests) =>
  (await db.select().from(table)).map(({ hash }) => hash.toString()).sort();
const revoked = async () => (await db.select().from(oauthGrants)).filter(one => one.revokedAt).map(({ id }) => id);

test('a request can be taken only in the session that it was made in', async () => {
  const take = (who: TestAccount, sessionId: string) =>
    requests.take(Buffer.from('ada'), { accountId: who.accountId, sessionId }, now);
  expect(await take(bob, 'ses ada')).toBeUndefined();
  expect(await take(ada, 'ses bob')).toBeUndefined();
  expect((await take(ada, 'ses ada'))?.clientId).toBe('client');
});

test('revoking a grant deletes the codes and requests of its account and client, and no others', async () => {
  await grants.revoke('grt ada', now, 'revoked');
  expect(await revoked()).toEqual(['grt ada']);
  expect([await left(oauthCodes), await left(authzRequests)]).toEqual([
    ['ada other', 'bob'],
    ['ada other', 'bob'],
  ]);
});

test('revoking all grants of an account leaves other accounts alone', async () => {
  await grants.revokeAll(ada.accountId, now, 'signed_out_everywhere');
  expect((await revoked()).sort()).toEqual(['grt ada', 'grt ada other']);
  expect([await left(oauthCodes), await left(authzRequests)]).toEqual([['bob'], ['bob']]);
});

test('redeeming a code creates a grant of the app of its own account and issuer', async () => {
  const { accountId } = ada;
  await db
    .insert(connectedApps)
    .values({ id: 'app external', accountId, issuer, clientId: 'client', name: '', createdAt: 0 });
  const grant = {
    id: 'grt new',
    appId: 'app new',
    appName: 'new',
    maxWrongVerifiers: 5,
    redirectHost: '',
    now,
    expiresAt: 9999,
  };
  expect(await codes.redeem(Buffer.from('ada'), grant)).toBe(true);
  const created = (await db.select().from(oauthGrants)).filter(({ id }) => id === 'grt new');
  expect(created.map(({ appId }) => appId)).toEqual(['app ada']);
});

test('an active grant is found only for its own account, client and issuer', async () => {
  const { accountId } = bob;
  await db
    .insert(connectedApps)
    .values({ id: 'app external', accountId, issuer, clientId: 'external', name: '', createdAt: 0 });
  const [grant] = await db.select().from(oauthGrants);
  if (grant) await db.insert(oauthGrants).values({ ...grant, id: 'grt external', appId: 'app external' });
  const has = (who: TestAccount, clientId: string) => grants.hasActive(who.accountId, clientId, now);
  expect([await has(ada, 'other'), await has(bob, 'client')]).toEqual([true, true]);
  expect([await has(bob, 'other'), await has(ada, 'unknown'), await has(bob, 'external')]).toEqual([
    false,
    false,
    false,
  ]);
});
