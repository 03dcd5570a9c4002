import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { systemClock } from '../../core/clock.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createAttemptsStore } from './attempts-store.ts';
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

  const { events, database, endpoints, verdicts, search, createSlices, contentReads } = server.services;
  const store = createEventsStore(database.db, database.scanDb);
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
    attemptsStore: createAttemptsStore(database.db),
    findWay: async () => [],
    clock: systemClock,
    endpoint: endpoints.owned,
    verdicts,
    search,
    createSlices,
    contentReads,
    retentionMs: { free: 0, pro: 0 },
  });
  const account = (await server.services.account.list()).find(({ id }) => id === ada.accountId);
  const reader = { accountId: ada.accountId, teamId: account?.teamId ?? '', plan: 'pro' as const };
  const expected = bodies.map((_, i) => i % 2 === 0).reverse();
  const page = await service.list(reader, { endpointId: endpoint.id });
  expect(page.events.map(({ signatureValid }) => signatureValid)).toEqual(expected);
  // A search reads for a quarter of a second, which on a busy machine is several pages.
  const found: (boolean | null)[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const next = await service.list(reader, { endpointId: endpoint.id, q: '"x"', ...(cursor && { cursor }) });
    found.push(...next.events.map(({ signatureValid }) => signatureValid));
    cursor = next.nextCursor;
  }
  expect(found).toEqual(expected);

  expect(held.flat()).toHaveLength(2 * bodies.length);
  for (const rows of held)
    expect(rows.length === 1 || rows.reduce((sum, { size }) => sum + size, 0) <= 4 << 20).toBe(true);
  expect(await events.newest()).toBe(bodies.length);
});

describe('the verdict in lists', () => {
  const large = JSON.stringify({ text: 'x'.repeat(100_000) });
  const signed = { headers: { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } };
  const verdictsOf = async (endpoint: { id: string }) =>
    (await ada.json<{ events: { verdict: string | null }[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`))
      .events;
  const deliverAll = async (endpoint: { url: string }) => {
    await server.deliver(endpoint, '{}');
    await server.deliver(endpoint, '{}', signed);
    await server.deliver(endpoint, large);
  };
  /** All events of the endpoint, as 1.0 stored them. The large one has a block of its own and stays there. */
  const asRowsOfOlderRelease = async (endpoint: { id: string }) => {
    const { client } = server.services.database;
    const { rows } = await client.execute({
      sql: 'SELECT seq FROM events WHERE size < 65536 AND endpoint = (SELECT seq FROM endpoints WHERE id = ?)',
      args: [endpoint.id],
    });
    await storeAsRows(
      client,
      rows.map(row => Number(row[0])),
    );
  };

  test('of events that an upgrade has not packed yet is that of packed events', async () => {
    const endpoint = await ada.createEndpoint();
    await deliverAll(endpoint);
    const packed = await verdictsOf(endpoint);
    expect(packed.map(({ verdict }) => verdict)).toEqual([null, 'unchecked', 'none']);
    await asRowsOfOlderRelease(endpoint);
    expect(await verdictsOf(endpoint)).toMatchObject(packed.map(({ verdict }) => ({ verdict })));
  });

  test('is none for every unsigned event, however large, when the endpoint has a secret', async () => {
    const endpoint = await ada.createEndpoint();
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
    await deliverAll(endpoint);
    const expected = ['none', 'invalid', 'none'];
    expect((await verdictsOf(endpoint)).map(({ verdict }) => verdict)).toEqual(expected);
    await asRowsOfOlderRelease(endpoint);
    expect((await verdictsOf(endpoint)).map(({ verdict }) => verdict)).toEqual(expected);
  });

  test('is not known for a damaged event of an earlier release', async () => {
    const endpoint = await ada.createEndpoint();
    await deliverAll(endpoint);
    await asRowsOfOlderRelease(endpoint);
    await server.services.database.client.execute({
      sql: "UPDATE events SET sha256 = x'00' WHERE block IS NULL AND endpoint = (SELECT seq FROM endpoints WHERE id = ?)",
      args: [endpoint.id],
    });
    expect((await verdictsOf(endpoint)).map(({ verdict }) => verdict)).toEqual([null, null, null]);
  });
});
