/* `where` on the event list and the live stream. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { readSse } from '../../testing/sse.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Page = { events: { id: string }[]; nextCursor: string | null; scannedTo: number | null };

let server: TestServer;
let ada: TestAccount;
let bob: TestAccount;
beforeAll(async () => {
  // Every step of a search exceeds the budget.
  server = await openTestServer({ searchLimits: { budget: { ms: 0, blocks: 1 } } });
  ada = await server.createAccount('ada@example.com');
  bob = await server.createAccount('bob@example.com');
});
afterAll(() => server.close());

const listPath = (endpoint: { id: string }, given: Record<string, string>): string =>
  `/api/events?${new URLSearchParams({ endpointId: endpoint.id, ...given })}`;

async function listAll(endpoint: { id: string }, given: Record<string, string>, onPage = async () => {}) {
  const ids: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: Page = await ada.json<Page>(200, 'GET', listPath(endpoint, { ...given, ...(cursor && { cursor }) }));
    ids.push(...page.events.map(({ id }) => id));
    if (page.scannedTo !== null) expect(page.nextCursor).not.toBeNull();
    cursor = page.nextCursor;
    pages++;
    await onPage();
  } while (cursor !== null);
  return { ids, pages };
}

async function deliverAll(endpoint: { url: string }, bodies: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const body of bodies) ids.push(await server.deliver(endpoint, body));
  return ids;
}

describe('GET /api/events?where=', () => {
  test('selects events by columns, fields and text, together with `q`', async () => {
    const endpoint = await ada.createEndpoint();
    const [a = '', b = '', c = ''] = await deliverAll(endpoint, [
      '{"n":1,"sku":"A-1"}',
      '{"n":2,"sku":"A-1"}',
      '{"n":2,"sku":"B-1"}',
    ]);
    const found = async (given: Record<string, string>) => (await listAll(endpoint, given)).ids;
    expect(await found({ where: 'body.n:2' })).toEqual([c, b]);
    expect(await found({ where: 'body.n:2', q: 'a-1' })).toEqual([b]);
    expect(await found({ where: 'size<100 NOT body.sku:"A-1"' })).toEqual([c]);
    expect(await found({ where: 'method:get OR sku', limit: '1' })).toEqual([c, b, a]);
    expect(await found({ where: ' ' })).toEqual([c, b, a]);
    expect(await found({ where: 'type:absent' })).toEqual([]);
  });

  test('pages have no event twice and none is missing while events arrive', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = await deliverAll(
      endpoint,
      Array.from({ length: 60 }, (_, i) => `{"n":${i % 3}}`),
    );
    const expected = ids.filter((_, i) => i % 3 === 1).reverse();
    const deliver = async () => void (await server.deliver(endpoint, '{"n":1}'));
    for (const where of ['body.n:1', 'body.n>=1 body.n<2', 'method:POST "n\\":1"', '-body.n:0 -body.n:2']) {
      const { ids: found, pages } = await listAll(endpoint, { where, limit: '7' }, deliver);
      expect(found.filter(id => ids.includes(id))).toEqual(expected);
      expect(new Set(found).size).toBe(found.length);
      expect(pages).toBeGreaterThan(2);
    }
  });

  test('verdicts follow the secrets of the endpoint', async () => {
    const endpoint = await ada.createEndpoint();
    const sign = (secret: string) => ({
      headers: {
        'x-github-event': 'push',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`,
      },
    });
    const right = await server.deliver(endpoint, '{}', sign('sesame'));
    const wrong = await server.deliver(endpoint, '{}', sign('another'));
    const unsigned = await server.deliver(endpoint, '{}');
    const found = async (verdict: string) => (await listAll(endpoint, { where: `verdict:${verdict}` })).ids;
    expect([await found('unchecked'), await found('none')]).toEqual([[wrong, right], [unsigned]]);
    await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
    expect([await found('valid'), await found('invalid'), await found('unchecked'), await found('none')]).toEqual([
      [right],
      [wrong],
      [],
      [unsigned],
    ]);
  });

  test.each([
    ['size>1k tpye:a', { position: 8, nearest: 'type' }],
    ['😀 (', { nearest: null }],
    ['type!=a', { nearest: null }],
    [`"${'x'.repeat(2100)}"`, { nearest: null }],
    [Array.from({ length: 51 }, () => 'a').join(' '), { nearest: null }],
  ])('400 for %j, with the position, before 404 for an unknown endpoint', async (where, details) => {
    const answer = await ada.call('GET', listPath({ id: 'ep_none' }, { where }));
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(/^invalid where: /), position: expect.any(Number), ...details },
    ]);
  });

  test('404 for an endpoint of another team, 400 for two filters', async () => {
    const endpoint = await bob.createEndpoint();
    await server.deliver(endpoint);
    expect((await ada.call('GET', listPath(endpoint, { where: 'method:*' }))).status).toBe(404);
    expect((await bob.call('GET', `${listPath(endpoint, { where: 'method:*' })}&where=a`)).status).toBe(400);
  });
});

describe('GET /api/endpoints/{id}/stream?where=', () => {
  const follow = async (endpoint: { id: string }, where: string, headers: Record<string, string> = {}) =>
    readSse(`${await server.listen()}/api/endpoints/${endpoint.id}/stream?${new URLSearchParams({ where })}`, {
      authorization: `Bearer ${ada.key}`,
      ...headers,
    });

  test('sends only events that match, those of before `Last-Event-ID` included', async () => {
    const endpoint = await ada.createEndpoint();
    const before = await deliverAll(
      endpoint,
      Array.from({ length: 700 }, (_, i) => `{"n":${i}}`),
    );
    const stream = await follow(endpoint, 'body.n>=600 -body.n:650', { 'last-event-id': before[5] ?? '' });
    const after = await deliverAll(endpoint, ['{"n":9}', '{"n":650}', '{"n":1000}']);
    const messages = await stream.count(100);
    expect(messages.map(({ id }) => id)).toEqual([...before.slice(600).filter((_, i) => i !== 50), after[2] ?? '']);
    stream.close();
  }, 120_000);

  test('400 with the position before the stream starts', async () => {
    const { id } = await ada.createEndpoint();
    const answer = await ada.call('GET', `/api/endpoints/${id}/stream?where=siez%3E1`);
    expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toMatchObject([
      400,
      expect.stringContaining('application/json'),
      { error: expect.any(String), position: 0, nearest: 'size' },
    ]);
  });
});
