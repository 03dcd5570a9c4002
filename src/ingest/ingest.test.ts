import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { eventually } from '../testing/poll.ts';
import { exchange, openWire } from '../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';

type Detail = {
  id: string;
  method: string;
  path: string;
  query: string | null;
  params: [string, string][];
  headers: Record<string, string>;
  rawHeaders: [string, string][];
  payloadRaw: string;
  payloadEncoding: string;
  payload: unknown;
  size: number;
  sha256: string;
  sourceIp: string;
};

const maxBody = 64 * 1024;
let server: TestServer;
let ada: TestAccount;
let origin: string;
let endpoint: { id: string; url: string };
let target: string;

beforeAll(async () => {
  server = await openTestServer({
    env: { HOOKTAPE_MAX_BODY: String(maxBody), HOOKTAPE_TRUSTED_PROXIES: '127.0.0.1/32' },
  });
  ada = await server.createAccount();
  origin = await server.listen();
  endpoint = await ada.createEndpoint();
  target = new URL(endpoint.url).pathname;
});
afterAll(() => server.close());

const idIn = (answer: string): string => /"id":"(evt_[a-z0-9]+)"/.exec(answer)?.[1] ?? '';
const detail = (answer: string): Promise<Detail> => ada.json<Detail>(200, 'GET', `/api/events/${idIn(answer)}`);
const raw = async (answer: string): Promise<Uint8Array> =>
  new Uint8Array(await (await ada.call('GET', `/api/events/${idIn(answer)}/raw`)).arrayBuffer());
const send = (head: string, body: string | Uint8Array = ''): Promise<string> =>
  exchange(origin, Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body as string)]));
const count = async (): Promise<number> =>
  (await ada.json<{ eventCount: number }>(200, 'GET', `/api/endpoints/${endpoint.id}`)).eventCount;

