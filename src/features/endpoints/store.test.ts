/* A team's endpoints, and the events that count for each. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Caller, openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createEndpointsStore, type EndpointsStore } from './store.ts';

let house: TestServer;
let store: EndpointsStore;
let ada: Caller;
let bob: Caller;
const teamOf = async ({ email }: Caller) => (await house.services.account.byEmail(email)).teamId;
beforeAll(async () => {
  house = await openTestServer();
  store = createEndpointsStore(house.services.database.db);
  ada = await house.createPerson('ada@example.com');
  bob = await house.createPerson('bob@example.com');
});
afterAll(() => house.close());

test('old events of another endpoint are not taken off the count', async () => {
  const [quiet, busy] = [await ada.createEndpoint('quiet'), await ada.createEndpoint('busy')];
  for (const endpoint of [busy, busy, quiet]) await house.deliver(endpoint);
  const { client } = house.services.database;
  await client.execute(
    "UPDATE events SET received_at = 1 WHERE endpoint = (SELECT seq FROM endpoints WHERE name = 'busy')",
  );
  const counts = (await store.listOf(await teamOf(ada), 2)).map(({ name, eventCount }) => [name, eventCount]);
  expect(counts).toEqual([
    ['quiet', 1],
    ['busy', 0],
  ]);
});

test('deleting all of one team leaves the others’', async () => {
  await bob.createEndpoint('bob’s');
  await store.markAllDeleted(await teamOf(ada), 5);
  const names = async (who: Caller) => (await store.listOf(await teamOf(who), 0)).map(({ name }) => name);
  expect([await names(ada), await names(bob)]).toEqual([[], ['bob’s']]);
});
