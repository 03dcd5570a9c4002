import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

type Summary = {
  id: string;
  payloadPreview: string;
  highlights: string[];
  receivedAt: number;
  path: string;
  size: number;
};
type Page = { events: Summary[]; nextCursor: string | null };
type Detail = { payload: unknown; payloadRaw: string; payloadEncoding: string; replays: unknown[]; sha256: string };

const clock = holdClock();
let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer({ clock });
  ada = await server.createAccount();
});
afterAll(() => server.close());

const page = (endpoint: { id: string }, more = ''): Promise<Page> =>
  ada.json<Page>(200, 'GET', `/api/events?endpointId=${endpoint.id}${more}`);
const detail = (id: string): Promise<Detail> => ada.json<Detail>(200, 'GET', `/api/events/${id}`);

async function walk(endpoint: { id: string }, limit: number, between?: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const next: Page = await page(endpoint, `&limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
    seen.push(...next.events.map(({ id }) => id));
    cursor = next.nextCursor;
    await between?.();
  } while (cursor !== null);
  return seen;
}

describe('GET /api/events', () => {
  test('newest first, 25 by default, nextCursor null on the last page', async () => {
    const endpoint = await ada.createEndpoint();
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      clock.advance(1);
      ids.unshift(await server.deliver(endpoint, `{"n":${i}}`));
    }
    const first = await page(endpoint);
    expect(first.events.map(({ id }) => id)).toEqual(ids.slice(0, 25));
    const second = await page(endpoint, `&cursor=${first.nextCursor}`);
    expect(second.events.map(({ id }) => id)).toEqual(ids.slice(25));
    expect(second.nextCursor).toBeNull();
    expect((await page(endpoint, '&limit=30')).nextCursor).toBeNull();
  });

  test.each([1, 7, 100])(
    'pages of %p visit every event exactly once while new ones arrive and the clock jumps',
    async limit => {
      const endpoint = await ada.createEndpoint();
      const before: string[] = [];
      for (let i = 0; i < 40; i++) {
        // Many share a millisecond, and the clock goes back in between.
        if (i % 10 === 0) clock.setNow(clock.now() + (i % 20 === 0 ? 5 : -8));
        before.push(await server.deliver(endpoint, `{"n":${i}}`));
      }
      let arrivals = 0;
      const seen = await walk(endpoint, limit, async () => {
        if (arrivals++ < 5) await server.deliver(endpoint, '"late"');
      });
      expect(seen.length).toBe(new Set(seen).size);
      expect(before.filter(id => !seen.includes(id))).toEqual([]);
    },
  );

  test('the order is the same with any page size', async () => {
    const endpoint = await ada.createEndpoint();
    for (let i = 0; i < 20; i++) await server.deliver(endpoint, `${i}`);
    expect(await walk(endpoint, 3)).toEqual(await walk(endpoint, 20));
  });

  test.each(['0', '101', '-1', '1.5', '1e1', '0x10', ' 5', '05', '', 'x', '999999999999'])(
    '400 for limit=%j',
    async limit => {
      const endpoint = await ada.createEndpoint();
      const { error } = await ada.json<{ error: string }>(
        400,
        'GET',
        `/api/events?endpointId=${endpoint.id}&limit=${encodeURIComponent(limit)}`,
      );
      expect(error).toBe('invalid query: limit: expected 1 to 100, default 25');
    },
  );

  test('the error names the missing field', async () => {
    const list = await ada.json<{ error: string }>(400, 'GET', '/api/events');
    const key = await ada.json<{ error: string }>(400, 'POST', '/api/keys', {});
    expect([list.error, key.error]).toEqual(['invalid query: endpointId: required', 'invalid body: name: required']);
  });

  test.each(['', 'x', '0'.repeat(22).replace(/.$/, 'u'), '%00', 'evt_1', '0'.repeat(23)])(
    '400 for the cursor %j',
    async cursor => {
      const endpoint = await ada.createEndpoint();
      await ada.json(400, 'GET', `/api/events?endpointId=${endpoint.id}&cursor=${cursor}`);
    },
  );

  test('400 without endpointId, 404 for a missing endpoint', async () => {
    await ada.json(400, 'GET', '/api/events');
    await ada.json(404, 'GET', '/api/events?endpointId=ep_nothing');
  });

  test.each([
    ['short', 'short'],
    ['x'.repeat(300), 'x'.repeat(200)],
    ['😀'.repeat(300), '😀'.repeat(200)],
    [`${'é'.repeat(199)}😀😀`, `${'é'.repeat(199)}😀`],
    ['', ''],
  ])('the preview is the first 200 characters', async (body, preview) => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, body);
    expect((await page(endpoint)).events[0]?.payloadPreview).toBe(preview);
  });

  const issue = { issue: { number: 7, title: 'It breaks' }, action: 'opened', repository: { full_name: 'a/b' } };
  const github = { 'x-github-event': 'issues' };
  test.each<[what: string, body: string, headers: Record<string, string>, highlights: string[]]>([
    ['a known platform', JSON.stringify(issue), github, ['It breaks', '#7', 'opened', 'a/b']],
    ['an unknown sender', '{"id":"o1","amount":5,"status":"paid"}', {}, ['5', 'paid']],
    ['a form', 'name=Ada&x=1', { 'content-type': 'application/x-www-form-urlencoded' }, ['Ada']],
    ['a payload with nothing that is known to matter', '{"hello":"world"}', {}, []],
    ['an empty payload', '', github, []],
    ['a payload of 40 KiB', JSON.stringify({ x: 'x'.repeat(40_000), name: 'Ada' }), {}, ['Ada']],
    ['the beginning of a large payload', JSON.stringify({ name: 'Ada', x: 'x'.repeat(300_000) }), {}, ['Ada']],
    ['not the end of a large payload', JSON.stringify({ x: 'x'.repeat(300_000), name: 'Ada' }), {}, []],
  ])('highlights of %s', async (_what, body, headers, highlights) => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, body, { headers });
    expect((await page(endpoint)).events[0]?.highlights).toEqual(highlights);
    const q = encodeURIComponent(body.slice(2, 8));
    if (q !== '') expect((await page(endpoint, `&q=${q}`)).events).toMatchObject([{ id, highlights }]);
    expect(await detail(id)).not.toHaveProperty('highlights');
  });
});

describe('GET /api/events/{id}', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test.each([
    ['{"a":1}', { a: 1 }],
    ['null', null],
    ['0', 0],
    ['"text"', 'text'],
    [' [1, 2] ', [1, 2]],
    ['', null],
    ['{broken', null],
    ['{"a":1}trailing', null],
    ['a=1&b=2', null],
    ['\u0000', null],
  ])('the payload of the body %j', async (body, payload) => {
    const endpoint = await ada.createEndpoint();
    expect(await detail(await server.deliver(endpoint, body))).toMatchObject({
      payload,
      payloadRaw: body,
      payloadEncoding: 'utf8',
      replays: [],
      forwards: [],
    });
  });

  test('a key named __proto__ is kept', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, '{"__proto__":{"x":1},"constructor":2}');
    expect(await (await ada.call('GET', `/api/events/${id}`)).text()).toContain(
      '"payload":{"__proto__":{"x":1},"constructor":2}',
    );
  });

  test('the payload of JSON that is nested too deep is null', async () => {
    const endpoint = await ada.createEndpoint();
    const deep = await server.deliver(endpoint, nested(100_000));
    expect(await detail(deep)).toMatchObject({ payload: null, payloadRaw: nested(100_000) });
    const { payload, payloadRaw } = await detail(await server.deliver(endpoint, nested(9999)));
    expect([JSON.stringify(payload), payloadRaw]).toEqual([nested(9999), nested(9999)]);
    expect((await detail(await server.deliver(endpoint, `{"s":"${'['.repeat(20_000)}\\"["}`))).payload).not.toBeNull();
  });

  test.each(['evt_', 'evt_x', '../me', 'evt_'.padEnd(35, '0'), 'ep_1', 'evt_'.padEnd(35, 'z')])(
    '404 for %j',
    async id => {
      await ada.json(404, 'GET', `/api/events/${encodeURIComponent(id)}`);
    },
  );

  test('404 for an id with another nonce', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    const last = id.endsWith('0') ? 'g' : '0';
    await ada.json(404, 'GET', `/api/events/${id.slice(0, -1)}${last}`);
  });
});

describe('GET /api/events/{id}/raw', () => {
  test('is a download that no browser renders', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint, '<script>alert(1)</script>', {
      headers: { 'content-type': 'text/html' },
    });
    const response = await ada.call('GET', `/api/events/${id}/raw`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${id}.bin"`);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(await response.text()).toBe('<script>alert(1)</script>');
  });
});

describe('retention', () => {
  test('an expired event is not readable from that moment on', async () => {
    const endpoint = await ada.createEndpoint();
    const id = await server.deliver(endpoint);
    clock.advance(90 * 86_400_000 - 1);
    await detail(id);
    clock.advance(2);
    expect((await page(endpoint)).events).toEqual([]);
    await ada.json(404, 'GET', `/api/events/${id}`);
    await ada.json(404, 'GET', `/api/events/${id}/raw`);
  });
});