describe('a delivery is stored as it was received', () => {
  test('with its target, and header names, order and repeats', async () => {
    const answer = await send(
      `POST ${target}/a//b/../c%2e%2e;x=1?q="it's"&<b>&q=2&%zz&=&a=b=c HTTP/1.1\r\nhOsT: x\r\nX-B: 1\r\nx-a: 2\r\nX-b:  3 \r\nX-Empty:\r\nContent-Length: 2`,
      'hi',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i);
    expect(answer).toMatch(/\r\n\r\n\{"ok":true,"id":"evt_[a-z0-9]+"\}$/);
    const event = await detail(answer);
    expect(event.path).toBe('/a//b/../c%2e%2e;x=1');
    expect(event.query).toBe(`q="it's"&<b>&q=2&%zz&=&a=b=c`);
    expect(event.params).toEqual([
      ['q', `"it's"`],
      ['<b>', ''],
      ['q', '2'],
      ['%zz', ''],
      ['', ''],
      ['a', 'b=c'],
    ]);
    expect(event.rawHeaders).toEqual([
      ['hOsT', 'x'],
      ['X-B', '1'],
      ['x-a', '2'],
      ['X-b', '3'],
      ['X-Empty', ''],
      ['Content-Length', '2'],
    ]);
    expect(event.headers).toEqual({ host: 'x', 'x-b': '1, 3', 'x-a': '2', 'x-empty': '', 'content-length': '2' });
  });

  test.each([
    ['', null, ''],
    ['?', '', ''],
    ['/?', '', '/'],
    ['/x', null, '/x'],
    ['??a=b', '?a=b', ''],
  ])('with what follows the token: %j', async (suffix, query, path) => {
    const event = await detail(await send(`POST ${target}${suffix} HTTP/1.1\r\nHost: x\r\nContent-Length: 0`));
    expect([event.query, event.path]).toEqual([query, path]);
  });

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'PURGE', 'TRACE', 'LINK', 'QUERY', 'REPORT'])(
    '%s with a body',
    async method => {
      const event = await detail(await send(`${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 4`, 'body'));
      expect([event.method, event.payloadRaw]).toEqual([method, 'body']);
    },
  );

  test('HEAD gets the same response without a body', async () => {
    const before = await count();
    const answer = await exchange(origin, `HEAD ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/content-length: 54\r\n/i);
    expect(answer).toEndWith('\r\n\r\n');
    expect(await count()).toBe(before + 1);
  });

  test.each([
    ['every byte', Uint8Array.from({ length: 256 }, (_, i) => i)],
    ['a lone continuation byte', Uint8Array.of(0xff, 0x41)],
    ['NUL inside text', new TextEncoder().encode('{"a":"\u0000"}\u0000')],
    ['a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    ['gzip that is not', Uint8Array.of(0x1f, 0x8b, 0x08, 0x00, 0x00)],
    ['text that shrinks', new TextEncoder().encode('abc '.repeat(5000))],
    ['nothing', new Uint8Array(0)],
  ])('%s, byte for byte', async (_name, body) => {
    const answer = await send(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`,
      body,
    );
    const event = await detail(answer);
    expect(Buffer.compare(await raw(answer), body)).toBe(0);
    expect(Buffer.compare(Buffer.from(event.payloadRaw, event.payloadEncoding as BufferEncoding), body)).toBe(0);
    expect(event.size).toBe(body.length);
    expect(event.sha256).toBe(createHash('sha256').update(body).digest('hex'));
  });

  test('with a chunked body; trailers are ignored', async () => {
    const answer = await send(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked`,
      '3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n',
    );
    expect((await detail(answer)).payloadRaw).toBe('abcdefg');
  });

  test('Expect: 100-continue is ignored with HTTP/1.0', async () => {
    const answer = await send(`POST ${target} HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2`, 'hi');
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n');
    expect((await detail(answer)).payloadRaw).toBe('hi');
  });

  test('Expect: 100-continue gets 100 Continue', async () => {
    const wire = await openWire(origin);
    wire.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
    await wire.until(/^HTTP\/1\.1 100 Continue\r\n/);
    wire.write('abc');
    const answer = await wire.until(/"id":"evt_\w+"\}/);
    wire.destroy();
    expect((await detail(answer)).payloadRaw).toBe('abc');
  });

  test('pipelined deliveries are all stored and answered in order', async () => {
    const wire = await openWire(origin);
    const one = (n: number) => `POST ${target}/p${n} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n${n}`;
    wire.write([1, 2, 3, 4, 5].map(one).join(''));
    const answer = await wire.until(/(?:"id":"evt_\w+"\}[\s\S]*){5}/);
    wire.destroy();
    const ids = [...answer.matchAll(/"id":"(evt_\w+)"/g)].map(([, id]) => id);
    const paths = await Promise.all(
      ids.map(async id => (await ada.json<Detail>(200, 'GET', `/api/events/${id}`)).path),
    );
    expect(paths).toEqual(['/p1', '/p2', '/p3', '/p4', '/p5']);
  });

  test('header values are bytes: latin1 is kept', async () => {
    const event = await detail(await send(`POST ${target} HTTP/1.1\r\nHost: x\r\nX-V: \xe9\xff\r\nContent-Length: 0`));
    expect(event.headers['x-v']).toBe('\xe9\xff');
  });

  test('header fields of 32 KiB are accepted', async () => {
    const value = 'v'.repeat(32 * 1024);
    const event = await detail(await send(`POST ${target} HTTP/1.1\r\nHost: x\r\nX-V: ${value}\r\nContent-Length: 0`));
    expect(event.headers['x-v']).toBe(value);
  });

  test('a header called __proto__ is stored like any other', async () => {
    const event = await detail(await send(`POST ${target} HTTP/1.1\r\nHost: x\r\n__proto__: p\r\nContent-Length: 0`));
    expect(event.rawHeaders).toContainEqual(['__proto__', 'p']);
    expect(Object.getOwnPropertyDescriptor(event.headers, '__proto__')?.value).toBe('p');
  });
});

describe('the header rules', () => {
  test('credentials are redacted, transit headers dropped, everything else kept', async () => {
    const answer = await send(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nAUTHORIZATION: Bearer topsecret\r\nCookie: a=topsecret\r\nProxy-Authorization: topsecret\r\nCF-Ray: 1\r\ncf-webhook-auth: t\r\nX-Forwarded-Proto: https\r\nX-Real-IP: 1.2.3.4\r\nTrue-Client-IP: 1.2.3.4\r\nStripe-Signature: t=1,v1=ab\r\nX-Forward: kept\r\nContent-Length: 0`,
    );
    expect((await detail(answer)).rawHeaders).toEqual([
      ['Host', 'x'],
      ['AUTHORIZATION', '[redacted]'],
      ['Cookie', '[redacted]'],
      ['Proxy-Authorization', '[redacted]'],
      ['Stripe-Signature', 't=1,v1=ab'],
      ['X-Forward', 'kept'],
      ['Content-Length', '0'],
    ]);
  });

  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['nonsense', '127.0.0.1'],
  ])('the source address behind a trusted proxy that says %j', async (said, expected) => {
    const event = await detail(
      await send(`POST ${target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${said}\r\nContent-Length: 0`),
    );
    expect(event.sourceIp).toBe(expected);
  });
});

