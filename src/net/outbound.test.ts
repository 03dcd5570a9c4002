import { afterEach, describe, expect, test } from 'bun:test';
import net, { type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../core/clock.ts';
import type { ResolvedAddress } from './guard.ts';
import { createOutbound, type OutboundRequest, type OutboundResult } from './outbound.ts';

const opened: { close: () => unknown }[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of opened.splice(0)) server.close();
  sockets.clear();
});

type Peer = { port: number; received: () => string; connects: () => number; isClosed: () => boolean };

/** A raw TCP peer: `answer` runs once a whole head has come, everything received is kept as latin1. */
async function peer(answer: (socket: Socket) => unknown, host = '127.0.0.1', port = 0): Promise<Peer> {
  let received = '';
  let connects = 0;
  let closed = 0;
  const server = net.createServer(socket => {
    connects++;
    sockets.add(socket);
    let isAnswered = false;
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    socket.on('data', data => {
      received += data.toString('latin1');
      if (isAnswered || !received.includes('\r\n\r\n')) return;
      isAnswered = true;
      answer(socket);
    });
  });
  opened.push(server);
  await new Promise<void>(done => server.listen(port, host, done));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    received: () => received,
    connects: () => connects,
    isClosed: () => closed === connects,
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 3000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('did not happen within 3 s');
    await Bun.sleep(2);
  }
}

const outbound = createOutbound({ allow: [], allowLoopback: true, clock: systemClock });

