/* Sequences of rules on a libSQL server that two processes share: both count the same steps, each step once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../test-server.ts';
import { type LibsqlServer, noLibsqlServer, startLibsqlServer } from './libsql-server.ts';

const secret = 'the same secret for every process of an installation';

describe.skipIf(noLibsqlServer !== undefined)('answers on a libSQL server', () => {
  let libsql: LibsqlServer;
  let one: TestServer;
  let two: TestServer;
  const open = () => openTestServer({ env: { HOOKTAPE_DATABASE_URL: libsql.url, HOOKTAPE_SECRET: secret } });
  beforeAll(async () => {
    libsql = await startLibsqlServer();
    one = await open();
    two = await open();
  });
  afterAll(async () => {
    await one?.close();
    await two?.close();
    await libsql?.remove();
  });

  test('two processes that answer at the same time make each step once', async () => {
    const owner = await one.createAccount('answers@example.com');
    const { id, url } = await owner.createEndpoint();
    await owner.json(200, 'PUT', `/api/endpoints/${id}/answers`, {
      rules: [
        { name: 'first', first: 40, answer: { status: 500 } },
        { name: 'each', every: 2, answer: { status: 503 } },
      ],
    });
    const path = new URL(url).pathname;
    const origins = await Promise.all([one.listen(), two.listen()]);
    const send = async (n: number): Promise<number> =>
      (await fetch(`${origins[n % 2]}${path}`, { method: 'POST', body: `{"n":${n}}` })).status;
    // The other process hears of a new endpoint and its rules within a second, unless it asks.
    await two.services.registry.refresh();
    expect(await send(1)).toBe(500);
    const statuses = await Promise.all(Array.from({ length: 99 }, (_, n) => send(n)));
    const count = (status: number) => statuses.filter(one => one === status).length;
    expect([count(500), count(503), count(200)]).toEqual([39, 30, 30]);
    const { events } = await owner.json<{ events: { answered: { status: number } }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${id}&limit=100`,
    );
    expect(events.filter(({ answered }) => answered.status === 500)).toHaveLength(40);
  });
});
