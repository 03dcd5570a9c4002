/* Requests to a server that says nothing, little, or to come back later. */
import { expect, test } from 'bun:test';
import { systemClock } from '../../core/clock.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { type Io, UnreachableError } from '../io.ts';
import { createApi } from './api.ts';

const io = { version: 'test', clock: systemClock, stderr: () => {}, sleep: async () => {} } as unknown as Io;

function openApi(answer: (request: Request) => Response | Promise<Response>, isPatient?: boolean) {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const url = `http://127.0.0.1:${server.port}`;
  const api = createApi(io, { url, key: 'htk_x', isKeyFromEnvironment: true }, isPatient);
  return { api, [Symbol.dispose]: () => void server.stop(true) };
}
/** A piece every 50 ms. */
const dripping = (pieces: readonly string[]): Response =>
  new Response(
    new ReadableStream({
      async start(stream) {
        for (const piece of pieces) {
          stream.enqueue(new TextEncoder().encode(piece));
          await Bun.sleep(50);
        }
        stream.close();
      },
    }),
  );

test('a server that says nothing for too long cannot be reached; one that says a little can', async () => {
  using silent = openApi(() => new Promise(() => {}));
  expect(await thrownBy(silent.api.call('GET', '/x', { silenceMs: 50 }))).toThrow(UnreachableError);
  const pieces = ['{"a":', ...Array.from({ length: 20 }, () => ' '), '1}'];
  using slow = openApi(() => dripping(pieces));
  expect(await slow.api.call<object>('GET', '/x', { silenceMs: 900 })).toEqual({ a: 1 });
  using stalled = openApi(
    () => new Response(new ReadableStream({ start: stream => stream.enqueue(new TextEncoder().encode('{')) })),
  );
  expect(await thrownBy(stalled.api.call('GET', '/x', { silenceMs: 50 }))).toThrow('did not respond in time');
});

test('a call ends when its caller does', async () => {
  using silent = openApi(() => new Promise(() => {}));
  const stop = new AbortController();
  const call = silent.api.call('GET', '/x', { signal: stop.signal });
  stop.abort();
  expect(await thrownBy(call)).toThrow();
  expect(await thrownBy(silent.api.call('GET', '/x', { signal: stop.signal }))).toThrow();
});

test('the rate limit is waited for, unless the caller does that', async () => {
  const limited = () => {
    let calls = 0;
    return () =>
      ++calls === 1
        ? Response.json({ error: 'slow down' }, { status: 429, headers: { 'retry-after': '7' } })
        : Response.json({ calls });
  };
  using patient = openApi(limited());
  expect(await patient.api.call<object>('GET', '/x')).toEqual({ calls: 2 });
  using impatient = openApi(limited(), false);
  const refusal = await impatient.api.call('GET', '/x').catch(error => error);
  expect(refusal).toMatchObject({ status: 429, retryAfterSeconds: 7, message: 'slow down: try again in 7 s' });
});

test('headers go along and come back', async () => {
  using echo = openApi(({ headers }) =>
    Response.json({ given: headers.get('if-match') }, { headers: { etag: '"2"' } }),
  );
  const { body, headers } = await echo.api.callWithHeaders('PUT', '/x', { body: {}, headers: { 'if-match': '"1"' } });
  expect([body, headers.get('etag')]).toEqual([{ given: '"1"' }, '"2"']);
});

/** Breaks the first connections: at once, or in the middle of an answer. */
function breaking(times: number, begin: string) {
  let connections = 0;
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        connections++;
        if (connections <= times) {
          socket.write(begin);
          socket.end();
        } else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}');
      },
    },
  });
  const url = `http://127.0.0.1:${listener.port}`;
  return {
    count: () => connections,
    api: (isPatient = true) => createApi(io, { url, key: 'htk_x', isKeyFromEnvironment: true }, isPatient),
    [Symbol.dispose]: () => listener.stop(true),
  };
}

test('a GET whose connection breaks is sent again, a few times; a change is not', async () => {
  using atOnce = breaking(1, '');
  expect(await atOnce.api().call<object>('GET', '/x')).toEqual({ a: 1 });
  using inAnswer = breaking(2, 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a"');
  expect(await inAnswer.api().call<object>('GET', '/x')).toEqual({ a: 1 });
  for (const [method, isPatient, times] of [
    ['POST', true, 1],
    ['GET', false, 1],
    ['GET', true, 4],
  ] as const) {
    using broken = breaking(1000, '');
    expect(await thrownBy(broken.api(isPatient).call(method, '/x', {}))).toThrow(UnreachableError);
    expect(broken.count()).toBe(times);
  }
});
