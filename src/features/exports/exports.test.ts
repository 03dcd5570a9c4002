import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { har as validateHar } from 'har-validator';
import { eventually } from '../../testing/poll.ts';
import type { TestAccount, TestServer } from '../../testing/test-server.ts';
import { openTestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount('ada@example.com');
});
afterAll(() => server.close());

type Exported = {
  version: string;
  exportedAt: number;
  endpoint: Record<string, unknown>;
  events: Record<string, unknown>[];
};
const exportOf = (endpoint: { id: string }, query = '') =>
  ada.json<Exported>(200, 'GET', `/api/endpoints/${endpoint.id}/export${query}`);
type Entry = {
  startedDateTime: string;
  request: Record<string, unknown> & { url: string; postData?: Record<string, unknown> };
  response: { status: number; content: { text?: string } };
  _eventType: null;
};
const harOf = (endpoint: { id: string }) =>
  ada.json<{ log: { version: string; creator: unknown; pages: []; entries: Entry[] } }>(
    200,
    'GET',
    `/api/endpoints/${endpoint.id}/export?format=har`,
  );

const every = Uint8Array.from({ length: 256 }, (_, i) => i);

async function deliverRaw(endpoint: { url: string }, head: string, body: Uint8Array | string = ''): Promise<string> {
  const socket = connect(Number(new URL(await server.listen()).port), '127.0.0.1');
  let answer = '';
  socket.on('data', data => {
    answer += data.toString('latin1');
  });
  socket.write(Buffer.from(head.replace('PATH', new URL(endpoint.url).pathname), 'latin1'));
  socket.write(body);
  const [, id = ''] = await eventually(() => /^HTTP\/1.1 200.*\r\n\r\n(?:.*"id":"(evt_\w+)"|$)/s.exec(answer));
  socket.destroy();
  return id;
}