const send = (port: number, request: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
  outbound.send({
    url: `http://127.0.0.1:${port}/`,
    method: 'POST',
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 5000,
    ...request,
  });

const reply =
  (head: string, body: string | Uint8Array = '') =>
  (socket: Socket): void => {
    socket.write(`${head}\r\n\r\n`);
    socket.end(body);
  };
const ok = reply('HTTP/1.1 200 OK\r\nContent-Length: 2', 'hi');

const text = (result: OutboundResult): string =>
  result.kind === 'answered' ? new TextDecoder().decode(result.preview) : `${result.kind}: ${result.reason}`;
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('what goes out', () => {
  test('header order, case, repeats and latin1 bytes; target as written', async () => {
    const to = await peer(ok);
    const headers = [
      ['Content-Type', 'text/plain'],
      ['X-b', '2'],
      ['x-A', '1'],
      ['X-b', '3'],
      ['X-Latin', 'caf\u00e9'],
      ['x-service-replay', 'evt_1'],
    ] as const;
    await send(to.port, { url: `http://127.0.0.1:${to.port}/a%2Fb/?q='1'&r=#frag`, headers, body: bytes('{"a":1}') });
    expect(to.received()).toBe(
      [
        `POST /a%2Fb/?q=%271%27&r= HTTP/1.1`,
        `Host: 127.0.0.1:${to.port}`,
        'Accept-Encoding: identity',
        'Content-Length: 7',
        'Content-Type: text/plain',
        'X-b: 2',
        'x-A: 1',
        'X-b: 3',
        'X-Latin: caf\u00e9',
        'x-service-replay: evt_1',
        'Connection: close',
        '',
        '{"a":1}',
      ].join('\r\n'),
    );
  });

  test.each(['GET', 'DELETE', 'QUERY', 'PROPFIND', 'PURGE'])('%s with a body', async method => {
    const to = await peer(ok);
    expect(await send(to.port, { method, body: bytes('abc') })).toMatchObject({ status: 200 });
    expect(to.received()).toStartWith(`${method} / HTTP/1.1\r\n`);
    expect(to.received()).toContain('\r\nContent-Length: 3\r\n');
    expect(to.received()).toEndWith('\r\n\r\nabc');
  });

  test.each<[string, boolean]>([
    ['POST', true],
    ['PUT', true],
    ['PATCH', true],
    ['PROPFIND', true],
    ['GET', false],
    ['HEAD', false],
    ['DELETE', false],
    ['OPTIONS', false],
  ])('%s without a body: length stated is %p, never chunked', async (method, isStated) => {
    const to = await peer(reply('HTTP/1.1 204 No Content'));
    expect(await send(to.port, { method })).toMatchObject({ status: 204 });
    expect(to.received().includes('\r\nContent-Length: 0\r\n')).toBe(isStated);
    expect(to.received()).not.toMatch(/transfer-encoding/i);
  });

  test('a body of a megabyte, any bytes', async () => {
    const body = Uint8Array.from({ length: 1 << 20 }, (_, i) => i & 0xff);
    const to = await peer(socket => {
      const wait = setInterval(() => {
        if (to.received().length < body.length) return;
        clearInterval(wait);
        ok(socket);
      }, 2);
    });
    expect(await send(to.port, { body })).toMatchObject({ status: 200 });
    expect(to.received().split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe(Buffer.from(body).toString('latin1'));
  });

  test('headers that could break out of their line, or that are not the caller’s, are not sent', async () => {
    const to = await peer(ok);
    const headers = [
      ['X-A', 'b\r\nX-Evil: 1'],
      ['X-B', 'b\nX-Evil: 1'],
      ['X-C', 'b\0'],
      ['X-D', '\u{1f600}'],
      ['X Evil', '1'],
      ['X-Evil:', '1'],
      ['', '1'],
      ['host', 'evil.test'],
      ['Content-Length', '999'],
      ['Transfer-Encoding', 'chunked'],
      ['connection', 'keep-alive'],
      ['Expect', '100-continue'],
      ['accept-encoding', 'gzip'],
      ['Upgrade', 'h2c'],
      ['X-Good', '1'],
    ] as const;
    await send(to.port, { headers, body: bytes('abc') });
    const names = to
      .received()
      .split('\r\n')
      .slice(1, -2)
      .map(line => line.split(':')[0]);
    expect(names).toEqual(['Host', 'Accept-Encoding', 'Content-Length', 'X-Good', 'Connection']);
  });

  test.each(['GET / HTTP/1.1\r\nX: 1\r\n\r\nGET', 'A B', '', 'CONNECT'])('method %p is refused', async method => {
    const to = await peer(ok);
    expect(await send(to.port, { method })).toEqual({ kind: 'refused', reason: 'the method cannot be sent' });
    expect(to.connects()).toBe(0);
  });
});

describe('where it goes', () => {
  const resolving = (...answers: ResolvedAddress[][]) => {
    const asked: string[] = [];
    const resolve = async (host: string): Promise<ResolvedAddress[]> => answers[asked.push(host) - 1] ?? [];
    return { asked, resolve };
  };
  const [one, two] = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ] as const;

  test('to the address that was checked: the name is resolved once', async () => {
    const first = await peer(ok);
    const second = await peer(ok, '127.0.0.2', first.port);
    const { asked, resolve } = resolving([one], [two]);
    const pinned = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve });
    const url = `http://rebind.test:${first.port}/`;
    expect(await pinned.send({ url, method: 'GET', headers: [], body: bytes(''), timeoutMs: 5000 })).toMatchObject({
      status: 200,
    });
    expect([asked, first.connects(), second.connects()]).toEqual([['rebind.test'], 1, 0]);
    expect(first.received()).toContain(`\r\nHost: rebind.test:${first.port}\r\n`);
  });

  test('each request is checked anew: no connection is kept from the last one', async () => {
    const to = await peer(socket =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n'),
    );
    const { resolve } = resolving([one], [{ address: '10.0.0.1', family: 4 }]);
    const pinned = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve });
    const request = {
      url: `http://rebind.test:${to.port}/`,
      method: 'GET',
      headers: [],
      body: bytes(''),
      timeoutMs: 5000,
    };
    expect((await pinned.send(request)).kind).toBe('answered');
    expect((await pinned.send(request)).kind).toBe('refused');
    expect(to.connects()).toBe(1);
  });

  test('to the next address when the first one refuses: localhost with a server on one family', async () => {
    const to = await peer(ok);
    const { resolve } = resolving([{ address: '::1', family: 6 }, one]);
    const pinned = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve });
    expect(
      await pinned.send({
        url: `http://localhost:${to.port}/`,
        method: 'GET',
        headers: [],
        body: bytes(''),
        timeoutMs: 5000,
      }),
    ).toMatchObject({ status: 200 });
  });

  test('never where a redirect points', async () => {
    const target = await peer(ok);
    const to = await peer(
      reply(`HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${target.port}/\r\nContent-Length: 0`),
    );
    expect(await send(to.port)).toMatchObject({ kind: 'answered', status: 302 });
    expect(target.connects()).toBe(0);
  });

  test('refused connections and unknown names are unreachable', async () => {
    const to = await peer(ok);
    for (const server of opened.splice(0)) server.close();
    expect(await send(to.port)).toMatchObject({ kind: 'unreachable', reason: 'the connection was refused' });
    const nowhere = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve: async () => [] });
    expect(
      await nowhere.send({ url: 'http://x.test', method: 'GET', headers: [], body: bytes(''), timeoutMs: 5000 }),
    ).toMatchObject({ kind: 'unreachable' });
  });
});

