/* Secrets of one endpoint. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Caller, type House, openHouse } from '../../testing/house.ts';
import { createSecretsStore } from './store.ts';

let house: House;
let ada: Caller;
beforeAll(async () => {
  house = await openHouse();
  ada = await house.person();
});
afterAll(() => house.close());

test('another endpoint’s secrets are not listed, counted, taken for a first one, or removed', async () => {
  const store = createSecretsStore(house.services.database.db);
  const owner = await house.services.account.byEmail(ada.email);
  const seqOf = async () => (await house.services.endpoints.owned(owner, (await ada.createEndpoint()).id)).seq;
  const [one, other] = [await seqOf(), await seqOf()];
  const row = (id: string, endpoint: number) => ({
    id,
    endpoint,
    platform: 'stripe',
    sealed: Buffer.from(''),
    last4: '',
    createdAt: 0,
  });
  expect(await store.insertWithin(1, row('sec_other', other))).toBe(true);
  expect(await store.insertWithin(1, row('sec_full', other))).toBe(false);
  expect(await store.insertFirst(row('sec_second', other))).toBe(false);
  expect(await store.insertFirst(row('sec_first', one))).toBe(true);
  expect(await store.insertWithin(2, row('sec_next', one))).toBe(true);
  const idsOf = async (endpoint: number) => (await store.listOf(endpoint)).map(({ id }) => id);
  expect([await idsOf(one), await idsOf(other)]).toEqual([['sec_first', 'sec_next'], ['sec_other']]);
  expect(await store.remove(one, 'sec_other')).toBe(false);
  expect(await idsOf(other)).toEqual(['sec_other']);
  expect((await store.all()).map(({ id }) => id)).toEqual(['sec_first', 'sec_next', 'sec_other']);
});
