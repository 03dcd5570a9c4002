/* Events of another team or endpoint are not visible. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import { parseEventId } from '../../core/ids/ids.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createEventsStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' } });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

test.each(['', '/raw'])('GET /api/events/{id}%s of another team is answered like a missing event', async suffix => {
  const id = await server.deliver(await bob.createEndpoint());
  const foreign = await ada.call('GET', `/api/events/${id}${suffix}`);
  const missing = await ada.call('GET', `/api/events/${id.slice(0, -2)}00${suffix}`);
  expect([foreign.status, await foreign.text()]).toEqual([missing.status, await missing.text()]);
  expect(foreign.status).toBe(404);
  expect((await bob.call('GET', `/api/events/${id}${suffix}`)).status).toBe(200);
});

test('GET /api/events of another team’s endpoint is 404', async () => {
  await ada.json(404, 'GET', `/api/events?endpointId=${(await bob.createEndpoint()).id}`);
});

test('an event lists its own replays and no others', async () => {
  const endpoint = await ada.createEndpoint();
  const [first, second] = [await server.deliver(endpoint), await server.deliver(endpoint)];
  const url = `${await server.listen()}${new URL(endpoint.url).pathname}`;
  await ada.json(200, 'POST', `/api/events/${first}/replay`, { url });
  const replaysOf = async (id: string) =>
    (await ada.json<{ replays: object[] }>(200, 'GET', `/api/events/${id}`)).replays;
  expect([await replaysOf(first), await replaysOf(second)]).toEqual([[expect.any(Object)], []]);
});

describe('events by row number', () => {
  test('are only those of the given endpoint', async () => {
    const store = createEventsStore(server.services.database.db, server.services.database.scanDb);
    const [one, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const seqs: number[] = [];
    for (const endpoint of [one, other, one]) seqs.push(parseEventId(await server.deliver(endpoint))?.seq ?? 0);
    const { seq } = await server.services.endpoints.owned(await server.services.account.byEmail(ada.email), one.id);
    const [from = 0, , upTo = 0] = seqs;
    for (const found of [
      await store.rows(seq, 0, { seqs }, 10),
      await store.rows(seq, 0, { after: from - 1, upTo }, 10),
      await store.rowsWithContent(
        seq,
        0,
        seqs.map(one => ({ seq: one, size: 2 })),
        backgroundRead,
      ),
    ])
      expect(found.map(row => row.seq)).toEqual([from, upTo]);
  });
});