describe('what comes back', () => {
  test('status, headers as sent, body, duration by the clock', async () => {
    const to = await peer(reply('HTTP/1.1 418 Teapot\r\nX-b: 1\r\nx-A: 2\r\nX-b: 3\r\nContent-Length: 2', 'hi'));
    let now = 1000;
    const timed = createOutbound({ allow: [], allowLoopback: true, clock: { monotonic: () => (now += 20.4) } });
    expect<unknown>(
      await timed.send({
        url: `http://127.0.0.1:${to.port}`,
        method: 'GET',
        headers: [],
        body: bytes(''),
        timeoutMs: 5000,
      }),
    ).toEqual({
      kind: 'answered',
      status: 418,
      headers: [
        ['X-b', '1'],
        ['x-A', '2'],
        ['X-b', '3'],
        ['Content-Length', '2'],
      ],
      preview: bytes('hi'),
      truncated: false,
      durationMs: 20,
    });
  });

  test.each<[string, string]>([
    ['to the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nhi'],
    ['chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n'],
    [
      'after 100 and 103',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
    ],
  ])('a body %s', async (_, raw) => {
    const to = await peer(socket => socket.end(raw));
    const result = await send(to.port);
    expect(result).toMatchObject({ status: 200, truncated: false });
    expect(text(result)).toBe('hi');
  });

  test('HEAD, also when the peer sends a body nevertheless', async () => {
    const to = await peer(ok);
    expect(await send(to.port, { method: 'HEAD' })).toMatchObject({ status: 200, preview: bytes('') });
  });

  test('101: the status, and the connection is closed', async () => {
    const to = await peer(socket =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\nraw'),
    );
    expect(await send(to.port)).toMatchObject({ kind: 'answered', status: 101, preview: bytes(''), truncated: false });
    await until(to.isClosed);
  });

  test.each<[string, string]>([
    ['a length that is longer than the body', 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nhi'],
    ['a last chunk that never comes', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n'],
  ])('%s: status and the part that came', async (_, raw) => {
    const to = await peer(socket => socket.end(raw));
    const result = await send(to.port);
    expect(result).toMatchObject({ kind: 'answered', status: 200, truncated: true });
    expect(text(result)).toBe('hi');
  });

  test('nothing is inflated: a gzip bomb stays as small as it came', async () => {
    const bomb = gzipSync(new Uint8Array(50 << 20));
    const to = await peer(reply(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}`, bomb));
    const result = await send(to.port, { previewBytes: 1 << 20 });
    expect(result.kind === 'answered' && Buffer.compare(result.preview, bomb)).toBe(0);
  });

  test('an endless body is read as far as the preview needs', async () => {
    let written = 0;
    const block = new Uint8Array(1 << 16).fill(120);
    const to = await peer(socket => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pump = (): void => {
        while (!socket.destroyed && written < 1 << 28) {
          written += block.length;
          if (!socket.write(block)) return void socket.once('drain', pump);
        }
      };
      pump();
    });
    const result = await send(to.port, { previewBytes: 1000 });
    expect(result).toMatchObject({ status: 200, truncated: true });
    expect(text(result)).toBe('x'.repeat(1000));
    await until(to.isClosed);
    expect(written).toBeLessThan(1 << 25);
  });

  test('a body of exactly the preview is not truncated', async () => {
    const to = await peer(ok);
    expect(await send(to.port, { previewBytes: 2 })).toMatchObject({ truncated: false, preview: bytes('hi') });
    const again = await peer(ok);
    expect(await send(again.port, { previewBytes: 1 })).toMatchObject({ truncated: true, preview: bytes('h') });
  });
});

describe('peers that do not answer', () => {
  test.each<[string, (socket: Socket) => unknown, string]>([
    ['speaks something else', socket => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), 'the answer is not HTTP'],
    ['sends garbage', socket => socket.write(new Uint8Array([0, 255, 1, 254])), 'the answer is not HTTP'],
    ['closes', socket => socket.end(), 'the connection was closed without an answer'],
    ['resets', socket => socket.resetAndDestroy(), 'the connection was closed without an answer'],
    [
      'sends endless headers',
      socket => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}`),
      'the answer is not HTTP',
    ],
  ])('%s', async (_, answer, reason) => {
    const to = await peer(answer);
    expect(await send(to.port)).toMatchObject({ kind: 'unreachable', reason });
    await until(to.isClosed);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ['hangs', () => {}],
    ['continues for ever', socket => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
    ['drips its headers', socket => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n')],
  ])('%s: unreachable at the deadline, and nothing stays open', async (_, answer) => {
    const to = await peer(answer);
    expect(await send(to.port, { timeoutMs: 150 })).toMatchObject({
      kind: 'unreachable',
      reason: 'no complete answer within 0.15 s',
    });
    await until(to.isClosed);
  });

  test('a body that drips past the deadline: status and the part that came', async () => {
    const to = await peer(socket => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'));
    const result = await send(to.port, { timeoutMs: 150 });
    expect(result).toMatchObject({ kind: 'answered', status: 200, truncated: true });
    expect(text(result)).toMatch(/^x+$/);
    await until(to.isClosed);
  });

  test('name resolution counts, too', async () => {
    const hanging = createOutbound({
      allow: [],
      allowLoopback: true,
      clock: systemClock,
      resolve: () => new Promise(() => {}),
    });
    expect(
      await hanging.send({ url: 'http://x.test', method: 'GET', headers: [], body: bytes(''), timeoutMs: 50 }),
    ).toMatchObject({ kind: 'unreachable' });
  });

  test('cancelling ends it, before and during', async () => {
    const to = await peer(() => {});
    const cancel = new AbortController();
    const pending = send(to.port, { signal: cancel.signal });
    await until(() => to.received() !== '');
    cancel.abort();
    expect(await pending).toMatchObject({ kind: 'unreachable', reason: 'the request was cancelled' });
    await until(to.isClosed);
    expect(await send(to.port, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'unreachable' });
    await until(to.isClosed);
  });
});

function drip(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(piece)), 5);
}
