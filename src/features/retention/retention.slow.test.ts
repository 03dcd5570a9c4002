import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { recordMany, rowsOf } from '../../testing/events.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const hour = 3_600_000;
const day = 24 * hour;
let clock: HeldClock;
let server: TestServer;

beforeEach(async () => {
  clock = holdClock();
  server = await openTestServer({
    clock,
    env: { HOOKTAPE_FREE_RETENTION: '7d', HOOKTAPE_PRO_RETENTION: '90d', HOOKTAPE_FREE_ENDPOINTS: '0' },
  });
});
afterEach(() => server.close());

const sweep = async (): Promise<void> => {
  server.services.retention.wake();
  await server.services.background.idle();
};

type Page = { events: { id: string }[] };
const listed = async (caller: TestAccount, endpointId: string): Promise<string[]> =>
  (await caller.json<Page>(200, 'GET', `/api/events?endpointId=${endpointId}&limit=100`)).events.map(({ id }) => id);
const counters = async (caller: TestAccount, endpointId: string): Promise<unknown[]> => {
  const one = await caller.json(200, 'GET', `/api/endpoints/${endpointId}`);
  const { endpoints } = await caller.json<{ endpoints: Record<string, unknown>[] }>(200, 'GET', '/api/endpoints');
  expect(endpoints.find(({ id }) => id === endpointId)).toEqual(one);
  return [one['eventCount'], one['lastReceivedAt']];
};
const stored = async (): Promise<number> => Number((await rowsOf(server, 'SELECT count(*) FROM events'))[0]?.[0]);

describe('an event past its window', () => {
  test('disappears from list, detail, raw body and counters at that moment, before any sweep', async () => {
    const caller = await server.createAccount('free@example.com', { plan: 'free' });
    const { id: other } = await caller.createEndpoint('other');
    const { id } = await caller.createEndpoint();
    const at = clock.now();
    // Events of another endpoint, and old ones, so that row numbers and counts differ.
    await recordMany(server, other, 3, { receivedAt: at - day });
    await recordMany(server, id, 4, { receivedAt: at - 8 * day });
    const [old = '', young = ''] = await recordMany(server, id, 2, { receivedAt: n => at + n });
    expect(await counters(caller, id)).toEqual([2, at + 1]);
    clock.advance(7 * day);
    expect(await listed(caller, id)).toEqual([young, old]);
    expect(await counters(caller, id)).toEqual([2, at + 1]);

    clock.advance(1);
    expect(await listed(caller, id)).toEqual([young]);
    expect(await counters(caller, id)).toEqual([1, at + 1]);
    for (const path of [`/api/events/${old}`, `/api/events/${old}/raw`])
      expect((await caller.call('GET', path)).status).toBe(404);

    clock.advance(1);
    expect(await listed(caller, id)).toEqual([]);
    expect(await counters(caller, id)).toEqual([0, null]);
    expect(await stored()).toBe(9);
  });

  test('is removed by the sweep with its replays, by the window of its team’s plan', async () => {
    const free = await server.createAccount('free@example.com', { plan: 'free' });
    const pro = await server.createAccount('pro@example.com', { plan: 'pro' });
    const at = clock.now();
    const endpoints = [await free.createEndpoint(), await free.createEndpoint('second'), await pro.createEndpoint()];
    for (const { id } of endpoints) await recordMany(server, id, 10, { receivedAt: n => at + n * day });
    await server.services.database.client.execute(
      `INSERT INTO replays (event, destination, ok, duration_ms, created_at)
       SELECT seq, 'http://example.com/', 1, 1, 1 FROM events`,
    );
    clock.advance(12 * day);
    await sweep();

    // Events of day 0 to 4 are older than seven days; the one of day 5 is exactly seven days old.
    expect(await rowsOf(server, 'SELECT endpoint, count(*), min(received_at) FROM events GROUP BY endpoint')).toEqual([
      [1, 5, at + 5 * day],
      [2, 5, at + 5 * day],
      [3, 10, at],
    ]);
    expect(await rowsOf(server, 'SELECT event_count, last_received_at FROM endpoints')).toEqual([
      [5, at + 9 * day],
      [5, at + 9 * day],
      [10, at + 9 * day],
    ]);
    expect(await rowsOf(server, 'SELECT count(*) FROM replays WHERE event NOT IN (SELECT seq FROM events)')).toEqual([
      [0],
    ]);
    expect(await rowsOf(server, 'SELECT count(*) FROM replays')).toEqual([[20]]);

    clock.advance(188 * day);
    await sweep();
    expect(await stored()).toBe(0);
    expect(await rowsOf(server, 'SELECT event_count, last_received_at FROM endpoints')).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
  });

  test('is kept for ever when the window is 0', async () => {
    await server.close();
    server = await openTestServer({ clock, env: { HOOKTAPE_PRO_RETENTION: '0' } });
    const caller = await server.createAccount();
    const { id } = await caller.createEndpoint();
    const events = await recordMany(server, id, 1, { receivedAt: 0 });
    clock.advance(10_000 * day);
    await sweep();
    expect(await listed(caller, id)).toEqual(events);
  });
});

test('a plan change applies at once: a shorter window hides events, and a longer one shows events that have not been swept yet', async () => {
  const caller = await server.createAccount('owner@example.com', { plan: 'pro' });
  const { id } = await caller.createEndpoint();
  const at = clock.now();
  const events = await recordMany(server, id, 2, { receivedAt: n => at + n * 10 * day });
  clock.setNow(at + 11 * day);
  // Without the sweeper, the old event still exists when the plan changes back.
  await server.services.background.stop();
  expect(await listed(caller, id)).toEqual(events.toReversed());

  await server.services.account.setPlan('owner@example.com', 'free');
  expect(await listed(caller, id)).toEqual(events.slice(1));
  expect(await counters(caller, id)).toEqual([1, at + 10 * day]);
  await server.services.account.setPlan('owner@example.com', 'pro');
  expect(await listed(caller, id)).toEqual(events.toReversed());
  expect(await counters(caller, id)).toEqual([2, at + 10 * day]);
});

