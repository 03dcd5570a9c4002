/* A team's endpoints, and the events that count for each. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createEndpointsStore, type EndpointsStore } from './store.ts';

let server: TestServer;
let store: EndpointsStore;
let ada: TestAccount;
let bob: TestAccount;
const teamOf = async ({ email }: TestAccount) => (await server.services.account.byEmail(email)).teamId;
beforeAll(async () => {
  server = await openTestServer();
  store = createEndpointsStore(server.services.database.db, server.services.database.scanDb);
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

test('expired events of another endpoint do not lower the count', async () => {
  const [quiet, busy] = [await ada.createEndpoint('quiet'), await ada.createEndpoint('busy')];
  for (const endpoint of [busy, busy, quiet]) await server.deliver(endpoint);
  const { client } = server.services.database;
  await client.execute(
    "UPDATE events SET received_at = 1 WHERE endpoint = (SELECT seq FROM endpoints WHERE name = 'busy')",
  );
  const counts = (await store.listOf(await teamOf(ada), { planCutoff: 2, now: 2 })).map(({ name, eventCount }) => [
    name,
    eventCount,
  ]);
  expect(counts).toEqual([
    ['quiet', 1],
    ['busy', 0],
  ]);
});

test('deleting all endpoints of a team keeps those of other teams', async () => {
  await bob.createEndpoint('bob’s');
  await store.markAllDeleted(await teamOf(ada), 5);
  const names = async (who: TestAccount) =>
    (await store.listOf(await teamOf(who), { planCutoff: 0, now: 0 })).map(({ name }) => name);
  expect([await names(ada), await names(bob)]).toEqual([[], ['bob’s']]);
});
