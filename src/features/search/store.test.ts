/* A search reads only its own endpoint. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parseEventId } from '../../core/ids.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createSearchStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('no query returns events of another endpoint', async () => {
  const { client, scanClient } = server.services.database;
  const store = createSearchStore(client, scanClient);
  const [one, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
  const seqs: number[] = [];
  for (const endpoint of [one, other, one]) seqs.push(parseEventId(await server.deliver(endpoint))?.seq ?? 0);
  const { seq: endpoint } = await server.services.endpoints.owned(
    await server.services.account.byEmail(ada.email),
    one.id,
  );
  const own = [seqs[2] ?? 0, seqs[0] ?? 0];
  const order = (positions: { seq: number }[]) => positions.map(({ seq }) => seq).sort((a, b) => b - a);
  expect(order(await store.positions(endpoint, 0, seqs))).toEqual(own);
  expect(order(await store.nextPositions(endpoint, 0, undefined, 10))).toEqual(own);
  const { page } = await store.opening('"abc"', 10, { endpoint, since: 0, after: undefined }, 10);
  expect(order(page)).toEqual(own);
});
