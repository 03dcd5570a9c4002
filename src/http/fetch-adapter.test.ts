import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createApp } from '../app.ts';
import { type AppError, notFound, unavailable } from '../core/errors.ts';
import { eventually } from '../testing/poll.ts';
import { exchange, openWire } from '../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../testing/test-server.ts';
import { appErrorResponse } from './errors.ts';
import { bodyOf, createFetchAdapter, type Fetcher, requestContext } from './fetch-adapter.ts';
import { createListener } from './listener/listener.ts';
import { type BodyBudgets, createBodyBudgets } from './request-body.ts';

let server: TestServer;
let ada: TestAccount;
let base: string;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  base = await server.listen();
});
afterAll(() => server.close());

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

// In the JSON's own words, because it has to be parsed somewhere to be found wrong.
const nested = (depth: number, open: string, close: string): string =>
  `{"email":"a@example.com","password":${open.repeat(depth)}1${close.repeat(depth)}}`;

test.each([
  ['objects', 20_000, '{"a":', '}'],
  ['lists', 100_000, '[', ']'],
])(
  'deeply nested %s are refused without being walked through, after the credentials',
  async (_, depth, open, close) => {
    const body = nested(depth, open, close);
    const signIn = await post('/api/session', nested(1500, open, close));
    expect([signIn.status, await signIn.json()]).toMatchObject([400, { error: 'the body is nested too deeply' }]);
    expect((await post('/api/endpoints', body)).status).toBe(401);
    expect((await post('/api/endpoints', body, { authorization: `Bearer ${ada.key}` })).status).toBe(400);
    expect((await post('/register', nested(100, open, close))).status).toBe(400);
    expect(server.lines).toEqual([]);
  },
);

test('brackets inside strings do not count as nesting', async () => {
  const response = await post('/api/endpoints', JSON.stringify({ name: '['.repeat(90) }), {
    authorization: `Bearer ${ada.key}`,
  });
  expect(response.status).toBe(201);
});

test('API responses are not cached, however the target is spelled', async () => {
  for (const [target, status] of [
    ['/api/me', '200'],
    ['/style.css/../api/me', '400'],
    ['/style.css/%2e%2e/api/me', '400'],
    ['/jwks/..\\api/me', '400'],
  ] as const) {
    const answer = await exchange(
      base,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer.toLowerCase()).toContain('cache-control: no-store');
  }
});

test('503 when all bodies together exceed the budget; finished and refused requests give their share back', async () => {
  const [anonymous, authenticated] = [roomOf(1000), roomOf(1000)];
  const asked = Promise.withResolvers<void>();
  await using listener = await listening({ anonymous, authenticated }, async request => {
    if (request.headers.has('authorization')) requestContext(request).authenticatedAs('acc_1', async () => {});
    try {
      await bodyOf(request);
    } catch (error) {
      return appErrorResponse(error as AppError);
    }
    await asked.promise;
    return new Response('done');
  });
  const send = (headers: Record<string, string> = {}) =>
    fetch(listener.origin, { method: 'POST', body: 'x'.repeat(600), headers });
  const first = send();
  await eventually(() => anonymous.free === 400);
  const second = await send();
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  expect(Object.keys((await second.json()) as object)).toEqual(['error']);
  expect(anonymous.free).toBe(400);
  // Who has credentials is not kept out by those who have none.
  const third = send({ authorization: 'yes' });
  await eventually(() => authenticated.free === 400);
  asked.resolve();
  expect(await (await first).text()).toBe('done');
  expect(await (await third).text()).toBe('done');
  expect([anonymous.free, authenticated.free]).toEqual([1000, 1000]);
});

test('the OAuth endpoints report body errors in their own format', async () => {
  const head = 'POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n';
  const answer = await exchange(
    base,
    `${head}Transfer-Encoding: chunked\r\n\r\n40001\r\n${'x'.repeat(0x40001)}\r\n0\r\n\r\n`,
  );
  expect(answer).toStartWith('HTTP/1.1 413 ');
  expect(answer).toMatch(/access-control-allow-origin: \*/i);
  expect(answer).toContain('"error":"invalid_request"');
});

test('a body whose sender disconnects gives its memory back', async () => {
  const [anonymous, authenticated] = [roomOf(1000), roomOf(1000)];
  const failed = Promise.withResolvers<unknown>();
  await using listener = await listening({ anonymous, authenticated }, async request => {
    await bodyOf(request).catch(failed.resolve);
    return new Response('nobody reads this');
  });
  const wire = await openWire(listener.origin);
  wire.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600\r\n\r\nabc');
  await eventually(() => anonymous.free === 400);
  wire.destroy();
  expect(await failed.promise).toMatchObject({ code: 'invalid' });
  expect(anonymous.free).toBe(1000);
});