describe('GET /api/endpoints/{id}/export', () => {
  test('json contains the endpoint and every event as EventDetail shows it, oldest first', async () => {
    const endpoint = await ada.createEndpoint('stage');
    const ids = [
      await server.deliver(endpoint, '{"a":"\\u00e9\\n"}', { suffix: '/deep/%2e?x=1&x=2' }),
      await server.deliver(endpoint, every),
      await server.deliver(endpoint, Buffer.from('\u0000\u0001"\\é😀\u2028\ufeff')),
      await server.deliver(endpoint, ''),
      await deliverRaw(
        endpoint,
        'PUT PATH? HTTP/1.1\r\nHost: a\r\nX-L: caf\xe9"\r\nx-l: 2\r\nCookie: s=1\r\nContent-Length: 0\r\n\r\n',
      ),
    ];
    const file = await exportOf(endpoint);
    expect(Object.keys(file)).toEqual(['version', 'exportedAt', 'endpoint', 'events']);
    expect(file.version).toBe('2026.09.17');
    expect(file.endpoint).toEqual(await ada.json(200, 'GET', `/api/endpoints/${endpoint.id}`));
    expect(file.events.map(event => event['id'])).toEqual(ids);
    for (const event of file.events) {
      const detail = await ada.json(200, 'GET', `/api/events/${event['id']}`);
      const names =
        'id receivedAt method path query headers rawHeaders eventType platform size sha256 payloadRaw payloadEncoding pin tags answered refused redacted';
      expect(Object.keys(event)).toEqual(names.split(' '));
      for (const name of names.split(' ')) expect(event[name]).toEqual(detail[name]);
    }
  });

  test('a header named __proto__ is exported like any other', async () => {
    const endpoint = await ada.createEndpoint();
    await deliverRaw(endpoint, 'POST PATH HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nContent-Length: 0\r\n\r\n');
    const [event] = (await exportOf(endpoint)).events;
    expect(Object.entries(event?.['headers'] ?? {})).toContainEqual(['__proto__', 'x']);
    expect(event?.['rawHeaders']).toContainEqual(['__proto__', 'x']);
  });

  test('har is valid, with the address as delivered, headers in order, and binary bodies marked', async () => {
    const endpoint = await ada.createEndpoint('har');
    const text = await server.deliver(endpoint, '{"a":1}', { suffix: '/x?a[]=1&a[]=%zz&b' });
    await server.deliver(endpoint, every, { method: 'PUT' });
    await deliverRaw(endpoint, 'HEAD PATH HTTP/1.1\r\nHost: a\r\nX-L: caf\xe9\r\nx-l: 2\r\n\r\n');
    const { log } = await harOf(endpoint);
    expect(await validateHar({ log })).toEqual({ log });
    expect([log.version, log.pages]).toEqual(['1.2', []]);
    expect(log.creator).toEqual({ name: 'Hooktape', version: 'test' });
    const [first, second, third] = log.entries;
    expect(first?.request).toMatchObject({
      method: 'POST',
      url: `${endpoint.url}/x?a[]=1&a[]=%zz&b`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      queryString: [
        { name: 'a[]', value: '1' },
        { name: 'a[]', value: '%zz' },
        { name: 'b', value: '' },
      ],
      postData: { mimeType: 'application/json', text: '{"a":1}' },
      bodySize: 7,
    });
    expect(JSON.parse(first?.response.content.text ?? '')).toEqual({ ok: true, id: text });
    expect(second?.request.postData).toEqual({
      mimeType: 'application/json',
      text: Buffer.from(every).toString('base64'),
      _encoding: 'base64',
      comment: 'the text is the body in base64',
    });
    expect(third?.request).toMatchObject({
      method: 'HEAD',
      headers: [
        { name: 'Host', value: 'a' },
        { name: 'X-L', value: 'café' },
        { name: 'x-l', value: '2' },
      ],
    });
    expect(third?.request.postData).toBeUndefined();
  });

  test('the response is a download named after the endpoint, which browsers do not display', async () => {
    const { id } = await ada.createEndpoint();
    const types = {
      json: ['json', 'application/json'],
      har: ['har', 'application/har+json'],
      ndjson: ['ndjson', 'application/x-ndjson'],
      csv: ['csv', 'text/csv'],
      curl: ['sh', 'application/x-sh'],
    };
    for (const [format, [extension, type]] of Object.entries(types)) {
      const { headers, body } = await ada.call('GET', `/api/endpoints/${id}/export?format=${format}`);
      await body?.cancel();
      expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="service-${id}.${extension}"`);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    }
  });

  test('ndjson has the events of json, one on each line', async () => {
    const endpoint = await ada.createEndpoint();
    for (const body of ['{"a":\n1}', every, 'x\r\n\u2028', ''])
      await server.deliver(endpoint, body, { suffix: '/a?b' });
    const text = await (await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=ndjson`)).text();
    expect(text).toEndWith('}\n');
    const lines = text.slice(0, -1).split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual((await exportOf(endpoint)).events);
    expect(lines).toHaveLength(4);
  });

  test('an endpoint without events gives a file without events', async () => {
    const endpoint = await ada.createEndpoint();
    const empty = await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=ndjson`);
    expect([empty.status, await empty.text()]).toEqual([200, '']);
    expect((await exportOf(endpoint)).events).toEqual([]);
    expect(await validateHar(await harOf(endpoint))).toBeDefined();
  });

  test('q filters by event type and payload', async () => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, '{"name":"Grace"}');
    const ids = [await server.deliver(endpoint, '{"name":"ADA"}'), await server.deliver(endpoint, 'ada')];
    expect((await exportOf(endpoint, '?q=Ada')).events.map(({ id }) => id)).toEqual(ids);
    expect((await exportOf(endpoint, '?q=nobody')).events).toEqual([]);
    expect((await exportOf(endpoint, '?q=')).events).toHaveLength(3);
  });

  test('q has the length limit of the event list, and matches at the end of a long body', async () => {
    const endpoint = await ada.createEndpoint();
    const body = `{"x":"${'\\u00e9 '.repeat(1 << 20)}","last":"needle"}`;
    const id = await server.deliver(endpoint, body);
    await server.deliver(endpoint, body.replace('needle', 'hay'));
    expect((await exportOf(endpoint, '?q=NEEDLE')).events.map(event => event['id'])).toEqual([id]);
    expect((await exportOf(endpoint, `?q=${'x'.repeat(1000)}`)).events).toEqual([]);
    await ada.json(400, 'GET', `/api/endpoints/${endpoint.id}/export?q=${'x'.repeat(1001)}`);
  });

  test('where selects by columns, content and marks, together with q', async () => {
    const endpoint = await ada.createEndpoint();
    const ids: string[] = [];
    for (const [path, body] of [
      ['/a', '{"amount":5,"name":"Ada"}'],
      ['/b', '{"amount":50,"name":"Grace"}'],
      ['/b', '{"amount":500,"name":"Ada"}'],
      ['/b', 'ada'],
    ])
      ids.push(await server.deliver(endpoint, body, { suffix: path as string }));
    await ada.json(200, 'PUT', `/api/events/${ids[1]}/tags`, { tags: ['golden'] });
    const numbersOf = async (query: string): Promise<number[]> =>
      (await exportOf(endpoint, `?${query}`)).events.map(({ id }) => ids.indexOf(id as string));
    const of = (where: string) => numbersOf(`where=${encodeURIComponent(where)}`);
    expect(await of('path:/b')).toEqual([1, 2, 3]);
    expect(await of('body.amount>10')).toEqual([1, 2]);
    expect(await of('-has:body.amount OR tag:golden')).toEqual([1, 3]);
    expect(await of('ada')).toEqual([0, 2, 3]);
    expect(await of('verdict:none received<1h')).toEqual([]);
    expect(await of('type:nothing')).toEqual([]);
    expect(await of('')).toEqual([0, 1, 2, 3]);
    expect(await numbersOf(`q=ADA&where=${encodeURIComponent('path:/b')}`)).toEqual([2, 3]);
    for (const format of ['har', 'ndjson', 'csv', 'curl']) {
      const path = `/api/endpoints/${endpoint.id}/export?format=${format}&where=tag:golden`;
      const found = (await (await ada.call('GET', path)).text()).match(/evt_\w+/g);
      expect([format, [...new Set(found)]]).toEqual([format, [ids[1] as string]]);
    }
  });

  test('a wrong filter is refused with its position before the download starts', async () => {
    const { id } = await ada.createEndpoint();
    const path = `/api/endpoints/${id}/export?format=csv&where=${encodeURIComponent('size>1k tpye:x')}`;
    const response = await ada.call('GET', path);
    expect([response.status, response.headers.get('content-disposition')]).toEqual([400, null]);
    expect(await response.json()).toMatchObject({ error: expect.any(String), position: 8, nearest: 'type' });
  });

  test('credentials are not exported', async () => {
    const endpoint = await ada.createEndpoint();
    await server.deliver(endpoint, '{}', { headers: { authorization: 'Bearer s3cr3t', cookie: 's=s3cr3t' } });
    for (const format of ['json', 'har', 'ndjson', 'csv', 'curl']) {
      const text = await (await ada.call('GET', `/api/endpoints/${endpoint.id}/export?format=${format}`)).text();
      expect(text).not.toContain('s3cr3t');
      expect(text.includes('[redacted]')).toBe(format !== 'curl');
      expect(text).toContain('evt_');
    }
  });

  test('401 comes before 400 for an unknown format, and 400 before 404', async () => {
    const { id } = await ada.createEndpoint();
    const path = `/api/endpoints/${id}/export`;
    expect((await server.fetch(`${path}?format=xml`)).status).toBe(401);
    for (const format of ['xml', 'JSON', 'sh', '', '__proto__'])
      expect(await ada.json(400, 'GET', `${path}?format=${format}`)).toMatchObject({ problems: [{ path: 'format' }] });
    expect((await ada.call('GET', '/api/endpoints/ep_none/export?format=xml')).status).toBe(400);
    const bob = await server.createAccount('bob@example.com');
    const foreign = await bob.json(404, 'GET', path);
    for (const wrong of ['ep_none', '..%2fx', 'a%22b', 'a%0d%0ab', '%00', 'é'])
      expect(await ada.json(404, 'GET', `/api/endpoints/${wrong}/export`)).toEqual(foreign);
  });
});
