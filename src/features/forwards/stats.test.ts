import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openOAuthHarness } from '../../testing/oauth-harness.ts';
import type { ForwardStats } from './model.ts';
import { createForwardStatistics } from './stats.ts';
import { createStatsStore } from './stats-store.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** 12:34:56.789 */
const now = Date.UTC(2026, 10, 24, 12, 34, 56, 789);
const clock = holdClock(now);
let harness: Awaited<ReturnType<typeof openOAuthHarness>>;
let ada: Awaited<ReturnType<typeof harness.createAccount>>;
beforeAll(async () => {
  harness = await openOAuthHarness({ clock });
  ada = await harness.createAccount('ada@example.com');
});
afterAll(() => harness.close());

const errors: unknown[] = [];
const createStatistics = (store = createStatsStore(harness.services.database)) =>
  createForwardStatistics({ store, clock, onError: error => void errors.push(error) });

/** A new forward, its row number, and the path of its statistics. */
async function createForward() {
  const endpoint = await ada.createEndpoint();
  const all = `/api/endpoints/${endpoint.id}/forwards`;
  const { id } = await ada.json<{ id: string }>(201, 'POST', all, { name: 'one', url: 'https://example.com/' });
  const { rows } = await harness.services.database.client.execute({
    sql: 'SELECT seq FROM forwards WHERE id = ?',
    args: [id],
  });
  const read = (query = '', status = 200) => ada.json<ForwardStats>(status, 'GET', `${all}/${id}/stats${query}`);
  return { id, endpoint, path: `${all}/${id}`, forward: Number(rows[0]?.['seq']), read };
}
const none = { delivered: 0, failed: 0, p50Ms: null, p95Ms: null };

