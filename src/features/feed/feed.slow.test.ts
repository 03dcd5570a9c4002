/* GET /api/endpoints/{id}/feed: order, cursors, pages, waiting, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { importedEvent } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { isRemote } from '../../testing/remote/databases.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { FeedPage } from './model.ts';

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const feed = (endpoint: { id: string }, query = '', who = ada): Promise<FeedPage> =>
  who.json(200, 'GET', `/api/endpoints/${endpoint.id}/feed${query}`);
const idsOf = ({ events }: FeedPage): string[] => events.map(({ id }) => id);
const deliverMany = async (endpoint: { url: string }, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await server.deliver(endpoint, `{"n":${i}}`));
  return ids;
};
const openTails = () => server.services.notifications.openTails();

describe('GET /api/endpoints/{id}/feed', () => {
  test('all events, oldest first, a page at a time; `more` is exact, and the cursor goes on', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const ids = await deliverMany(endpoint, 5);
    await deliverMany(other, 2);
    const first = await feed(endpoint, '?limit=2');
    expect([idsOf(first), first.more, first.truncated]).toEqual([ids.slice(0, 2), true, false]);
    const second = await feed(endpoint, `?limit=3&after=${first.cursor}`);
    expect([idsOf(second), second.more]).toEqual([ids.slice(2), false]);
    const third = await feed(endpoint, `?after=${second.cursor}`);
    expect([idsOf(third), third.more]).toEqual([[], false]);
    const late = await server.deliver(endpoint);
    expect(idsOf(await feed(endpoint, `?after=${third.cursor}`))).toEqual([late]);
    const { events } = await ada.json<FeedPage>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
    const all = (await feed(endpoint)).events;
    expect<unknown>(all.map(({ cursor, ...event }) => event)).toEqual(events.reverse());
  });

  test('each event has the position after it, also one of a filtered page', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliverMany(endpoint, 5);
    const { events, cursor } = await feed(endpoint);
    expect(events.at(-1)?.cursor).toBe(cursor);
    for (const [n, event] of events.entries())
      expect(idsOf(await feed(endpoint, `?after=${event.cursor}`))).toEqual(ids.slice(n + 1));
    const odd = await feed(endpoint, `?where=${encodeURIComponent('body.n:1 OR body.n:3')}&content=full&limit=1`);
    expect([idsOf(odd), odd.events[0]?.cursor]).toEqual([[ids[1] ?? ''], events[1]?.cursor]);
  });

  test('`start` is the default, and `now` gives out only what comes later', async () => {
    const endpoint = await ada.createEndpoint();
    expect(await feed(endpoint)).toEqual({ events: [], cursor: expect.any(String), more: false, truncated: false });
    const ids = await deliverMany(endpoint, 2);
    expect(idsOf(await feed(endpoint))).toEqual(ids);
    expect(idsOf(await feed(endpoint, '?after=start'))).toEqual(ids);
    const { events, cursor } = await feed(endpoint, '?after=now');
    expect(events).toEqual([]);
    const late = await server.deliver(endpoint);
    expect(idsOf(await feed(endpoint, `?after=${cursor}`))).toEqual([late]);
  });

  test('25 events by default, 100 at most', async () => {
    const endpoint = await ada.createEndpoint();
    await Promise.all(Array.from({ length: 101 }, () => server.deliver(endpoint)));
    const page = await feed(endpoint);
    expect([page.events.length, page.more]).toEqual([25, true]);
    const most = await feed(endpoint, '?limit=100');
    expect([most.events.length, most.more]).toEqual([100, true]);
  });

  test('deleted events are missing, and a cursor stays valid when its event and all after it are deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliverMany(endpoint, 4);
    const { cursor } = await feed(endpoint, '?limit=3');
    await ada.json(200, 'DELETE', `/api/events/${ids[1]}`);
    expect(idsOf(await feed(endpoint))).toEqual([ids[0], ids[2], ids[3]].map(String));
    for (const id of ids.slice(2)) await ada.json(200, 'DELETE', `/api/events/${id}`);
    const after = await feed(endpoint, `?after=${cursor}`);
    expect([after.events, after.truncated, after.cursor >= cursor]).toEqual([[], false, true]);
    const late = await server.deliver(endpoint);
    expect(idsOf(await feed(endpoint, `?after=${after.cursor}`))).toEqual([late]);
  });

  test.each([
    'after=x',
    'after=',
    'after=now%20',
    'limit=0',
    'limit=101',
    'limit=1e1',
    'wait=26',
    'wait=-1',
    'wait=1.5',
    'content=some',
    'after=start&after=now',
    'unknown=1',
  ])('400 for %s', async query => {
    const endpoint = await ada.createEndpoint();
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/feed?${query}`)).status).toBe(400);
  });

  test('400 "invalid cursor" for the cursor of another endpoint or of a list', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    await deliverMany(endpoint, 2);
    const { cursor } = await feed(other);
    const { nextCursor } = await ada.json(200, 'GET', `/api/events?endpointId=${endpoint.id}&limit=1`);
    for (const one of [cursor, nextCursor]) {
      const answer = await ada.call('GET', `/api/endpoints/${endpoint.id}/feed?after=${one}`);
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid cursor' }]);
    }
  });

  test('404 for an endpoint of another team as for a missing one', async () => {
    const endpoint = await bob.createEndpoint();
    const foreign = await ada.call('GET', `/api/endpoints/${endpoint.id}/feed`);
    const missing = await ada.call('GET', '/api/endpoints/ep_nothing/feed');
    expect([foreign.status, await foreign.text()]).toEqual([404, await missing.text()]);
  });
});

describe('GET /api/endpoints/{id}/feed?wait=', () => {
  /** A call that waits when this returns. */
  const waiting = async (endpoint: { id: string }, query: string, who = ada) => {
    const before = openTails();
    const page = feed(endpoint, query, who);
    const outcome = page.then(idsOf, (error: Error) => error.message);
    await eventually(() => openTails() > before);
    return { page, outcome };
  };

  test('holds the answer until an event arrives, not one of another endpoint', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const { page } = await waiting(endpoint, '?wait=25');
    await server.deliver(other);
    const id = await server.deliver(endpoint);
    const found = await page;
    expect([idsOf(found), found.more, found.truncated]).toEqual([[id], false, false]);
    expect(openTails()).toBe(0);
    const late = await server.deliver(endpoint);
    expect(idsOf(await feed(endpoint, `?after=${found.cursor}&wait=25`))).toEqual([late]);
  });

  test('answers at once when there are events, and without events when the time is over', async () => {
    const endpoint = await ada.createEndpoint();
    const empty = await feed(endpoint, '?wait=1');
    expect([empty.events, empty.more]).toEqual([[], false]);
    const id = await server.deliver(endpoint);
    expect(idsOf(await feed(endpoint, `?after=${empty.cursor}&wait=25`))).toEqual([id]);
  });

  test('an import ends the wait', async () => {
    const [source, target] = [await ada.createEndpoint(), await ada.createEndpoint()];
    await deliverMany(source, 3);
    const exported = await ada.json<{ events: unknown[] }>(200, 'GET', `/api/endpoints/${source.id}/export`);
    const { page } = await waiting(target, '?wait=25');
    await server.services.imports.add(target.id, exported.events);
    expect((await page).events.map(({ payloadPreview }) => payloadPreview)).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
  });

  test('a delivery after events that nobody was told of ends the wait, and none of them is skipped', async () => {
    const endpoint = await ada.createEndpoint();
    const { page } = await waiting(endpoint, '?wait=25');
    const { seq } = await server.services.endpoints.owned(
      await server.services.account.byEmail(ada.email),
      endpoint.id,
    );
    await server.services.insertImported([importedEvent(seq), importedEvent(seq)]);
    const id = await server.deliver(endpoint);
    const first = await page;
    const rest = await feed(endpoint, `?after=${first.cursor}`);
    const ids = [...idsOf(first), ...idsOf(rest)];
    expect([ids.length, ids.at(-1)]).toEqual([3, id]);
  });

  test('401 and no event when the key is revoked meanwhile, 404 when the endpoint is deleted', async () => {
    const guest = await server.createAccount('guest@example.com');
    const [one, other] = [await guest.createEndpoint(), await guest.createEndpoint()];
    const deleted = await waiting(one, '?wait=25', guest);
    await guest.json(200, 'DELETE', `/api/endpoints/${one.id}`);
    expect(await deleted.outcome).toContain(': 404 ');
    const revoked = await waiting(other, '?wait=25', guest);
    const { keys } = await guest.json<{ keys: { id: string }[] }>(200, 'GET', '/api/keys');
    await guest.json(200, 'DELETE', `/api/keys/${keys[0]?.id}`);
    await server.deliver(other);
    expect(await revoked.outcome).toContain(': 401 ');
  });

  test('ends when the client disconnects', async () => {
    const endpoint = await ada.createEndpoint();
    const origin = await server.listen();
    const abort = new AbortController();
    const call = fetch(`${origin}/api/endpoints/${endpoint.id}/feed?wait=25`, {
      headers: { authorization: `Bearer ${ada.key}` },
      signal: abort.signal,
    }).catch(() => 'aborted');
    await eventually(() => openTails() === 1);
    abort.abort();
    expect(await call).toBe('aborted');
    await eventually(() => openTails() === 0);
  });

  test('429 with Retry-After for the 257th waiting call of an account, not of another one', async () => {
    const endpoint = await ada.createEndpoint();
    const { cursor } = await feed(endpoint);
    const pages = Array.from({ length: 256 }, () => feed(endpoint, `?after=${cursor}&wait=25`));
    await eventually(() => openTails() === 256);
    const refused = await ada.call('GET', `/api/endpoints/${endpoint.id}/feed?after=${cursor}&wait=25`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await feed(endpoint, `?after=${cursor}`)).events).toEqual([]);
    const theirs = await bob.createEndpoint();
    const free = await waiting(theirs, '?wait=25', bob);
    const ids = [await server.deliver(endpoint), await server.deliver(theirs)];
    for (const page of await Promise.all(pages)) expect(idsOf(page)).toEqual(ids.slice(0, 1));
    expect(await free.outcome).toEqual(ids.slice(1));
  }, 120_000);
});