test('a response that fails before its first byte becomes an error response, and one that fails later breaks the connection', async () => {
  const failures: unknown[] = [];
  const failing = (error: Error, after: string): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (after === '' || failures.push('read') > 1) return controller.error(error);
          controller.enqueue(Buffer.from(after));
        },
      }),
      { headers: { 'content-disposition': 'attachment' } },
    );
  const answers: Record<string, () => Response> = {
    '/gone': () => failing(notFound('endpoint'), ''),
    '/busy': () => failing(unavailable('try again', 5), ''),
    '/defect': () => failing(new Error('a defect'), ''),
    '/deleted': () => failing(notFound('endpoint'), 'some of it'),
    '/later': () => failing(new Error('a defect'), 'some of it'),
  };
  const failed = (error: unknown): void => void failures.push(String(error));
  const answer: Fetcher = ({ url }) => answers[new URL(url).pathname]?.() ?? new Response('');
  await using listener = await listening(createBodyBudgets(), answer, failed);
  const ask = (path: string) =>
    exchange(listener.origin, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  for (const [path, status, error] of [
    ['/gone', 404, 'endpoint not found'],
    ['/busy', 503, 'try again'],
    ['/defect', 500, 'internal error'],
  ] as const) {
    const answer = await ask(path);
    expect(answer).toStartWith(`HTTP/1.1 ${status} `);
    expect(answer).toContain(`{"error":"${error}"}`);
    expect(answer).not.toContain('attachment');
  }
  expect(await ask('/busy')).toMatch(/retry-after: 5/i);
  expect(failures).toEqual(['AppError: try again', 'Error: a defect', 'AppError: try again']);
  const expected: [path: string, reported: string[]][] = [
    ['/deleted', []],
    ['/later', ['Error: a defect']],
  ];
  for (const [path, reported] of expected) {
    failures.length = 0;
    expect(await ask(path)).toMatch(/^(?:HTTP\/1\.1 200 (?!.*\r\n0\r\n\r\n$)[\s\S]*)?$/);
    expect(failures.filter(failure => failure !== 'read')).toEqual(reported);
  }
});

test('authenticated requests are not kept out by anonymous bodies', async () => {
  const { fetch: app } = createApp(server.services);
  await using listener = await listening({ anonymous: roomOf(0), authenticated: roomOf(1000) }, app);
  const send = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(new URL(path, listener.origin), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  expect((await send('/api/session', '{"email":"a@example.com","password":"x"}')).status).toBe(503);
  expect((await send('/api/keys', '{"name":"k"}', { authorization: `Bearer ${ada.key}` })).status).toBe(201);
});

test('a body can be read twice', async () => {
  await using listener = await listening(createBodyBudgets(), async request => {
    await bodyOf(request);
    return new Response(await bodyOf(request));
  });
  expect(await (await fetch(listener.origin, { method: 'POST', body: 'twice' })).text()).toBe('twice');
});

test('the end of a connection is noticed after a body that no operation reads', async () => {
  await using listener = await listening(createBodyBudgets(), request => {
    requestContext(request).endWithSender(0);
    return new Response(new ReadableStream({ start: controller => controller.enqueue(Buffer.from('endless')) }));
  });
  const socket = connect({ port: Number(new URL(listener.origin).port), host: '127.0.0.1', allowHalfOpen: true });
  const closed = Promise.withResolvers<void>();
  socket.on('error', () => {}).on('close', () => closed.resolve());
  socket.resume();
  socket.end(`GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`);
  await closed.promise;
});

describe('a body that no operation has asked for', () => {
  const upload = (bytes: number, ...fields: string[]): string =>
    ['POST /api/endpoints HTTP/1.1', 'Host: localhost', `Content-Length: ${bytes}`, ...fields, '', ''].join('\r\n');

  test('is refused before it is sent, and holds no memory', async () => {
    const wire = await openWire(base);
    wire.write(upload(100_000));
    expect(await wire.until(/"error"/)).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nconnection: close\r\n/i);
    wire.destroy();
  });

  test('gets no 100 Continue before a 401, and one before an operation that reads it', async () => {
    const refused = await openWire(base);
    refused.write(upload(10, 'Expect: 100-continue'));
    expect(await refused.until(/"error"/)).toStartWith('HTTP/1.1 401 ');
    refused.destroy();

    const taken = await openWire(base);
    taken.write(upload(14, 'Expect: 100-continue', `Authorization: Bearer ${ada.key}`));
    expect(await taken.until(/\r\n\r\n/)).toStartWith('HTTP/1.1 100 ');
    taken.write('{"name":"ask"}');
    expect(await taken.until(/"endpoint"|"id"/)).toContain('HTTP/1.1 201 ');
    taken.destroy();
  });

  test('is discarded when it has arrived, and the connection stays open', async () => {
    const wire = await openWire(base);
    const refused = `${upload(2)}{}`;
    const last = `${upload(2, 'Connection: close')}{}`;
    wire.write(refused + refused + last.replace('POST', 'DELETE'));
    await wire.closed;
    expect(wire.received().match(/HTTP\/1\.1 401 /g)).toHaveLength(3);
  });

  test('does not change the response of an unknown path', async () => {
    const wire = await openWire(base);
    wire.write(upload(10_000_000, `Authorization: Bearer ${ada.key}`).replace('/api/endpoints', '/api/nowhere'));
    expect(await wire.until(/"error"/)).toStartWith('HTTP/1.1 404 ');
    wire.destroy();
  });

  test('is refused at once when its announced length is too large, after the credentials were checked', async () => {
    const wire = await openWire(base);
    wire.write(upload(10_000_000, `Authorization: Bearer ${ada.key}`));
    expect(await wire.until(/"error"/)).toStartWith('HTTP/1.1 413 ');
    wire.destroy();
  });
});

/** So many bytes for bodies. */
function roomOf(bytes: number) {
  const room = {
    free: bytes,
    take: (wanted: number): boolean => {
      if (wanted > room.free) return false;
      room.free -= wanted;
      return true;
    },
    give: (back: number): void => {
      room.free += back;
    },
  };
  return room;
}

async function listening(budgets: BodyBudgets, answer: Fetcher, onError: (error: unknown) => void = () => {}) {
  const handler = createFetchAdapter({
    fetch: answer,
    clientAddress: () => '',
    budgets,
    newRequestId: () => '',
    onError,
  });
  const listener = createListener({ handler, onError: () => {} });
  await listener.listen(0, '127.0.0.1');
  return { origin: `http://127.0.0.1:${listener.port()}/`, [Symbol.asyncDispose]: () => listener.close(0) };
}