describe('refusals', () => {
  test.each(['/in/unknown', '/in/', '/in', '/in//x', '/in/unknown/sub?x=1'])('404 for %s', async path => {
    const answer = await send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2`, 'hi');
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(answer).toMatch(/\{"error":"[^"]+"\}$/);
  });

  test('413 for a declared length over the limit, without waiting for the body', async () => {
    const wire = await openWire(origin);
    wire.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: ${maxBody + 1}\r\n\r\n`);
    expect(await wire.until(/\}$/)).toMatch(/^HTTP\/1\.1 413 [\s\S]*\{"error":"[^"]+"\}$/);
    wire.destroy();
  });

  test('413 while a chunked body is still arriving, and nothing is stored', async () => {
    const before = await count();
    const wire = await openWire(origin);
    wire.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    for (let i = 0; i < 5; i++) wire.write(chunk);
    expect(await wire.until(/\}/)).toMatch(/^HTTP\/1\.1 413 /);
    for (let i = 0; i < 5; i++) wire.write(chunk);
    await wire.closed;
    expect(await count()).toBe(before);
  });

  test('a body of exactly the limit is stored', async () => {
    const answer = await send(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: ${maxBody}`, 'x'.repeat(maxBody));
    expect((await detail(answer)).size).toBe(maxBody);
  });

  test('an upload that is cut off is not stored', async () => {
    const before = await count();
    const wire = await openWire(origin);
    wire.write(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this`);
    wire.destroy();
    await wire.closed;
    const answer = await send(`POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0`);
    expect(idIn(answer)).not.toBe('');
    expect(await count()).toBe(before + 1);
  });

  test.each([
    ['two lengths', `POST TARGET HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [
      'length and chunked',
      `POST TARGET HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no host', `POST TARGET HTTP/1.1\r\nContent-Length: 1\r\n\r\na`],
    ['an unknown method', `FOOBAR TARGET HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a raw non-ASCII target', `GET TARGET/\xe9 HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('400 for %s', async (_name, request) => {
    const wire = await openWire(origin);
    wire.write(Buffer.from(request.replace('TARGET', target), 'latin1'));
    expect(await wire.until(/\r\n/)).toMatch(/^HTTP\/1\.1 400 /);
    wire.destroy();
  });
});

describe('a deleted endpoint', () => {
  test('accepts nothing, not even an upload that had begun', async () => {
    const doomed = await ada.createEndpoint('doomed');
    const path = new URL(doomed.url).pathname;
    const wire = await openWire(origin);
    wire.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab`);
    await Bun.sleep(0);
    await ada.json(200, 'DELETE', `/api/endpoints/${doomed.id}`);
    wire.write('cd');
    expect(await wire.until(/\}$/)).toMatch(/^HTTP\/1\.1 404 /);
    wire.destroy();
    expect(await send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0`)).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('counters', () => {
  test('eventCount and lastReceivedAt are right with many concurrent senders', async () => {
    const own = await ada.createEndpoint('counted');
    await Promise.all(Array.from({ length: 200 }, (_, i) => server.deliver(own, `{"n":${i}}`)));
    const read = () => ada.json<{ eventCount: number; lastReceivedAt: number }>(200, 'GET', `/api/endpoints/${own.id}`);
    expect((await read()).eventCount).toBe(200);
    const { events } = await ada.json<{ events: { receivedAt: number }[] }>(
      200,
      'GET',
      `/api/events?endpointId=${own.id}`,
    );
    expect((await read()).lastReceivedAt).toBe(events[0]?.receivedAt ?? 0);
    await eventually(() => server.services.capture.depth() === 0);
  });
});
