/* A search reads only its own endpoint. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { ListRest } from './rows-store.ts';
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
  const store = createSearchStore(scanClient, async () => new Map());
  const [one, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
  const seqs: number[] = [];
  for (const endpoint of [one, other, one]) {
    seqs.push(parseEventId(await server.deliver(endpoint))?.seq ?? 0);
    // The next event gets its own block.
    await client.execute('SELECT count(*) FROM events');
  }
  const { seq: endpoint } = await server.services.endpoints.owned(
    await server.services.account.byEmail(ada.email),
    one.id,
  );
  const own = [seqs[2] ?? 0, seqs[0] ?? 0];
  const rest: ListRest = { endpoint, since: 0, after: undefined };
  const order = (found: Iterable<{ seq: number }>) => [...found].map(({ seq }) => seq).sort((a, b) => b - a);
  expect(order((await store.events(rest, seqs)).values())).toEqual(own);
  const { page } = await store.opening(rest, [], 10);
  expect(order(page.candidates.map(({ first }) => first))).toEqual(own);
  const next = await store.nextSignatures(rest, [], { receivedAt: Number.MAX_SAFE_INTEGER, seq: 1 }, 10);
  expect(order(next.page.candidates.map(({ first }) => first))).toEqual(own);
  await storeAsRows(client, seqs);
  expect(order(await store.positions(rest, { after: 0, upTo: 99, newest: Number.MAX_SAFE_INTEGER - 1 }, 10))).toEqual(
    own,
  );
  const bodies: { seq: number }[] = [];
  await store.bodies(
    { endpoint: 1, seqs, plan: undefined, read: backgroundRead },
    async event => void bodies.push(event),
  );
  expect(order(bodies)).toEqual(own);
});
