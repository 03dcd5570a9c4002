/* Statements change only sessions of the account that they are for. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { accounts } from '../../db/schema.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createSessionsStore, type SessionsStore } from './store.ts';

const everything = { lastSeenAfter: 0, createdAfter: 0 };
let server: TestServer;
let store: SessionsStore;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  store = createSessionsStore(server.services.database.db);
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
  const { db } = server.services.database;
  for (const [hash, who] of Object.entries({ 'ada’s hash': ada, 'bob’s hash': bob }))
    await db.update(accounts).set({ passwordHash: hash }).where(eq(accounts.id, who.accountId));
});
afterAll(() => server.close());

const insert = (id: string, { accountId }: TestAccount, passwordHash: string, replaces = '') =>
  store.insert(
    { id, accountId, hash: Buffer.from(id), userAgent: '', sourceIp: '', createdAt: 1, lastSeenAt: 1 },
    { way: 'password', passwordHash },
    replaces,
    everything,
  );
const idsOf = async ({ accountId }: TestAccount) =>
  (await store.listOf(accountId, everything)).map(({ id }) => id).sort();

test('a session is created only with the account’s current password, and replaces one session', async () => {
  expect(await insert('none', ada, 'bob’s hash')).toBe(false);
  for (const id of ['one', 'two']) expect(await insert(id, ada, 'ada’s hash')).toBe(true);
  expect(await insert('three', bob, 'bob’s hash')).toBe(true);
  expect(await insert('four', ada, 'ada’s hash', 'one')).toBe(true);
  expect([await idsOf(ada), await idsOf(bob)]).toEqual([['four', 'two'], ['three']]);
});

test('another account’s session can be neither removed nor renewed', async () => {
  expect(await store.remove(bob.accountId, 'two')).toBeUndefined();
  expect(await store.rotate(bob.accountId, 'two', Buffer.from('stolen'))).toBe(false);
  expect(await store.findByHash(Buffer.from('stolen'), everything)).toBeUndefined();
  expect(await store.rotate(ada.accountId, 'two', Buffer.from('rotated'))).toBe(true);
  const found = await Promise.all(['rotated', 'four'].map(hash => store.findByHash(Buffer.from(hash), everything)));
  expect(found.map(session => session?.sessionId)).toEqual(['two', 'four']);
  expect(await store.remove(ada.accountId, 'two')).toEqual({ idToken: null });
  expect(await idsOf(ada)).toEqual(['four']);
});
