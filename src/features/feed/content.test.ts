/* GET /api/endpoints/{id}/feed?content=full: exact contents, at most 4 MiB an answer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseEventId } from '../../core/ids/ids.ts';
import { damageEvent } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail } from '../events/model.ts';
import type { FeedPage } from './model.ts';

const maxAnswerBytes = 4 << 20;

let server: TestServer;
let ada: TestAccount;
beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

type Endpoint = { id: string; url: string };

/** All events of the feed, and the length of each answer. */
async function readAll(endpoint: Endpoint): Promise<{ pages: FeedPage[]; bytes: number[] }> {
  const pages: FeedPage[] = [];
  const bytes: number[] = [];
  for (let after = 'start', more = true; more; ) {
    const answer = await ada.call('GET', `/api/endpoints/${endpoint.id}/feed?after=${after}&content=full&limit=100`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8']);
    const text = await answer.text();
    const page = JSON.parse(text) as FeedPage;
    pages.push(page);
    bytes.push(Buffer.byteLength(text));
    ({ cursor: after, more } = page);
  }
  return { pages, bytes };
}

describe('GET /api/endpoints/{id}/feed?content=full', () => {
  test('has headers and payload as the detail has them: text, bytes that are not UTF-8, nothing, every escape', async () => {
    const endpoint = await ada.createEndpoint();
    const bodies = ['{"text":"ä\\n"}', Uint8Array.of(0xff, 0, 1), '', Uint8Array.from({ length: 128 }, (_, n) => n)];
    await server.deliver({ url: `${endpoint.url}/orders?a=%zz&a='` });
    for (const body of bodies) await server.deliver(endpoint, body, { headers: { 'X-Case': 'Kept', 'x-case': 'too' } });
    const { pages } = await readAll(endpoint);
    const [page] = pages;
    expect([pages.length, page?.more, page?.truncated]).toEqual([1, false, false]);
    const plain = await ada.json<FeedPage>(200, 'GET', `/api/endpoints/${endpoint.id}/feed`);
    for (const [i, { query, rawHeaders, payloadRaw, payloadEncoding, ...summary }] of (page?.events ?? []).entries()) {
      expect<unknown>(summary).toEqual(plain.events[i] ?? {});
      const detail = await ada.json<EventDetail>(200, 'GET', `/api/events/${summary.id}`);
      expect({ query, rawHeaders, payloadRaw, payloadEncoding }).toEqual({
        query: detail.query,
        rawHeaders: detail.rawHeaders,
        payloadRaw: detail.payloadRaw,
        payloadEncoding: detail.payloadEncoding,
      });
    }
    expect(page?.events).toHaveLength(5);
    expect(page?.cursor).toBe(plain.cursor);
  });

  test('without events it answers like the plain one', async () => {
    const endpoint = await ada.createEndpoint();
    const { pages } = await readAll(endpoint);
    expect(pages).toEqual([{ events: [], cursor: expect.any(String), more: false, truncated: false }]);
  });

  test('an answer has at most 4 MiB as it is sent, and a larger event comes alone', async () => {
    const endpoint = await ada.createEndpoint();
    const mebibyte = 1 << 20;
    const bodies = [
      Buffer.alloc(mebibyte, 'a'),
      // Twice as long in JSON.
      Buffer.alloc(mebibyte, '"'),
      // Six times.
      Buffer.alloc(mebibyte, 1),
      Buffer.alloc(10, 'b'),
      Buffer.alloc(5 * mebibyte, 'c'),
      Buffer.alloc(10, 'd'),
      // A third longer in base64.
      Buffer.alloc(3 * mebibyte, 0xff),
      Buffer.alloc(mebibyte, 'e'),
      Buffer.alloc(200 << 10, 'f'),
    ];
    const ids: string[] = [];
    for (const body of bodies) ids.push(await server.deliver(endpoint, body));
    const { pages, bytes } = await readAll(endpoint);
    const all = pages.flatMap(({ events }) => events);
    expect(all.map(({ id }) => id)).toEqual(ids);
    for (const [i, { payloadRaw, payloadEncoding }] of all.entries()) {
      const raw = Buffer.from(payloadRaw ?? '', payloadEncoding === 'base64' ? 'base64' : 'utf8');
      expect(raw.equals(bodies[i] ?? Buffer.alloc(0))).toBe(true);
    }
    for (const [i, { events }] of pages.entries())
      if (events.length > 1) expect(bytes[i]).toBeLessThanOrEqual(maxAnswerBytes);
    // 1 MiB with 1 MiB of quotes is 3 MiB; six times 1 MiB, and 3 MiB in base64, leave no space for another.
    expect(pages.map(({ events }) => events.length)).toEqual([2, 1, 1, 1, 1, 1, 2]);
    expect(server.services.contentReads.heldBytes()).toBe(0);
  }, 120_000);

  test('a damaged event has no content, and stops nobody', async () => {
    const endpoint = await ada.createEndpoint();
    const ids = [await server.deliver(endpoint, 'one'), await server.deliver(endpoint, 'two')];
    await damageEvent(server.services.database.client, parseEventId(ids[0] ?? '')?.seq ?? 0, 'unreadable');
    const { pages } = await readAll(endpoint);
    expect(pages.flatMap(({ events }) => events)).toMatchObject([
      { id: ids[0], query: null, rawHeaders: null, payloadRaw: null, payloadEncoding: null },
      { id: ids[1], payloadRaw: 'two', payloadEncoding: 'utf8' },
    ]);
  });

  test('a client that goes away in the middle of a large answer gives its memory back', async () => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, Buffer.alloc(8 << 20, 'x'));
    const answer = await ada.call('GET', `/api/endpoints/${endpoint.id}/feed?content=full`);
    expect(server.services.contentReads.heldBytes()).toBeGreaterThan(0);
    await answer.body?.cancel();
    expect(server.services.contentReads.heldBytes()).toBe(0);
  });
});
