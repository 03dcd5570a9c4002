/* Saved filters, and trying a filter out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { maxFiltersPerEndpoint } from '../../core/limits.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let cleo: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
  cleo = await server.createAccount('cleo@example.com', { teamOf: 'ada@example.com' });
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

type Saved = { id: string; name: string; where: string; createdAt: number };
const filtersOf = async (who: TestAccount, endpoint: { id: string }): Promise<Saved[]> =>
  (await who.json<{ filters: Saved[] }>(200, 'GET', `/api/endpoints/${endpoint.id}/filters`)).filters;
const save = (who: TestAccount, endpoint: { id: string }, body: object) =>
  who.call('POST', `/api/endpoints/${endpoint.id}/filters`, body);

describe('/api/endpoints/{id}/filters', () => {
  test('a saved filter is listed for the whole team as it was written, oldest first, until it is deleted', async () => {
    const endpoint = await ada.createEndpoint();
    const first = await save(ada, endpoint, { name: '  Large 😀 ', where: ' size>10k  OR type:"a\\"b" ' });
    const saved = (await first.json()) as Saved;
    expect([first.status, saved]).toEqual([
      201,
      {
        id: expect.stringMatching(/^flt_/),
        name: 'Large 😀',
        where: ' size>10k  OR type:"a\\"b" ',
        createdAt: expect.any(Number),
      },
    ]);
    const second = (await (await save(cleo, endpoint, { name: 'Large 😀', where: 'is:pinned' })).json()) as Saved;
    expect(await filtersOf(cleo, endpoint)).toEqual([saved, second]);
    await cleo.json(200, 'DELETE', `/api/endpoints/${endpoint.id}/filters/${saved.id}`);
    expect(await filtersOf(ada, endpoint)).toEqual([second]);
    expect((await ada.call('DELETE', `/api/endpoints/${endpoint.id}/filters/${saved.id}`)).status).toBe(404);
  });

  test.each([
    [{ name: '', where: 'type:a' }, {}],
    [{ name: ' ', where: 'type:a' }, {}],
    [{ name: 'a\u0007', where: 'type:a' }, {}],
    [{ name: '\u200b', where: 'type:a' }, {}],
    [{ name: 'x'.repeat(101), where: 'type:a' }, {}],
    [{ where: 'type:a' }, {}],
    [
      { name: 'empty', where: ' ' },
      { position: 0, nearest: null },
    ],
    [
      { name: 'wrong', where: 'size>1k tpye:a' },
      { position: 8, nearest: 'type' },
    ],
  ])('400 for %j', async (body, details) => {
    const endpoint = await ada.createEndpoint();
    const answer = await save(ada, endpoint, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String), ...details }]);
    expect(await filtersOf(ada, endpoint)).toEqual([]);
  });

  test('403 beyond 100 filters of an endpoint, also when they are saved at the same time', async () => {
    const [endpoint, other] = [await ada.createEndpoint(), await ada.createEndpoint()];
    const answers = await Promise.all(
      Array.from({ length: maxFiltersPerEndpoint + 3 }, (_, i) =>
        save(ada, endpoint, { name: `n${i}`, where: 'type:a' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(maxFiltersPerEndpoint);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(3);
    expect((await save(ada, other, { name: 'one', where: 'type:a' })).status).toBe(201);
  });

  test('404 for an endpoint of another team, and a filter of another endpoint', async () => {
    const [mine, other, theirs] = [await ada.createEndpoint(), await ada.createEndpoint(), await bob.createEndpoint()];
    const { id } = (await (await save(bob, theirs, { name: 'secret', where: 'type:a' })).json()) as Saved;
    const own = (await (await save(ada, other, { name: 'mine', where: 'type:a' })).json()) as Saved;
    expect((await save(ada, theirs, { name: 'x', where: 'type:a' })).status).toBe(404);
    for (const path of [`${theirs.id}/filters/${id}`, `${mine.id}/filters/${id}`, `${mine.id}/filters/${own.id}`])
      expect((await ada.call('DELETE', `/api/endpoints/${path}`)).status).toBe(404);
    expect((await ada.call('GET', `/api/endpoints/${theirs.id}/filters`)).status).toBe(404);
    expect(await filtersOf(bob, theirs)).toHaveLength(1);
    expect(await filtersOf(ada, other)).toEqual([own]);
  });

  test('they go with their endpoint', async () => {
    const endpoint = await ada.createEndpoint();
    await save(ada, endpoint, { name: 'x', where: 'type:a' });
    const { id } = (await filtersOf(ada, endpoint))[0] ?? { id: '' };
    await ada.json(200, 'DELETE', `/api/endpoints/${endpoint.id}`);
    expect((await ada.call('GET', `/api/endpoints/${endpoint.id}/filters`)).status).toBe(404);
    const { client } = server.services.database;
    await client.execute({ sql: 'DELETE FROM endpoints WHERE id = ?', args: [endpoint.id] });
    const { rows } = await client.execute({ sql: 'SELECT 1 FROM filters WHERE id = ?', args: [id] });
    expect(rows).toEqual([]);
  });
});

describe('POST /api/endpoints/{id}/where/test', () => {
  type Result = {
    matched: { id: string }[];
    unmatched: { event: { id: string }; clause: string }[];
    untested: number;
    hint: string | null;
  };
  const testFilter = (endpoint: { id: string }, body: object) =>
    ada.json<Result>(200, 'POST', `/api/endpoints/${endpoint.id}/where/test`, body);

  test('says which of the newest events match, and which term decided for the others', async () => {
    const endpoint = await ada.createEndpoint();
    const bodies = ['{"amount":1,"kind":"a"}', '{"amount":5,"kind":"a"}', '{"amount":5,"kind":"b"}', 'no fields'];
    const ids: string[] = [];
    for (const body of bodies) ids.push(await server.deliver(endpoint, body));
    const where = 'body.amount>2 (body.kind:"a" OR path:/never) -is:pinned verdict:none';
    const { matched, unmatched } = await testFilter(endpoint, { where });
    expect(matched.map(({ id }) => id)).toEqual([ids[1] ?? '']);
    expect(unmatched.map(({ event, clause }) => [event.id, clause])).toEqual([
      [ids[3] ?? '', 'body.amount>2'],
      [ids[2] ?? '', 'path:/never'],
      [ids[0] ?? '', 'body.amount>2'],
    ]);
    expect(unmatched[0]?.event).toMatchObject({ payloadPreview: 'no fields', tags: [], pin: null });
    const [newest] = (await testFilter(endpoint, { where: '-body.kind:b', limit: 2 })).unmatched;
    expect([newest?.event.id, newest?.clause]).toEqual([ids[2] ?? '', 'body.kind:b']);
  });

  test('tries 10 events, or as many as are asked for up to 100; an empty filter matches all', async () => {
    const endpoint = await ada.createEndpoint();
    for (let i = 0; i < 12; i++) await server.deliver(endpoint, `${i}`);
    expect((await testFilter(endpoint, { where: '' })).matched).toHaveLength(10);
    const { unmatched, untested } = await testFilter(endpoint, { where: 'tag:golden', limit: 11 });
    expect(unmatched.length + untested).toBe(11);
    for (const limit of [0, 101, 1.5])
      expect((await ada.call('POST', `/api/endpoints/${endpoint.id}/where/test`, { where: '', limit })).status).toBe(
        400,
      );
  });

  test('knows pins, tags and replays', async () => {
    const endpoint = await ada.createEndpoint();
    const [one, two] = [await server.deliver(endpoint), await server.deliver(endpoint)];
    await ada.json(200, 'PUT', `/api/events/${one}/pin`, {});
    await ada.json(200, 'PUT', `/api/events/${two}/tags`, { tags: ['golden'] });
    expect((await testFilter(endpoint, { where: 'is:pinned' })).matched).toMatchObject([{ id: one }]);
    expect((await testFilter(endpoint, { where: 'tag:gold*' })).matched).toMatchObject([{ id: two }]);
    expect((await testFilter(endpoint, { where: 'is:replayed' })).matched).toEqual([]);
  });

  test('a hint for types that only the bodies have', async () => {
    const endpoint = await ada.createEndpoint();
    // Stripe's type is `type`, GitHub's is a header.
    const headers = { 'x-github-event': 'push', 'x-github-delivery': 'a', 'content-type': 'application/json' };
    await server.deliver(endpoint, '{"type":"order.created","kind":"(x)"}', { headers });
    await server.deliver(endpoint, '{"kind":1}', { headers });
    const hintOf = async (where: string) => (await testFilter(endpoint, { where, limit: 1 })).hint;
    const hint = (where: string) => `No event has such an event type, but some have it in their body. Try: ${where}`;
    expect(await hintOf('type:order.*')).toBe(hint('body.type:order.*'));
    expect(await hintOf('é (-type:no OR a) type:"order.created"')).toBeNull();
    expect(await hintOf('body.kind:"(x)" (type:no OR  type:"order.created") -tag:é')).toBe(
      hint('body.kind:"(x)" (body.type:no OR  body.type:"order.created") -tag:é'),
    );
    for (const none of ['', 'type:push', 'type:refund', '-type:order.created', 'tag:none', 'type:order.* tag:none'])
      expect([none, await hintOf(none)]).toEqual([none, null]);
  });

  test('400 with the position of an error, 404 for an endpoint of another team', async () => {
    const { id } = await ada.createEndpoint();
    const wrong = await ada.call('POST', `/api/endpoints/${id}/where/test`, { where: 'type:a OR (size>1k' });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/^invalid where: /), position: expect.any(Number), nearest: null },
    ]);
    expect((await bob.call('POST', `/api/endpoints/${id}/where/test`, { where: '' })).status).toBe(404);
  });
});
