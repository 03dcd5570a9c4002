import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { AnswerRule } from '../../core/answers/model.ts';
import { eventually } from '../../testing/poll.ts';
import { exchange } from '../../testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let ada: TestAccount;
let origin: string;

beforeAll(async () => {
  server = await openTestServer();
  ada = await server.createAccount();
  origin = await server.listen();
});
afterAll(() => server.close());

type Event = {
  id: string;
  answered: { status: number | null; rule: string | null; delayMs: number; fault: string | null; limited: boolean };
  refused: number | null;
  delivery: { attempt: number };
};

/** An endpoint with these rules. */
async function endpointWith(rules: AnswerRule[]) {
  const { id, url } = await ada.createEndpoint();
  const path = new URL(url).pathname;
  const setRules = (given: AnswerRule[]) => ada.json(200, 'PUT', `/api/endpoints/${id}/answers`, { rules: given });
  await setRules(rules);
  const post = (body = '{"n":1}', init: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' }, ...init });
  return {
    id,
    path,
    setRules,
    post,
    statuses: async (count: number, body?: string): Promise<number[]> => {
      const found: number[] = [];
      for (let n = 0; n < count; n++) found.push((await post(body)).status);
      return found;
    },
    /** Oldest first. */
    events: async (where = ''): Promise<Event[]> =>
      (
        await ada.json<{ events: Event[] }>(
          200,
          'GET',
          `/api/events?limit=100&endpointId=${id}&where=${encodeURIComponent(where)}`,
        )
      ).events.toReversed(),
    /** Sends bytes, and reads what comes back until the end. */
    raw: (head: string, body = ''): Promise<string> => exchange(origin, `${head.replace('PATH', path)}\r\n\r\n${body}`),
  };
}

describe('rules', () => {
  test('the first two attempts of each delivery get 500, and each event says what its sender got', async () => {
    const endpoint = await endpointWith([{ per: 'delivery', first: 2, answer: { status: 500, body: 'try again' } }]);
    expect(await endpoint.statuses(3, '{"id":"a"}')).toEqual([500, 500, 200]);
    expect(await endpoint.statuses(3, '{"id":"b"}')).toEqual([500, 500, 200]);
    const events = await endpoint.events();
    expect(events.map(({ answered }) => answered.status)).toEqual([500, 500, 200, 500, 500, 200]);
    expect(events[0]?.answered).toEqual({ status: 500, rule: 'rule-1', delayMs: 0, fault: null, limited: false });
    expect(events[2]?.answered).toEqual({ status: 200, rule: null, delayMs: 0, fault: null, limited: false });
    expect((await endpoint.events('answered:5xx')).length).toBe(4);
    expect((await endpoint.events('answered:500 attempt>1')).length).toBe(2);
    expect((await endpoint.events('NOT answered:5xx')).length).toBe(2);
    expect((await endpoint.events('is:refused')).length).toBe(0);
    const detail = await ada.json<Event>(200, 'GET', `/api/events/${events[0]?.id}`);
    expect(detail.answered.status).toBe(500);
    expect(detail.refused).toBeNull();
  });

  test('every, and sequences of the endpoint', async () => {
    const endpoint = await endpointWith([
      { every: 3, answer: { status: 503 } },
      { name: 'once', first: 1, answer: { status: 201 } },
    ]);
    expect(await endpoint.statuses(6)).toEqual([201, 200, 503, 200, 200, 503]);
    await endpoint.setRules([{ first: 1, answer: { status: 410 } }]);
    expect(await endpoint.statuses(2)).toEqual([410, 200]);
  });

  test('a rate refuses what is over it, and says when to try again', async () => {
    const endpoint = await endpointWith([{ rate: { max: 2, perS: 60 }, answer: {} }]);
    expect(await endpoint.statuses(2)).toEqual([200, 200]);
    const refused = await endpoint.post();
    expect(refused.status).toBe(429);
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(50);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect((await endpoint.events()).map(({ answered }) => answered.status)).toEqual([200, 200, 429]);
  });

  test('a filter chooses events, placeholders are filled in, and the answer cannot run scripts', async () => {
    const endpoint = await endpointWith([
      {
        when: 'body.kind:"a" header.x-test:1',
        answer: {
          status: 202,
          headers: [
            ['Content-Type', 'application/json'],
            ['X-Twice', '1'],
            ['X-Twice', '2'],
          ],
          body: '{"id":"{{id}}","kind":"{{body.kind}}","text":"{{body.text}}","q":"{{query.q}}","h":"{{header.X-Test}}","none":"{{body.none}}","no":"{{other}}","of":"{{type}} {{platform}} {{verdict}}","json":{{json body}}}',
        },
      },
    ]);
    expect((await endpoint.post('{"kind":"b"}')).status).toBe(200);
    const answer = await fetch(`${origin}${endpoint.path}?q=a%20b`, {
      method: 'POST',
      headers: { 'X-Test': '1' },
      body: JSON.stringify({ kind: 'a', text: '"}{{id}}\n', type: 'order.created' }),
    });
    const [event] = (await endpoint.events()).slice(-1);
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({
      id: event?.id,
      kind: 'a',
      text: '"}{{id}}\n',
      q: 'a b',
      h: '1',
      none: '',
      no: '{{other}}',
      of: 'order.created  none',
      json: { kind: 'a', text: '"}{{id}}\n', type: 'order.created' },
    });
    expect(answer.headers.get('x-twice')).toBe('1, 2');
    expect(answer.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  test('handshakes go first, unless the rule has handshake: true', async () => {
    const endpoint = await endpointWith([{ answer: { status: 500 } }]);
    const challenge = '{"type":"url_verification","challenge":"abc"}';
    expect(await (await endpoint.post(challenge)).json()).toEqual({ challenge: 'abc' });
    expect((await endpoint.post()).status).toBe(500);
    await endpoint.setRules([{ handshake: true, answer: { status: 500 } }]);
    expect((await endpoint.post(challenge)).status).toBe(500);
  });
});

/** A connection that has sent a request. `hasError`: it was reset. */
async function openConnection(endpoint: { path: string }, head: string, body: string) {
  let [text, hasError, hasEnded] = ['', false, false];
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.on('data', chunk => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {
    hasError = true;
  });
  socket.on('end', () => {
    hasEnded = true;
  });
  socket.write(`${head.replaceAll('PATH', endpoint.path)}\r\n\r\n${body}`);
  return { socket, closed, state: () => ({ text, hasError, hasEnded }) };
}

const faultOf = (fault: string | null) => ({ status: null, rule: 'rule-1', delayMs: 0, fault, limited: false });

describe.each([
  ['the fast path', 'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: 2', '{}'],
  ['node:http', 'POST PATH HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
])('answers on %s', (_name, head, body) => {
  test('close ends the connection without a byte, and the event is stored', async () => {
    const endpoint = await endpointWith([{ answer: { fault: 'close' } }]);
    const { closed, state } = await openConnection(endpoint, head, body);
    await closed;
    expect(state()).toEqual({ text: '', hasError: false, hasEnded: true });
    expect((await endpoint.events())[0]?.answered).toEqual(faultOf('close'));
    expect((await endpoint.events('answered>=100')).length).toBe(0);
    expect((await endpoint.events('NOT answered:200')).length).toBe(1);
  });

  test('reset sends a TCP reset', async () => {
    const endpoint = await endpointWith([{ answer: { fault: 'reset' } }]);
    const { closed, state } = await openConnection(endpoint, head, body);
    await closed;
    expect(state()).toEqual({ text: '', hasError: true, hasEnded: false });
    expect((await endpoint.events())[0]?.answered).toEqual(faultOf('reset'));
  });

  test('stall sends the head of an answer and nothing more', async () => {
    const endpoint = await endpointWith([{ answer: { fault: 'stall', body: 'never' } }]);
    const { socket, closed, state } = await openConnection(endpoint, head, body);
    await eventually(() => state().text.endsWith('\r\n\r\n'));
    expect(state().text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(state().text).toMatch(/\r\nContent-Length: 5\r\n/);
    expect(server.services.holds.count()).toBe(1);
    expect((await endpoint.events())[0]?.answered).toEqual(faultOf('stall'));
    socket.destroy();
    await closed;
    await eventually(() => server.services.holds.count() === 0);
  });

  test('a delay holds the answer back', async () => {
    const endpoint = await endpointWith([{ answer: { delayMs: 120, status: 204 } }]);
    const startedAt = performance.now();
    const answer = await endpoint.raw(`${head}\r\nConnection: close`, body);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(119);
    expect(answer).toStartWith('HTTP/1.1 204 No Content\r\n');
    expect(answer).not.toMatch(/content-length/i);
    expect(answer).toEndWith('\r\n\r\n');
    expect(server.services.holds.count()).toBe(0);
  });

  test('pipelined requests are answered in order, each after its delay, and the connection is kept', async () => {
    const endpoint = await endpointWith([{ first: 1, answer: { delayMs: 80, status: 500, body: 'slow' } }]);
    const one = `${head}\r\n\r\n${body}`;
    const { socket, state } = await openConnection(endpoint, `${one}${one}${head}`, body);
    await eventually(() => state().text.match(/HTTP\/1\.1 \d+/g)?.length === 3);
    expect(state().text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 500', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    socket.destroy();
  });
});

test('HEAD gets the head, and HTTP/1.0 an answer', async () => {
  const endpoint = await endpointWith([{ answer: { status: 418, body: 'teapot' } }]);
  const head = await endpoint.raw('HEAD PATH HTTP/1.1\r\nHost: x');
  expect(head).toMatch(/^HTTP\/1\.1 418 /);
  expect(head).toMatch(/content-length: 6\r\n/i);
  expect(head).toEndWith('\r\n\r\n');
  expect(await endpoint.raw('POST PATH HTTP/1.0\r\nContent-Length: 0')).toEndWith('\r\n\r\nteapot');
});

test('delayed answers hold 32 MiB of bodies with placeholders for a team; the next one is sent at once', async () => {
  const endpoint = await endpointWith([{ answer: { delayMs: 60_000, status: 503, body: 'late {{body.text}}' } }]);
  const body = JSON.stringify({ text: 'x'.repeat(50_000) });
  const request = `POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}`;
  // 256 KiB each.
  const held = await Promise.all(Array.from({ length: 128 }, () => openConnection(endpoint, request, body)));
  await eventually(() => server.services.holds.count() === 128);
  expect(await endpoint.raw(request, body)).toEndWith('x');
  expect((await endpoint.events('answered:503')).at(-1)?.answered).toMatchObject({ delayMs: 0, limited: true });
  // A sender that has only closed its side may still read its answer, which stays in memory.
  held[0]?.socket.end();
  await eventually(() => server.services.holds.count() === 127);
  expect(await endpoint.raw(request, body)).toEndWith('x');
  held[1]?.socket.resetAndDestroy();
  await eventually(() => server.services.holds.count() === 126);
  const other = await openConnection(endpoint, request, body);
  await eventually(() => server.services.holds.count() === 127);
  for (const { socket } of [...held, other]) socket.destroy();
  await eventually(() => server.services.holds.count() === 0);
}, 120_000);

test('an endpoint holds 200 connections; the next sender is answered at once', async () => {
  const endpoint = await endpointWith([{ answer: { delayMs: 60_000, status: 503, body: 'late' } }]);
  const request = 'POST PATH HTTP/1.1\r\nHost: x\r\nContent-Length: 0';
  const held = await Promise.all(Array.from({ length: 200 }, () => openConnection(endpoint, request, '')));
  await eventually(() => server.services.holds.count() === 200);
  expect(await endpoint.raw(request)).toEndWith('late');
  const [limited] = (await endpoint.events('answered:503')).slice(-1);
  expect(limited?.answered).toEqual({ status: 503, rule: 'rule-1', delayMs: 0, fault: null, limited: true });
  // Senders that leave make room.
  for (const { socket } of held.slice(0, 50)) socket.destroy();
  for (const { socket } of held.slice(50, 100)) socket.end();
  // Those that only ended their side may still read, but hold no place.
  await eventually(() => server.services.holds.count() === 100);
  const others = await Promise.all(Array.from({ length: 100 }, () => openConnection(endpoint, request, '')));
  await eventually(() => server.services.holds.count() === 200);
  for (const { socket } of [...held, ...others]) socket.destroy();
  await eventually(() => server.services.holds.count() === 0);
}, 120_000);
