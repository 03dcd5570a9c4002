import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

describe('GET /api/endpoints/{id}/activity', () => {
  test('counts the events of each of the last 24 hours, the current hour last', async () => {
    const endpoint = await ada.createEndpoint();
    const hour = 3_600_000;
    const now = Date.now();
    const { seq, token } = await server.services.endpoints.owned(
      await server.services.account.byEmail(ada.email),
      endpoint.id,
    );
    const delivery = {
      method: 'POST',
      path: '',
      query: null,
      fields: new Uint8Array(0),
      body: new Uint8Array(),
      sourceIp: '::1',
    };
    const start = Math.floor(now / hour) * hour;
    for (const receivedAt of [now, now, start - 1, start - 23 * hour, start - 23 * hour - 1, start + hour])
      await server.services.capture.record({ seq, token }, { ...delivery, receivedAt });
    const activity = await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}/activity`);
    const counts = new Array<number>(24).fill(0);
    [counts[0], counts[22], counts[23]] = [1, 1, 2];
    expect(activity).toEqual({ since: start - 23 * hour, bucketMs: hour, counts });
  });

  test('404 for an endpoint of another team', async () => {
    await ada.json(404, 'GET', `/api/endpoints/${(await bob.createEndpoint()).id}/activity`);
  });

  test('is answered from the index alone', async () => {
    const plan = await server.services.database.scanClient.execute(
      'EXPLAIN QUERY PLAN SELECT CAST((received_at - 1.0) / 2.0 AS INTEGER), count(*) FROM events WHERE endpoint = 1 AND received_at >= 1 AND received_at < 9 GROUP BY 1',
    );
    expect(JSON.stringify(plan.rows)).toContain('COVERING INDEX events_by_time');
  });
});
