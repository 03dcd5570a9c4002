import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Position } from '../../core/ids/cursor.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import { createCountingService } from './counting.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
const ids: string[] = [];

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  for (let n = 0; n < 7; n++)
    ids.push(
      await server.deliver(endpoint, `{"n":${n}}`, {
        headers: {
          'content-type': 'application/json',
          'x-github-event': n % 2 === 0 ? 'push' : 'ping',
          ...(n < 2 && { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` }),
        },
      }),
    );
  await server.deliver(await ada.createEndpoint());
});
afterAll(() => server.close());

const path = (query: Record<string, string>) =>
  `/api/endpoints/${endpoint.id}/events/count?${new URLSearchParams(query)}`;

describe('GET /api/endpoints/{id}/events/count', () => {
  test.each([
    [{ where: 'type:push' }, 4],
    [{ where: 'body.n>4' }, 2],
    [{ where: 'type:absent' }, 0],
    [{}, 7],
    [{ where: ' ' }, 7],
  ])('of %j', async (query, count) => {
    expect(await ada.json<object>(200, 'GET', path(query))).toEqual({ count, nextCursor: null });
  });

  test('400 for a wrong filter or cursor, 404 for a foreign endpoint', async () => {
    expect(await ada.json<object>(400, 'GET', path({ where: 'body.n>' }))).toHaveProperty('position');
    await ada.json(400, 'GET', path({ cursor: 'x' }));
    const eve = await server.createAccount('eve@example.com');
    await eve.json(404, 'GET', path({}));
  });

  test('a large history is counted in several calls', async () => {
    const total = 40_000;
    let now = 0;
    const { count } = createCountingService({
      endpoint: async () => ({ id: 'ep', seq: 1, token: '', retentionMs: null }) as never,
      retentionCutoff: () => 0,
      find: async ({ after, limit }) => {
        const from = after ? after.seq : total;
        const found: Position[] = Array.from({ length: Math.min(limit, from) }, (_, i) => ({
          receivedAt: 1,
          seq: from - 1 - i,
        }));
        return { found, next: undefined };
      },
      monotonic: () => (now += 32),
    });
    let [sum, calls] = [0, 0];
    let cursor: string | null = null;
    do {
      const page: { count: number; nextCursor: string | null } = await count({ teamId: 't' } as never, 'ep', {
        ...(cursor !== null && { cursor }),
      });
      sum += page.count;
      calls++;
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect([sum, calls]).toEqual([total, 3]);
  });
});

describe('GET /api/endpoints/{id}/export?ids=', () => {
  const exported = async (given: readonly string[], more = ''): Promise<string[]> =>
    (
      await ada.json<{ events: { id: string }[] }>(
        200,
        'GET',
        `/api/endpoints/${endpoint.id}/export?ids=${given.join(',')}${more}`,
      )
    ).events.map(({ id }) => id);

  test('has exactly these events, oldest first, and those of them that match', async () => {
    const [a, b] = [ids[4] ?? '', ids[1] ?? ''];
    expect(await exported([a, b, a])).toEqual([b, a]);
    expect(await exported([a, b], '&where=type:push')).toEqual([a]);
  });

  test('an id that is unknown, guessed or of another endpoint selects nothing', async () => {
    const other = await server.deliver(await ada.createEndpoint());
    const guessed = `${ids[0]?.slice(0, -1)}${ids[0]?.endsWith('0') ? '1' : '0'}`;
    expect(await exported(['evt_x', other, guessed])).toEqual([]);
    expect(await exported([])).toEqual([]);
  });

  test('400 for more ids than a URL holds', async () => {
    await ada.json(400, 'GET', `/api/endpoints/${endpoint.id}/export?ids=${Array(201).fill('x').join(',')}`);
  });
});

test('lists tell unchecked signatures from none, and what happened', async () => {
  const listed = async () =>
    (
      await ada.json<{ events: { id: string; verdict: string; action: string | null }[] }>(
        200,
        'GET',
        `/api/events?endpointId=${endpoint.id}`,
      )
    ).events;
  const verdictOf = async (n: number) => (await listed()).find(({ id }) => id === ids[n])?.verdict;
  expect([await verdictOf(0), await verdictOf(3)]).toEqual(['unchecked', 'none']);
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret: 'sesame' });
  expect([await verdictOf(0), await verdictOf(3)]).toEqual(['invalid', 'none']);
  await server.deliver(endpoint, '{"action":"opened"}', {
    headers: { 'content-type': 'application/json', 'x-github-event': 'issues' },
  });
  expect((await listed())[0]?.action).toBe('opened');
});
