/* /api/endpoints/{id}/consumers: positions, versions, limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { importedEvent } from '../../testing/events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { Consumer, ConsumerList } from './model.ts';

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };
const pathOf = ({ id }: Endpoint, name = 'billing') => `/api/endpoints/${id}/consumers/${name}`;
const get = (endpoint: Endpoint, name?: string): Promise<Consumer> => ada.json(200, 'GET', pathOf(endpoint, name));
const put = (
  endpoint: Endpoint,
  body: object,
  headers: Record<string, string> = {},
  name?: string,
): Promise<Response> =>
  server.fetch(pathOf(endpoint, name), {
    method: 'PUT',
    headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
/** The cursors after each of `count` new events. */
const deliver = async (endpoint: Endpoint, count: number): Promise<string[]> => {
  const cursors: string[] = [];
  for (let i = 0; i < count; i++) {
    await server.deliver(endpoint);
    cursors.push(
      (await ada.json<{ cursor: string }>(200, 'GET', `/api/endpoints/${endpoint.id}/feed?after=now`)).cursor,
    );
  }
  return cursors;
};

describe('PUT /api/endpoints/{id}/consumers/{name}', () => {
  test('creates a consumer, moves it, and answers as GET does; `behind` counts what comes after it', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const cursors = await deliver(endpoint, 4);
    await deliver(other, 3);
    const created = await put(endpoint, { cursor: cursors[0] });
    const consumer = (await created.json()) as Consumer;
    expect([created.status, consumer]).toEqual([
      200,
      { name: 'billing', cursor: cursors[0] ?? '', behind: 3, lastSeenAt: expect.any(Number) },
    ]);
    expect(await get(endpoint)).toEqual(consumer);
    const moved = (await (await put(endpoint, { cursor: cursors[2] })).json()) as Consumer;
    expect(moved).toMatchObject({ cursor: cursors[2], behind: 1 });
    await server.deliver(endpoint);
    expect((await get(endpoint)).behind).toBe(2);
    const { events } = await ada.json<{ events: { id: string }[] }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/feed?after=${moved.cursor}`,
    );
    expect(events).toHaveLength(2);
  });

  test('`start` and `now` are positions, too', async () => {
    const endpoint = await ada.createEndpoint();
    await deliver(endpoint, 2);
    expect(await (await put(endpoint, { cursor: 'start' })).json()).toMatchObject({ behind: 2 });
    expect(await (await put(endpoint, { cursor: 'now' })).json()).toMatchObject({ behind: 0 });
  });

  test('409 backwards, unless with `rewind`; the same position again is no step back', async () => {
    const endpoint = await ada.createEndpoint();
    const [first = '', second = ''] = await deliver(endpoint, 2);
    await put(endpoint, { cursor: second });
    expect((await put(endpoint, { cursor: second })).status).toBe(200);
    expect((await put(endpoint, { cursor: first })).status).toBe(409);
    expect((await put(endpoint, { cursor: first, rewind: false })).status).toBe(409);
    expect((await get(endpoint)).cursor).toBe(second);
    expect((await put(endpoint, { cursor: first, rewind: true })).status).toBe(200);
    expect((await get(endpoint)).cursor).toBe(first);
  });

  test.each([
    [{}],
    [{ cursor: '' }],
    [{ cursor: 'x' }],
    [{ cursor: 7 }],
    [{ cursor: 'start', rewind: 'yes' }],
    [{ cursor: 'start', more: 1 }],
  ])('400 for %j', async body => {
    expect((await put(await ada.createEndpoint(), body)).status).toBe(400);
  });

  test.each(['A', 'a b', 'ä', `${'a'.repeat(65)}`, '%00', 'a%2Fb'])('400 for the name %s', async name => {
    const endpoint = await ada.createEndpoint();
    expect((await put(endpoint, { cursor: 'start' }, {}, name)).status).toBe(400);
  });

  test.each(['a', 'a'.repeat(64), '0._-', '...', '.a'])('the name %s fits', async name => {
    const endpoint = await ada.createEndpoint();
    expect((await put(endpoint, { cursor: 'start' }, {}, name)).status).toBe(200);
    expect((await get(endpoint, name)).name).toBe(name);
  });

  test('400 "invalid cursor" for the cursor of another endpoint', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const [cursor] = await deliver(other, 1);
    const answer = await put(endpoint, { cursor });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: 'invalid cursor', problems: [{ path: 'cursor' }] },
    ]);
  });

  test('403 for the 51st of an endpoint, while existing ones can be moved', async () => {
    const endpoint = await ada.createEndpoint();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => put(endpoint, { cursor: 'start' }, {}, `c${n}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(10);
    const { consumers } = await ada.json<ConsumerList>(200, 'GET', `/api/endpoints/${endpoint.id}/consumers`);
    const names = consumers.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect((await put(endpoint, { cursor: 'now' }, {}, names[0])).status).toBe(200);
    await ada.json(200, 'DELETE', pathOf(endpoint, names[0]));
    expect((await put(endpoint, { cursor: 'now' }, {}, 'another')).status).toBe(200);
  });

  describe('with an ETag', () => {
    test.each([
      ['If-Match with the version', true, (etag: string) => ({ 'if-match': etag }), 200],
      ['If-Match with the version among others', true, (etag: string) => ({ 'if-match': `"x", ${etag}` }), 200],
      ['If-Match: *', true, () => ({ 'if-match': '*' }), 200],
      ['If-Match with a stale version', true, () => ({ 'if-match': '"x"' }), 412],
      ['If-Match with a weak version', true, (etag: string) => ({ 'if-match': `W/${etag}` }), 412],
      ['If-Match without quotes', true, () => ({ 'if-match': 'x' }), 400],
      ['If-Match, while it does not exist', false, () => ({ 'if-match': '"x"' }), 412],
      ['If-Match: *, while it does not exist', false, () => ({ 'if-match': '*' }), 412],
      ['If-None-Match: *', true, () => ({ 'if-none-match': '*' }), 412],
      ['If-None-Match: *, while it does not exist', false, () => ({ 'if-none-match': '*' }), 200],
      ['If-None-Match with the version', true, (etag: string) => ({ 'if-none-match': etag }), 412],
      ['If-None-Match with another version', true, () => ({ 'if-none-match': '"x"' }), 200],
    ])('%s (exists: %p)', async (_, exists, headers, status) => {
      const endpoint = await ada.createEndpoint();
      const etag = exists ? ((await put(endpoint, { cursor: 'start' })).headers.get('etag') ?? '') : '';
      const before = exists ? await get(endpoint) : undefined;
      const answer = await put(endpoint, { cursor: 'now' }, headers(etag));
      expect(answer.status).toBe(status);
      const now = await ada.call('GET', pathOf(endpoint));
      if (status === 200) {
        expect(answer.headers.get('etag')).not.toBe(etag);
        expect(now.headers.get('etag')).toBe(answer.headers.get('etag'));
      } else expect(exists ? await now.json() : now.status).toEqual(before ?? 404);
    });

    test('of two that put at the same time with the same version, one wins', async () => {
      const endpoint = await ada.createEndpoint();
      const [first = '', second = ''] = await deliver(endpoint, 2);
      const etag = (await put(endpoint, { cursor: 'start' })).headers.get('etag') ?? '';
      const answers = await Promise.all(
        [first, second, first, second].map(cursor => put(endpoint, { cursor }, { 'if-match': etag })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
      const winner = answers.find(({ status }) => status === 200);
      expect(await get(endpoint)).toEqual((await winner?.json()) as Consumer);
    });

    test('of two that create it at the same time with If-None-Match: *, one wins', async () => {
      const endpoint = await ada.createEndpoint();
      const answers = await Promise.all(
        [0, 1, 2].map(() => put(endpoint, { cursor: 'start' }, { 'if-none-match': '*' })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    });

    test('one that was deleted and made again has another version', async () => {
      const endpoint = await ada.createEndpoint();
      const etag = (await put(endpoint, { cursor: 'start' })).headers.get('etag') ?? '';
      await ada.json(200, 'DELETE', pathOf(endpoint));
      await put(endpoint, { cursor: 'start' });
      expect((await put(endpoint, { cursor: 'now' }, { 'if-match': etag })).status).toBe(412);
    });
  });
});

describe('GET and DELETE', () => {
  test('404 for a consumer that does not exist, and after it was deleted', async () => {
    const endpoint = await ada.createEndpoint();
    for (const method of ['GET', 'DELETE']) expect((await ada.call(method, pathOf(endpoint))).status).toBe(404);
    await put(endpoint, { cursor: 'start' });
    expect(await ada.json(200, 'DELETE', pathOf(endpoint))).toEqual({ ok: true });
    expect((await ada.call('GET', pathOf(endpoint))).status).toBe(404);
    expect((await ada.call('GET', pathOf(endpoint, 'A%20B'))).status).toBe(404);
  });

  test('DELETE with a stale If-Match is 412', async () => {
    const endpoint = await ada.createEndpoint();
    const stale = (await put(endpoint, { cursor: 'start' })).headers.get('etag') ?? '';
    const etag = (await put(endpoint, { cursor: 'start' })).headers.get('etag') ?? '';
    const remove = (version: string) =>
      server.fetch(pathOf(endpoint), {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ada.key}`, 'if-match': version },
      });
    expect([(await remove(stale)).status, (await remove(etag)).status]).toEqual([412, 200]);
  });

  test('404 for the endpoint of another team as for a missing one', async () => {
    const endpoint = await bob.createEndpoint();
    await bob.json(200, 'PUT', pathOf(endpoint), { cursor: 'start' });
    const missing = { id: 'ep_nothing', url: '' };
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { cursor: 'now' }],
      ['DELETE', undefined],
    ] as const) {
      const foreign = await ada.call(method, pathOf(endpoint), body);
      const none = await ada.call(method, pathOf(missing), body);
      expect([foreign.status, await foreign.text()]).toEqual([404, await none.text()]);
    }
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/consumers`)).status).toBe(404);
    expect(await bob.json(200, 'GET', pathOf(endpoint))).toMatchObject({ name: 'billing', behind: 0 });
  });

  test('consumers go with their endpoint', async () => {
    const endpoint = await ada.createEndpoint();
    await put(endpoint, { cursor: 'start' });
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    expect((await ada.call('GET', pathOf(endpoint))).status).toBe(404);
    const { client } = server.services.database;
    await client.execute({ sql: 'DELETE FROM endpoints WHERE id = ?', args: [endpoint.id] });
    const { rows } = await client.execute('SELECT * FROM consumers WHERE endpoint NOT IN (SELECT seq FROM endpoints)');
    expect(rows).toHaveLength(0);
  });
});

test('`behind` is exact far from the end, with other endpoints, deleted, expired and pinned events', async () => {
  const endpoint = await ada.createEndpoint();
  const other = await ada.createEndpoint();
  const { client } = server.services.database;
  const cursors = await deliver(endpoint, 6);
  const [{ seq = 0 } = {}] = (
    await client.execute({ sql: 'SELECT seq FROM endpoints WHERE id = ?', args: [endpoint.id] })
  ).rows as { seq?: number }[];
  await put(endpoint, { cursor: cursors[1] }, {}, 'early');
  await put(endpoint, { cursor: cursors[3] }, {}, 'later');
  await put(endpoint, { cursor: 'start' }, {}, 'first');
  const { events } = await ada.json<{ events: { id: string }[] }>(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
  const [sixth = '', fifth = ''] = events.map(({ id }) => id);
  await ada.json(200, 'DELETE', `/api/events/${sixth}`);
  // Two that are past any window, of which one is pinned; and many events of another endpoint in between.
  await ada.json(200, 'PUT', `/api/events/${fifth}/pin`, {});
  await client.batch(
    [
      `UPDATE events SET received_at = 0 WHERE endpoint = ${seq} AND seq IN (SELECT seq FROM events WHERE endpoint = ${seq} ORDER BY seq LIMIT 2 OFFSET 3)`,
      'UPDATE pins SET received_at = 0',
    ],
    'write',
  );
  const { seq: otherSeq } = await server.services.endpoints.owned(
    await server.services.account.byEmail(ada.email),
    other.id,
  );
  await server.services.insertImported(Array.from({ length: 6000 }, () => importedEvent(otherSeq)));
  const late = await deliver(endpoint, 2);
  const { consumers } = await ada.json<ConsumerList>(200, 'GET', `/api/endpoints/${endpoint.id}/consumers`);
  const behind = Object.fromEntries(consumers.map(({ name, behind }) => [name, behind]));
  // Left: 1, 2, 3, 5 (pinned), 7, 8; expired: 4; deleted: 6.
  expect(behind).toEqual({ first: 6, early: 4, later: 3 });
  for (const { name, cursor } of consumers) {
    const page = await ada.json<{ events: object[]; more: boolean; truncated: boolean }>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/feed?after=${cursor}`,
    );
    expect([name, page.events.length, page.more]).toEqual([name, behind[name] ?? 0, false]);
    expect(page.truncated).toBe(name !== 'later');
  }
  expect(await (await put(endpoint, { cursor: late[0] }, {}, 'later')).json()).toMatchObject({ behind: 1 });
});