describe('GET /api/endpoints/{id}/forwards/{fid}/stats', () => {
  test('by default has 24 clock hours, with the empty ones', async () => {
    const { read, forward } = await createForward();
    const statistics = createStatistics();
    const empty = await read();
    const from = Date.UTC(2026, 10, 23, 13);
    expect(empty).toMatchObject({ from, to: from + day - 1, bucketMs: hour, ...none });
    expect(empty.buckets).toEqual(Array.from({ length: 24 }, (_, i) => ({ at: from + i * hour, ...none })));
    statistics.record(forward, 100);
    statistics.record(forward, 100);
    statistics.record(forward, null);
    await statistics.flush();
    statistics.record(forward, 1000);
    await statistics.flush();
    const { buckets, ...total } = await read();
    expect(total).toMatchObject({ delivered: 3, failed: 1 });
    expect(buckets.at(-1)).toMatchObject({ delivered: 3, failed: 1, p50Ms: total.p50Ms, p95Ms: total.p95Ms });
    expect(buckets.slice(0, -1).map(bucket => ({ ...bucket, at: 0 }))).toEqual(Array(23).fill({ at: 0, ...none }));
    expect(Math.abs((total.p50Ms ?? 0) - 100)).toBeLessThan(10);
    expect(Math.abs((total.p95Ms ?? 0) - 1000)).toBeLessThan(100);
  });

  test('widens the range to whole buckets, of one minute at least', async () => {
    const { read, forward } = await createForward();
    const statistics = createStatistics();
    statistics.record(forward, 7);
    clock.advance(minute);
    statistics.record(forward, null);
    await statistics.flush();
    const at = Math.floor(now / minute) * minute;
    expect(await read(`?from=${now}&to=${now}`)).toEqual({
      ...{ from: at, to: at + minute - 1, bucketMs: minute },
      buckets: [{ at, delivered: 1, failed: 0, p50Ms: 7, p95Ms: 7 }],
      ...{ delivered: 1, failed: 0, p50Ms: 7, p95Ms: 7 },
    });
    const two = await read(`?from=${now}&to=${now + minute}&buckets=2`);
    expect(two.buckets.map(({ delivered, failed }) => [delivered, failed])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    const one = await read(`?from=${now}&to=${now + minute}&buckets=1`);
    expect(one).toMatchObject({ from: Date.UTC(2026, 10, 24, 12, 30), bucketMs: 10 * minute, delivered: 1, failed: 1 });
    expect(await read(`?to=${now - day}`)).toMatchObject({ from: Date.UTC(2026, 10, 22, 13), bucketMs: hour, ...none });
    expect(await read('?from=0&buckets=200')).toMatchObject({ bucketMs: 120 * day, delivered: 1 });
  });

  test.each(['from=2&to=1', 'buckets=0', 'buckets=201', 'buckets=1.5', 'from=-1', 'to=x', 'from=1e3', 'by=type'])(
    '%s is 400',
    async query => {
      const { read } = await createForward();
      await read(`?${query}`, 400);
    },
  );

  test('is for a read-only key, not for apps or other teams', async () => {
    const { path } = await createForward();
    const { key } = await ada.json<{ key: string }>(201, 'POST', '/api/keys', { name: 'r', readOnly: true });
    const { access_token } = await harness.connect(await harness.register({ client_name: 'App' }), ada);
    const bob = await harness.createAccount(`bob${Math.random()}@example.com`);
    const statuses = [key, access_token, bob.key].map(
      async one => (await harness.fetch(`${path}/stats`, { headers: { authorization: `Bearer ${one}` } })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403, 404]);
    await ada.json(404, 'GET', `${path.slice(0, -1)}!/stats`);
  });
});

test('percentiles are at most 10 % off, whatever the durations are', async () => {
  for (const scale of [3, 20, 500, 40_000]) {
    const { read, forward } = await createForward();
    const statistics = createStatistics();
    const durations = Array.from({ length: 500 }, (_, i) => Math.round(scale * (0.5 + ((i * 7919) % 500) / 100)));
    for (const one of durations) statistics.record(forward, one);
    await statistics.flush();
    const sorted = durations.toSorted((a, b) => a - b);
    const { p50Ms, p95Ms } = await read();
    for (const [found, exact] of [
      [p50Ms, sorted[249]],
      [p95Ms, sorted[474]],
    ] as const)
      expect(Math.abs((found ?? 0) - (exact ?? 0))).toBeLessThanOrEqual(0.1 * (exact ?? 0));
  }
});

test('counts that cannot be written are written later', async () => {
  const { read, forward } = await createForward();
  const store = createStatsStore(harness.services.database);
  let isBroken = true;
  const statistics = createStatistics({
    ...store,
    add: async counts => {
      if (isBroken) throw new Error('the disk is full');
      await store.add(counts);
    },
  });
  statistics.record(forward, 1);
  await statistics.flush();
  expect([errors.length, (await read()).delivered]).toEqual([1, 0]);
  isBroken = false;
  statistics.record(forward, 1);
  await statistics.flush();
  expect((await read()).delivered).toBe(2);
});

test('attempts are kept for 30 days, and removed with their forward', async () => {
  const { read, forward, path } = await createForward();
  const statistics = createStatistics();
  const rows = async () =>
    (
      await harness.services.database.client.execute({
        sql: 'SELECT count(*) AS n FROM forward_stats WHERE forward = ? AND minutes = 1',
        args: [forward],
      })
    ).rows[0]?.['n'];
  const at = clock.now();
  const first = `?from=${at}&to=${at}`;
  const days = `?from=${at}&to=${at + 29 * day}&buckets=30`;
  statistics.record(forward, 1);
  await statistics.flush();
  clock.advance(30 * day - minute);
  statistics.record(forward, null);
  await statistics.flush();
  await statistics.sweep();
  expect([(await read(first)).delivered, (await read(days)).delivered, await rows()]).toEqual([1, 1, 2]);
  clock.advance(2 * minute);
  expect((await read(first)).delivered).toBe(0);
  await statistics.sweep();
  expect(await rows()).toBe(1);
  clock.advance(hour);
  await statistics.sweep();
  expect((await read(days)).delivered).toBe(0);
  await ada.json(200, 'DELETE', path);
  expect(await rows()).toBe(0);
  statistics.record(forward, 1);
  await statistics.flush();
  expect([await rows(), errors.length]).toEqual([0, 1]);
});
