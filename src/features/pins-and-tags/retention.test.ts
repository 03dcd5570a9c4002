/* Pinned events are exempt from retention, everywhere; an endpoint can have a shorter retention than its plan. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { recordMany, rowsOf } from '../../testing/events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

const hour = 3_600_000;
const day = 24 * hour;
let clock: HeldClock;
let server: TestServer;
let ada: TestAccount;
beforeEach(async () => {
  clock = holdClock();
  server = await openTestServer({ clock, env: { HOOKTAPE_PRO_RETENTION: '7d' } });
  ada = await server.createAccount();
});
afterEach(() => server.close());

const sweep = async (): Promise<void> => {
  server.services.retention.wake();
  await server.services.background.idle();
};
type Page = { events: { id: string }[]; nextCursor: string | null };
/** All pages of one or two events. */
const listed = async (endpointId: string, limit = 2, q = ''): Promise<string[]> => {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ endpointId, limit: String(limit), ...(cursor && { cursor }), ...(q && { q }) });
    const page: Page = await ada.json<Page>(200, 'GET', `/api/events?${query}`);
    ids.push(...page.events.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
};
const counters = async (id: string): Promise<unknown[]> => {
  const one = await ada.json(200, 'GET', `/api/endpoints/${id}`);
  const { endpoints } = await ada.json<{ endpoints: object[] }>(200, 'GET', '/api/endpoints');
  expect(endpoints).toContainEqual(one);
  return [one['eventCount'], one['lastReceivedAt']];
};
const exported = async (id: string): Promise<string[]> =>
  (await ada.json<Page>(200, 'GET', `/api/endpoints/${id}/export`)).events.map(event => event.id);
const pin = (id: string) => ada.json(200, 'PUT', `/api/events/${id}/pin`, {});
const retain = (id: string, retention: unknown) => ada.call('PATCH', `/api/endpoints/${id}`, { retention });

describe('a pinned event past its window', () => {
  test('stays in list, search, detail, counters and export, before and after a sweep', async () => {
    const { id } = await ada.createEndpoint();
    const at = clock.now();
    const old = await recordMany(server, id, 6, { receivedAt: n => at + n });
    const pinned = [old[1] ?? '', old[4] ?? ''];
    for (const one of pinned) await pin(one);
    clock.advance(8 * day);
    const young = await recordMany(server, id, 3, { receivedAt: n => at + 8 * day + n });
    const visible = [...young.toReversed(), ...pinned.toReversed()];
    const check = async (): Promise<void> => {
      for (const limit of [1, 2, 3, 4, 5, 100]) {
        expect(await listed(id, limit)).toEqual(visible);
        expect(await listed(id, limit, '"number"')).toEqual(visible);
      }
      expect(await listed(id, 2, '"number":4')).toEqual(pinned.slice(1));
      expect(await counters(id)).toEqual([5, at + 8 * day + 2]);
      expect(await exported(id)).toEqual(visible.toReversed());
      for (const one of pinned) expect((await ada.call('GET', `/api/events/${one}/raw`)).status).toBe(200);
      expect((await ada.call('GET', `/api/events/${old[0]}`)).status).toBe(404);
    };
    await server.services.background.stop();
    await check();
    clock.advance(7 * day);
    expect(await counters(id)).toEqual([2 + 3, at + 8 * day + 2]);
    clock.advance(day + 10);
    expect(await listed(id)).toEqual(pinned.toReversed());
    expect(await counters(id)).toEqual([2, at + 4]);
  });

  test('is not swept, and its counters stay right; once unpinned it goes', async () => {
    const { id } = await ada.createEndpoint();
    const at = clock.now();
    const old = await recordMany(server, id, 300, { receivedAt: n => at + n });
    await pin(old[7] ?? '');
    await pin(old[170] ?? '');
    clock.advance(8 * day);
    await sweep();
    expect(await listed(id)).toEqual([old[170] ?? '', old[7] ?? '']);
    expect(await rowsOf(server, 'SELECT event_count, last_received_at FROM endpoints')).toEqual([[2, at + 170]]);
    expect(await rowsOf(server, 'SELECT sum(events) FROM blocks')).toEqual([[2]]);
    expect(await exported(id)).toEqual([old[7] ?? '', old[170] ?? '']);

    await ada.json(200, 'DELETE', `/api/events/${old[170]}/pin`);
    expect((await ada.call('GET', `/api/events/${old[170]}`)).status).toBe(404);
    await server.services.background.idle();
    expect(await rowsOf(server, 'SELECT event_count, last_received_at FROM endpoints')).toEqual([[1, at + 7]]);
  });

  test('is not removed when it was pinned after the sweeper found it', async () => {
    const { createRetentionStore } = await import('../retention/store.ts');
    const { id } = await ada.createEndpoint();
    const [kept = '', other = ''] = await recordMany(server, id, 2, { receivedAt: clock.now() });
    await ada.json(200, 'PUT', `/api/events/${kept}/tags`, { tags: ['a'] });
    await pin(kept);
    const store = createRetentionStore(server.services.database);
    const { removed } = await store.remove({ endpoint: 1, withPinned: false }, [1, 2]);
    expect(removed).toBe(1);
    expect(await listed(id)).toEqual([kept]);
    expect(await ada.json(200, 'GET', `/api/events/${kept}`)).toMatchObject({ tags: ['a'], payload: { number: 0 } });
    expect((await ada.call('GET', `/api/events/${other}`)).status).toBe(404);
  });

  test('is found by a search also among many pinned ones, page by page within the budget', async () => {
    await server.close();
    server = await openTestServer({
      clock,
      searchLimits: { budget: { ms: 60_000, blocks: 1 } },
      env: { HOOKTAPE_PRO_RETENTION: '7d' },
    });
    ada = await server.createAccount();
    const { id } = await ada.createEndpoint();
    const old = await recordMany(server, id, 120, { receivedAt: n => clock.now() + n });
    await Promise.all(old.slice(0, 100).map(pin));
    clock.advance(8 * day);
    for (const isSwept of [false, true]) {
      if (isSwept) await sweep();
      expect(await listed(id, 1, '"number":3}')).toEqual([old[3] ?? '']);
      expect(await listed(id, 7, '"number":1')).toEqual(
        [19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 1].map(n => old[n] ?? ''),
      );
      expect(await listed(id, 50, 'number')).toEqual(old.slice(0, 100).toReversed());
      expect(await listed(id, 1, '"number":110')).toEqual([]);
    }
  });
});

