import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { systemClock } from '../../core/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createEventsService } from './service.ts';
import { createEventsStore, type SummaryRow } from './store.ts';

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
});
afterAll(() => server.close());

test('few large bodies of a page are held at a time to verify their signatures', async () => {
  const endpoint = await ada.createEndpoint();
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
  // Compressed they are next to nothing, so that only the size of the body tells.
  const bodies = [5, 3, 3, 1, 1, 1, 1].map((mega, i) => `{"n":${i},"x":"${' '.repeat(mega << 20)}"}`);
  for (const [i, body] of bodies.entries()) {
    const secret = i % 2 === 0 ? 'sesame' : 'another';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': signature };
    await server.deliver(endpoint, body, { headers });
  }

  const { events, database, endpoints, verdicts, search, createSlices, memoryReservations } = server.services;
  const store = createEventsStore(database.db);
  const held: SummaryRow[][] = [];
  const service = createEventsService({
    store: {
      ...store,
      rowsWithContent: async (...which) => {
        const rows = await store.rowsWithContent(...which);
        held.push(rows);
        return rows;
      },
    },
    clock: systemClock,
    endpoint: endpoints.owned,
    verdicts,
    search,
    createSlices,
    memoryReservations,
    retentionMs: { free: 0, pro: 0 },
  });
  const account = (await server.services.account.list()).find(({ id }) => id === ada.accountId);
  const reader = { teamId: account?.teamId ?? '', plan: 'pro' as const };
  const expected = bodies.map((_, i) => i % 2 === 0).reverse();
  const page = await service.list(reader, { endpointId: endpoint.id });
  expect(page.events.map(({ signatureValid }) => signatureValid)).toEqual(expected);
  const found = await service.list(reader, { endpointId: endpoint.id, q: '"x"' });
  expect(found.events.map(({ signatureValid }) => signatureValid)).toEqual(expected);

  expect(held.flat()).toHaveLength(2 * bodies.length);
  for (const rows of held)
    expect(rows.length === 1 || rows.reduce((sum, { size }) => sum + size, 0) <= 4 << 20).toBe(true);
  expect(await events.newest()).toBe(bodies.length);
});