test('a plan change wakes the sweeper', async () => {
  const caller = await server.createAccount('owner@example.com', { plan: 'pro' });
  const { id } = await caller.createEndpoint();
  await recordMany(server, id, 3, { receivedAt: clock.now() - 8 * day });
  await server.services.account.setPlan('owner@example.com', 'free');
  await server.services.background.idle();
  expect(await stored()).toBe(0);
});

describe('a deleted endpoint', () => {
  test('loses its events and secrets soon, and its row once no late delivery can arrive', async () => {
    const caller = await server.createAccount();
    const { id } = await caller.createEndpoint();
    await caller.createEndpoint('other');
    await recordMany(server, id, 700, { receivedAt: clock.now() });
    await server.services.database.client.execute(
      "INSERT INTO secrets (id, endpoint, sealed, last4, created_at) VALUES ('sec_1', 1, x'00', 'last', 0)",
    );
    await caller.json(200, 'DELETE', `/api/endpoints/${id}`);
    await server.services.background.idle();
    expect(await stored()).toBe(0);
    expect(await rowsOf(server, 'SELECT count(*) FROM secrets')).toEqual([[0]]);
    expect(await rowsOf(server, 'SELECT seq, event_count FROM endpoints')).toEqual([
      [1, 0],
      [2, 0],
    ]);

    clock.advance(hour);
    await sweep();
    expect(await rowsOf(server, 'SELECT seq FROM endpoints')).toEqual([[2]]);
  });

  test('loses deliveries that were committed after its deletion, even after its row is gone', async () => {
    const caller = await server.createAccount();
    const { id } = await caller.createEndpoint();
    await caller.json(200, 'DELETE', `/api/endpoints/${id}`);
    await recordMany(server, id, 2, { receivedAt: clock.now() });
    await sweep();
    expect(await stored()).toBe(0);

    await recordMany(server, id, 2, { receivedAt: clock.now() });
    await server.services.database.client.execute('DELETE FROM endpoints');
    const { id: neighbour } = await caller.createEndpoint();
    const kept = await recordMany(server, neighbour, 1, { receivedAt: clock.now() });
    await sweep();
    expect(await listed(caller, neighbour)).toEqual(kept);
    expect(await stored()).toBe(1);
  });
});

describe('a team without people', () => {
  test('is removed with its endpoints and events', async () => {
    const caller = await server.createAccount();
    const other = await server.createAccount('other@example.com');
    const { id } = await caller.createEndpoint();
    await other.createEndpoint();
    await recordMany(server, id, 5, { receivedAt: clock.now() });
    const { emptyTeam = '' } = await server.services.account.remove('owner@example.com');
    await server.services.endpoints.removeTeam(emptyTeam);
    clock.advance(hour);
    await sweep();
    expect(await rowsOf(server, 'SELECT count(*) FROM teams')).toEqual([[1]]);
    expect(await rowsOf(server, 'SELECT seq FROM endpoints')).toEqual([[2]]);
    expect(await stored()).toBe(0);
  });

  test('is removed even if the process died between removing the person and the endpoints', async () => {
    const caller = await server.createAccount();
    const endpoint = await caller.createEndpoint();
    await recordMany(server, endpoint.id, 5, { receivedAt: clock.now() });
    await server.services.account.remove('owner@example.com');
    await sweep();
    expect(await stored()).toBe(0);
    expect((await fetch(`${await server.listen()}${new URL(endpoint.url).pathname}`)).status).toBe(404);
    clock.advance(hour);
    await sweep();
    expect(await rowsOf(server, 'SELECT (SELECT count(*) FROM teams), (SELECT count(*) FROM endpoints)')).toEqual([
      [0, 0],
    ]);
  });
});

test.skipIf(isRemote)(
  'a sweep returns disk space: the file and its log shrink, and the other events are intact',
  async () => {
    const caller = await server.createAccount();
    const { id } = await caller.createEndpoint();
    const { id: other } = await caller.createEndpoint('other');
    for (let round = 0; round < 4; round++) await recordMany(server, id, 200, { receivedAt: 0, bodyBytes: 20_000 });
    const kept = await recordMany(server, other, 20, { receivedAt: clock.now(), bodyBytes: 20_000 });
    // One event that is larger than a slice.
    await recordMany(server, id, 1, { receivedAt: 0, bodyBytes: 20 << 20 });
    const file = server.services.database.file ?? '';
    const size = (path: string): number => statSync(path).size;
    await sweep();
    expect(await stored()).toBe(20);
    expect(size(`${file}-wal`)).toBe(0);
    expect(size(file)).toBeLessThan(4 << 20);
    expect(await rowsOf(server, 'SELECT integrity_check FROM pragma_integrity_check')).toEqual([['ok']]);
    for (const one of kept) expect((await caller.call('GET', `/api/events/${one}/raw`)).status).toBe(200);
  },
);

test('a log that a reader uses is not truncated, without a busy incident', async () => {
  const { database } = server.services;
  const scan = database.scanClient.execute(
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i), (SELECT count(*) FROM events) FROM n',
  );
  await server.createAccount();
  await database.maintenance?.truncateWal();
  expect(Number((await scan).rows[0]?.[0])).toBe(3_000_000);
  await server.createAccount('second@example.com');
  expect(database.busyIncidents()).toBe(0);
});
