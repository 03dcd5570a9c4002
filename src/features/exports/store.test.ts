/* An export reads only its own endpoint. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parseEventId } from '../../core/ids/ids.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createExportsStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('keys and rows of other endpoints are left out, and a deleted endpoint is not live', async () => {
  const store = createExportsStore(server.services.database.scanClient);
  const [one, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
  const seqs: number[] = [];
  for (const endpoint of [one, other, one]) seqs.push(parseEventId(await server.deliver(endpoint))?.seq ?? 0);
  const { seq } = await server.services.endpoints.owned(await server.services.account.byEmail(ada.email), one.id);
  const start = { receivedAt: 0, seq: 0 };
  const extent = { endpoint: seq, since: 0, newest: await store.newest() };
  const end = { receivedAt: Number.MAX_SAFE_INTEGER, seq: extent.newest };
  expect((await store.keys(extent, start, 10)).map(key => key.seq)).toEqual([seqs[0] ?? 0, seqs[2] ?? 0]);
  expect((await store.page(extent, start, end))?.map(row => row.seq)).toEqual([seqs[0] ?? 0, seqs[2] ?? 0]);
  expect((await store.chosen(extent, seqs.slice(1)))?.map(row => row.seq)).toEqual([seqs[2] ?? 0]);
  await ada.json(200, 'DELETE', `/api/endpoints/${one.id}`);
  expect(await store.isLive(seq)).toBe(false);
  expect(await store.page(extent, start, end)).toBeUndefined();
  expect(await store.chosen(extent, seqs)).toBeUndefined();
});
