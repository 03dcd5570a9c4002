/* Each statement touches the account, the client and the session that it names, and nobody else's. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { authzRequests, connectedApps, oauthCodes, oauthGrants } from '../../db/schema-oauth.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createTokensStore, type TokensStore } from './store.tokens.ts';

const now = 1000;
const server: TestServer = await openTestServer();
const { db, client } = server.services.database;
const store: TokensStore = createTokensStore(db, client);
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

test('a request is taken only by the account and the session that it was made for', async () => {
  const take = (who: TestAccount, sessionId: string) =>
    store.takeRequest(Buffer.from('ada'), { accountId: who.accountId, sessionId }, now);
  expect(await take(bob, 'ses ada')).toBeUndefined();
  expect(await take(ada, 'ses bob')).toBeUndefined();
  expect((await take(ada, 'ses ada'))?.clientId).toBe('client');
});

test('a grant that is revoked takes the codes and requests of its account and client along, and no others', async () => {
  await store.revokeGrant('grt ada', now, 'revoked');
  expect(await revoked()).toEqual(['grt ada']);
  expect([await left(oauthCodes), await left(authzRequests)]).toEqual([
    ['ada other', 'bob'],
    ['ada other', 'bob'],
  ]);
});

test('revoking all of an account leaves the others alone', async () => {
  await store.revokeGrantsOf(ada.accountId, now, 'signed_out_everywhere');
  expect((await revoked()).sort()).toEqual(['grt ada', 'grt ada other']);
  expect([await left(oauthCodes), await left(authzRequests)]).toEqual([['bob'], ['bob']]);
});

test('a code becomes a grant of its own account’s app of this server', async () => {
  const { accountId } = ada;
  await db
    .insert(connectedApps)
    .values({ id: 'app foreign', accountId, issuer, clientId: 'client', name: '', createdAt: 0 });
  const grant = {
    id: 'grt new',
    appId: 'app new',
    appName: 'new',
    maxCodeFails: 5,
    redirectHost: '',
    now,
    expiresAt: 9999,
  };
  expect(await store.redeemCode(Buffer.from('ada'), grant)).toBe(true);
  const made = (await db.select().from(oauthGrants)).filter(({ id }) => id === 'grt new');
  expect(made.map(({ appId }) => appId)).toEqual(['app ada']);
});

test('whether a client is connected is asked for one account, one client and this server', async () => {
  const { accountId } = bob;
  await db
    .insert(connectedApps)
    .values({ id: 'app foreign', accountId, issuer, clientId: 'abroad', name: '', createdAt: 0 });
  const [grant] = await db.select().from(oauthGrants);
  if (grant) await db.insert(oauthGrants).values({ ...grant, id: 'grt foreign', appId: 'app foreign' });
  const ask = (who: TestAccount, clientId: string) => store.isConnected(who.accountId, clientId, now);
  expect([await ask(ada, 'other'), await ask(bob, 'client')]).toEqual([true, true]);
  expect([await ask(bob, 'other'), await ask(ada, 'unknown'), await ask(bob, 'abroad')]).toEqual([false, false, false]);
});
