/* `truncated`: readers learn that retention removed events that they have not read, exactly. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { FeedPage } from './model.ts';

let server: TestServer;
let ada: TestAccount;
let aheadMs = 0;
beforeAll(async () => {
  const now = () => systemClock.now() + aheadMs;
  server = await openTestServer({ clock: { ...systemClock, now } });
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };
const feed = ({ id }: Endpoint, query: string): Promise<FeedPage> =>
  ada.json(200, 'GET', `/api/endpoints/${id}/feed?${query}`);
const idsOf = ({ events }: FeedPage): string[] => events.map(({ id }) => id);
const deliver = async (endpoint: Endpoint, count: number): Promise<{ ids: string[]; cursors: string[] }> => {
  const ids: string[] = [];
  const cursors: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push(await server.deliver(endpoint));
    cursors.push((await feed(endpoint, 'after=now')).cursor);
  }
  return { ids, cursors };
};
/** All events so far are older than the endpoint's retention, but visible while `retention` is null. */
const expire = async (endpoint: Endpoint): Promise<void> => {
  aheadMs += 60_000;
  await ada.json(200, 'PATCH', `/api/endpoints/${endpoint.id}`, { retention: '30s' });
};
const rows = async ({ id }: Endpoint): Promise<number> => {
  const sql = 'SELECT count(*) FROM events WHERE endpoint = (SELECT seq FROM endpoints WHERE id = ?)';
  return Number((await server.services.database.client.execute({ sql, args: [id] })).rows[0]?.[0]);
};

describe.each([
  ['before the sweeper has removed them', false],
  ['when the sweeper has removed them', true],
])('events that expired, %s', (_, isSwept) => {
  test('are reported to readers that have not read them, and to no others', async () => {
    const endpoint = await ada.createEndpoint();
    const { ids, cursors } = await deliver(endpoint, 4);
    await ada.json(200, 'PUT', `/api/events/${ids[2]}/pin`, {});
    if (isSwept) {
      await expire(endpoint);
      server.services.retention.wake();
      await eventually(async () => (await rows(endpoint)) === 1);
    } else {
      // The background work waits while this holds: `wake` of the sweeper is not called for a change in the database.
      aheadMs += 60_000;
      await server.services.database.client.execute({
        sql: 'UPDATE endpoints SET retention_ms = 30000 WHERE id = ?',
        args: [endpoint.id],
      });
      expect(await rows(endpoint)).toBe(4);
    }
    const late = (await deliver(endpoint, 1)).ids;
    const read = async (after: string | undefined): Promise<[(string | undefined)[], boolean]> => {
      const page = await feed(endpoint, `after=${after}`);
      return [idsOf(page), page.truncated];
    };
    expect(await read('start')).toEqual([[ids[2], ...late], true]);
    expect(await read(cursors[0])).toEqual([[ids[2], ...late], true]);
    expect(await read(cursors[2])).toEqual([late, true]);
    expect(await read(cursors[3])).toEqual([late, false]);
    expect(await read('now')).toEqual([[], false]);
  });
});

test('events that a person deleted are not reported, nor those that were unpinned and are still kept', async () => {
  const endpoint = await ada.createEndpoint();
  const { ids, cursors } = await deliver(endpoint, 3);
  await ada.json(200, 'PUT', `/api/events/${ids[2]}/pin`, {});
  await ada.json(200, 'DELETE', `/api/events/${ids[1]}`);
  await ada.json(200, 'DELETE', `/api/events/${ids[2]}/pin`);
  const page = await feed(endpoint, `after=${cursors[0]}`);
  expect([idsOf(page), page.truncated]).toEqual([[ids[2] ?? ''], false]);
});
