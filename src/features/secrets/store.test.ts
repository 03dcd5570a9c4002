/* Secrets of one endpoint. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { endpoints } from '../../db/schema.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createSecretsStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('secrets of another endpoint are not listed, counted, confirmed, replaced or removed', async () => {
  const { db } = server.services.database;
  const store = createSecretsStore(db);
  const owner = await server.services.account.byEmail(ada.email);
  const seqOf = async () => (await server.services.endpoints.owned(owner, (await ada.createEndpoint()).id)).seq;
  const [one, other] = [await seqOf(), await seqOf()];
  const row = (id: string, endpoint: number, confirmed = true) => ({
    id,
    endpoint,
    platform: 'stripe',
    sealed: Buffer.from(''),
    last4: '',
    createdAt: 0,
    confirmed,
    maySign: false,
    destinations: [],
    test: false,
  });
  const unconfirmed = (id: string, endpoint: number) => ({
    endpoint,
    platform: 'stripe',
    rows: [row(id, endpoint, false)],
    kept: 1,
  });
  const idsOf = async (endpoint: number) => (await store.listOf(endpoint)).map(({ id }) => id);
  const openWindow = (endpoint: number) =>
    db.update(endpoints).set({ learnSecretsUntil: 10 }).where(eq(endpoints.seq, endpoint));

  expect(await store.insertWithin(1, row('sec_other', other))).toBe(true);
  expect(await store.insertWithin(1, row('sec_full', other))).toBe(false);
  expect(await store.insertWithin(1, row('sec_first', one))).toBe(true);

  await store.insertUnconfirmed(unconfirmed('sec_waiting', other));
  await store.insertUnconfirmed(unconfirmed('sec_new', one));
  expect([await idsOf(one), await idsOf(other)]).toEqual([
    ['sec_first', 'sec_new'],
    ['sec_other', 'sec_waiting'],
  ]);

  expect(await store.confirm(one, 'sec_waiting', 20)).toBe(false);
  await openWindow(other);
  expect(await store.learnsUntil(one)).toBeNull();
  expect(await store.insertInWindow(row('sec_early', one), 5, 20)).toBe(false);
  await openWindow(one);
  expect(await store.confirmInWindow(one, 'sec_waiting', 5, 20)).toBe(false);
  expect(await store.confirmInWindow(one, 'sec_new', 5, 2)).toBe(true);
  expect([await store.learnsUntil(one), await store.learnsUntil(other)]).toEqual([null, 10]);

  expect(await store.remove(one, 'sec_other')).toBe(false);
  expect(await idsOf(other)).toEqual(['sec_other', 'sec_waiting']);
  expect((await store.all()).map(({ id }) => id)).toEqual(['sec_first', 'sec_new', 'sec_other', 'sec_waiting']);
});