describe('the retention of an endpoint', () => {
  test('applies to list, detail, search, counters, activity and export at once, and to the sweeper', async () => {
    const { id } = await ada.createEndpoint();
    const { id: other } = await ada.createEndpoint('other');
    const now = clock.now();
    const events = await recordMany(server, id, 5, { receivedAt: n => now - n * hour });
    await recordMany(server, other, 5, { receivedAt: n => now - n * hour });
    await pin(events[4] ?? '');
    await server.services.background.stop();
    expect(await (await retain(id, '90m')).json()).toEqual({ ok: true, name: 'inbox', retention: '90m' });
    const visible = [events[0] ?? '', events[1] ?? '', events[4] ?? ''];
    expect(await listed(id, 1)).toEqual(visible);
    expect(await listed(id, 1, 'number')).toEqual(visible);
    expect((await ada.call('GET', `/api/events/${events[2]}`)).status).toBe(404);
    expect((await ada.call('GET', `/api/events/${events[4]}`)).status).toBe(200);
    expect(await counters(id)).toEqual([3, now]);
    expect(await counters(other)).toEqual([5, now]);
    expect(await exported(id)).toEqual(visible.toReversed());
    const { counts } = await ada.json<{ counts: number[] }>(200, 'GET', `/api/endpoints/${id}/activity`);
    expect(counts.reduce((sum, count) => sum + count)).toBe(3);
    expect(await listed(other, 100)).toHaveLength(5);

    await retain(id, null);
    expect(await listed(id, 100)).toHaveLength(5);
  });

  test('wakes the sweeper, and leaves other endpoints and the pinned events alone', async () => {
    const { id } = await ada.createEndpoint();
    const { id: other } = await ada.createEndpoint('other');
    const now = clock.now();
    const events = await recordMany(server, id, 4, { receivedAt: n => now - n * hour });
    await recordMany(server, other, 4, { receivedAt: n => now - n * hour });
    await pin(events[3] ?? '');
    await retain(id, '1s');
    await server.services.background.idle();
    expect(await rowsOf(server, 'SELECT endpoint, count(*) FROM events GROUP BY endpoint')).toEqual([
      [1, 2],
      [2, 4],
    ]);
    clock.advance(2000);
    expect(await listed(id)).toEqual([events[3] ?? '']);
  });

  test('is shown as written, at least 1 s, at most the plan’s', async () => {
    const { id } = await ada.createEndpoint();
    for (const retention of ['1s', '1000ms', '7d', '168h', null]) {
      expect((await retain(id, retention)).status).toBe(200);
      expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ retention });
    }
    for (const retention of ['0', '0s', '999ms', '8d', '604801s', '', 'soon', '1', 5, '999999999d'])
      expect((await retain(id, retention)).status).toBe(400);
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ retention: null });
    expect((await ada.call('PATCH', `/api/endpoints/${id}`, {})).status).toBe(400);
    const renamed = await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { name: 'new', retention: '2d' });
    expect(renamed).toEqual({ ok: true, name: 'new', retention: '2d' });
    expect(await ada.json(200, 'PATCH', `/api/endpoints/${id}`, { name: 'newer' })).toEqual({
      ok: true,
      name: 'newer',
    });
    expect(await ada.json(200, 'GET', `/api/endpoints/${id}`)).toMatchObject({ retention: '2d' });
  });

  test('does not lengthen the plan’s when the plan became shorter', async () => {
    const { id } = await ada.createEndpoint();
    await recordMany(server, id, 1, { receivedAt: clock.now() - 6 * day });
    await retain(id, '7d');
    expect(await listed(id)).toHaveLength(1);
    await server.services.database.client.execute('UPDATE endpoints SET retention_ms = 99999999999');
    clock.advance(2 * day);
    expect(await listed(id)).toHaveLength(0);
    await sweep();
    expect(await rowsOf(server, 'SELECT count(*) FROM events')).toEqual([[0]]);
  });
});
