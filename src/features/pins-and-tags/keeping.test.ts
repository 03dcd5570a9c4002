/* Pins, tags, and deleting single events. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseEventId } from '../../core/ids/ids.ts';
import { maxPinsPerTeam } from '../../core/limits.ts';
import { rowsOf } from '../../testing/events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let cleo: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer({ env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' } });
  ada = await server.createAccount('ada@example.com');
  cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const pin = (who: TestAccount, id: string, body: object = {}) => who.call('PUT', `/api/events/${id}/pin`, body);
const seqOf = (id: string): number => parseEventId(id)?.seq ?? 0;

describe('PUT /api/events/{id}/pin', () => {
  test('answers with the summary, which list and detail show, too', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const answer = await pin(ada, id, { name: 'golden', note: '  the first one\nof all ' });
    const pinned = { name: 'golden', note: 'the first one\nof all', pinnedAt: expect.any(Number) };
    const summary = (await answer.json()) as object;
    expect([answer.status, summary]).toEqual([200, expect.objectContaining({ id, pin: pinned, tags: [] })]);
    const page = await ada.json(200, 'GET', `/api/events?endpointId=${endpoint.id}`);
    expect(page).toMatchObject({ events: [summary], nextCursor: null });
    expect(await ada.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ pin: pinned, tags: [] });
  });

  test('again changes name and note and keeps the time; what is not given is removed', async () => {
    const id = await server.deliver(await ada.createEndpoint());
    const first = await ada.json<{ pin: object }>(200, 'PUT', `/api/events/${id}/pin`, { name: 'one', note: 'note' });
    const second = await ada.json(200, 'PUT', `/api/events/${id}/pin`, { note: 'other' });
    expect(second['pin']).toEqual({ ...first.pin, name: null, note: 'other' });
    expect(await ada.json(200, 'PUT', `/api/events/${id}/pin`, {})).toMatchObject({ pin: { name: null, note: null } });
  });

  test.each([
    { name: '' },
    { name: 'Golden' },
    { name: '-a' },
    { name: 'a'.repeat(65) },
    { note: 'x'.repeat(281) },
    { note: 'a\u0000b' },
    { name: 7 },
    { others: true, note: 5 },
  ])('400 for %j', async body => {
    expect((await pin(ada, await server.deliver(await ada.createEndpoint()), body)).status).toBe(400);
  });

  test('a name of 64 and a note of 280 characters fit, however many bytes they have', async () => {
    const id = await server.deliver(await ada.createEndpoint());
    expect((await pin(ada, id, { name: '0'.repeat(64), note: '😀'.repeat(280) })).status).toBe(200);
  });

  test('409 for a name that another event of the endpoint has, not of another endpoint', async () => {
    const [one, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const [first, second, third] = [await server.deliver(one), await server.deliver(one), await server.deliver(other)];
    expect((await pin(ada, first, { name: 'golden' })).status).toBe(200);
    expect((await pin(ada, first, { name: 'golden', note: 'again' })).status).toBe(200);
    expect((await pin(ada, second, { name: 'golden' })).status).toBe(409);
    expect((await pin(ada, third, { name: 'golden' })).status).toBe(200);
    expect(await ada.json(200, 'GET', `/api/events/${second}`)).toMatchObject({ pin: null });
  });

  test('404 for an event of another team, which stays as it is', async () => {
    const id = await server.deliver(await bob.createEndpoint());
    for (const [method, path, body] of [
      ['PUT', 'pin', {}],
      ['DELETE', 'pin', undefined],
      ['PUT', 'tags', { tags: ['mine'] }],
    ] as const)
      expect((await ada.call(method, `/api/events/${id}/${path}`, body)).status).toBe(404);
    expect((await ada.call('DELETE', `/api/events/${id}`)).status).toBe(404);
    expect(await bob.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ pin: null, tags: [] });
  });

  test('403 when the team has 1,000 pins; an existing one can be changed, and one more fits when another goes', async () => {
    const dora = await server.createAccount('dora@example.com');
    const endpoint = await dora.createEndpoint();
    const [first, second] = [await server.deliver(endpoint), await server.deliver(await dora.createEndpoint())];
    expect((await pin(dora, first)).status).toBe(200);
    const { client } = server.services.database;
    await client.execute({
      sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO pins (event, endpoint, received_at, pinned_at)
            SELECT 1000000 + i, (SELECT seq FROM endpoints WHERE id = ?), 0, 0 FROM n`,
      args: [maxPinsPerTeam - 1, endpoint.id],
    });
    expect((await pin(dora, second)).status).toBe(403);
    expect((await pin(dora, first, { note: 'changed' })).status).toBe(200);
    expect((await pin(ada, await server.deliver(await ada.createEndpoint()))).status).toBe(200);
    await dora.json(200, 'DELETE', `/api/events/${first}/pin`);
    expect((await pin(dora, second)).status).toBe(200);
  });
});

test('DELETE /api/events/{id}/pin unpins; an event that is not pinned stays as it is', async () => {
  const endpoint = await ada.createEndpoint();
  const [id, other] = [await server.deliver(endpoint), await server.deliver(endpoint)];
  await pin(ada, id);
  await pin(ada, other);
  for (let times = 0; times < 2; times++)
    expect(await ada.json(200, 'DELETE', `/api/events/${id}/pin`)).toEqual({ ok: true });
  expect(await ada.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ pin: null });
  expect(await ada.json(200, 'GET', `/api/events/${other}`)).toMatchObject({ pin: { name: null } });
});

describe('PUT /api/events/{id}/tags', () => {
  test('replaces the tags, in the order in which they are given, without repetitions', async () => {
    const endpoint = await ada.createEndpoint();
    const [id, other] = [await server.deliver(endpoint), await server.deliver(endpoint)];
    const tag = (tags: string[]) => ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags });
    expect(await tag(['zebra', 'a, b "c"', ' zebra ', '日本'])).toMatchObject({
      id,
      tags: ['zebra', 'a, b "c"', '日本'],
    });
    expect(await tag(['b', 'a'])).toMatchObject({ tags: ['b', 'a'] });
    expect(await ada.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ tags: ['b', 'a'] });
    expect(await ada.json(200, 'GET', `/api/events/${other}`)).toMatchObject({ tags: [] });
    expect(await tag([])).toMatchObject({ tags: [] });
  });

  test('10 of 32 characters fit; more is 400', async () => {
    const id = await server.deliver(await ada.createEndpoint());
    const ten = Array.from({ length: 10 }, (_, i) => `${i}${'😀'.repeat(31)}`);
    expect(await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ten })).toMatchObject({ tags: ten });
    for (const tags of [[...ten, 'x'], ['x'.repeat(33)], [''], [' '], ['a\nb'], 'text', undefined, [1]])
      expect((await ada.call('PUT', `/api/events/${id}/tags`, { tags })).status).toBe(400);
    expect(await ada.json(200, 'GET', `/api/events/${id}`)).toMatchObject({ tags: ten });
  });
});

describe('DELETE /api/events/{id}', () => {
  test('removes a pinned event with its replays and marks, and corrects the counters', async () => {
    const endpoint = await ada.createEndpoint();
    const [older, id] = [await server.deliver(endpoint), await server.deliver(endpoint)];
    await pin(ada, id, { name: 'golden' });
    await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: ['a'] });
    const url = `${await server.listen()}${new URL((await ada.createEndpoint()).url).pathname}`;
    for (const one of [older, id]) await ada.json(200, 'POST', `/api/events/${one}/replay`, { url });
    expect(await ada.json(200, 'DELETE', `/api/events/${id}`)).toEqual({ ok: true });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/raw'],
      ['DELETE', ''],
    ] as const)
      expect((await ada.call(method, `/api/events/${id}${path}`)).status).toBe(404);
    const { receivedAt } = await ada.json(200, 'GET', `/api/events/${older}`);
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({
      eventCount: 1,
      lastReceivedAt: receivedAt,
    });
    for (const table of ['pins', 'tags', 'replays'])
      expect(await rowsOf(server, `SELECT count(*) FROM ${table} WHERE event = ${seqOf(id)}`)).toEqual([[0]]);
    expect(await rowsOf(server, `SELECT count(*) FROM replays WHERE event = ${seqOf(older)}`)).toEqual([[1]]);
    // The name is free again.
    expect((await pin(ada, older, { name: 'golden' })).status).toBe(200);
  });

  test('the block goes with its last event, not before', async () => {
    const endpoint = await ada.createEndpoint();
    const seq = (await server.services.endpoints.owned(await server.services.account.byEmail(ada.email), endpoint.id))
      .seq;
    const ids = await Promise.all([1, 2, 3].map(n => server.deliver(endpoint, `{"n":${n}}`)));
    const counts = () => rowsOf(server, `SELECT sum(events), min(events) FROM blocks WHERE endpoint = ${seq}`);
    for (const [i, id] of ids.entries()) {
      const left = ids.slice(i);
      for (const one of left) expect((await ada.call('GET', `/api/events/${one}/raw`)).status).toBe(200);
      expect((await counts())[0]?.[0]).toBe(left.length);
      await ada.json(200, 'DELETE', `/api/events/${id}`);
    }
    expect(await counts()).toEqual([[null, null]]);
    expect(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`)).toMatchObject({
      eventCount: 0,
      lastReceivedAt: null,
    });
  });

  test('403 for a member who is not an owner', async () => {
    const id = await server.deliver(await ada.createEndpoint());
    expect((await cleo.call('DELETE', `/api/events/${id}`)).status).toBe(403);
    expect((await pin(cleo, id)).status).toBe(200);
  });
});

describe('DELETE /api/endpoints/{id} of an endpoint with pins', () => {
  test('needs ?pinned=true, else it is 409 and the endpoint stays', async () => {
    const { id, ...endpoint } = await ada.createEndpoint();
    const event = await server.deliver(endpoint);
    await pin(ada, event);
    for (const query of ['', '?pinned=false'])
      expect((await ada.call('DELETE', `/api/endpoints/${id}${query}`)).status).toBe(409);
    expect((await ada.call('DELETE', `/api/endpoints/${id}?pinned=yes`)).status).toBe(400);
    expect((await bob.call('DELETE', `/api/endpoints/${id}`)).status).toBe(404);
    expect((await ada.call('GET', `/api/events/${event}`)).status).toBe(200);
    await ada.json(200, 'DELETE', `/api/endpoints/${id}?pinned=true`);
    await server.services.background.idle();
    for (const table of ['pins', 'events'])
      expect(
        await rowsOf(
          server,
          `SELECT count(*) FROM ${table} WHERE ${table === 'pins' ? 'event' : 'seq'} = ${seqOf(event)}`,
        ),
      ).toEqual([[0]]);
  });

  test('an endpoint without pins needs nothing', async () => {
    const endpoint = await ada.createEndpoint();
    const event = await server.deliver(endpoint);
    await pin(ada, event);
    await ada.json(200, 'DELETE', `/api/events/${event}/pin`);
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
  });
});