// On a shared database the hub asks once a second for all of them.
test.skipIf(isRemote)(
  '200 calls that wait for seconds cost no more queries than 200 that wait for one',
  async () => {
    const own = await openTestServer();
    const cleo = await own.createAccount();
    const endpoint = await cleo.createEndpoint();
    own.services.stopTimers();
    const { database, direct } = own.services;
    let queries = 0;
    for (const client of new Set([database.client, database.scanClient, direct.client, direct.scanClient]))
      for (const name of ['execute', 'batch'] as const) {
        const original = client[name] as (...args: never[]) => Promise<unknown>;
        Object.assign(client, {
          [name]: (...args: never[]) => {
            queries++;
            return original.apply(client, args);
          },
        });
      }
    const queriesOf = async (seconds: number): Promise<number> => {
      queries = 0;
      const call = () =>
        cleo.json<FeedPage>(200, 'GET', `/api/endpoints/${endpoint.id}/feed?after=now&wait=${seconds}`);
      const pages = await Promise.all(Array.from({ length: 200 }, call));
      expect(pages.every(({ events }) => events.length === 0)).toBe(true);
      return queries;
    };
    const forOneSecond = await queriesOf(1);
    expect(forOneSecond).toBeGreaterThan(0);
    expect(await queriesOf(4)).toBeLessThanOrEqual(forOneSecond);
    await own.close();
  },
  120_000,
);

test('a server that shuts down answers waiting calls without events, and refuses further ones', async () => {
  const other = await openTestServer();
  const cleo = await other.createAccount();
  const endpoint = await cleo.createEndpoint();
  const page = cleo.json<FeedPage>(200, 'GET', `/api/endpoints/${endpoint.id}/feed?wait=25`);
  await eventually(() => other.services.notifications.openTails() === 1);
  other.services.notifications.shutDown();
  expect(await page).toEqual({ events: [], cursor: expect.any(String), more: false, truncated: false });
  expect((await cleo.call('GET', `/api/endpoints/${endpoint.id}/feed?wait=25`)).status).toBe(503);
  await other.close();
});
