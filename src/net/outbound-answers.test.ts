import { afterEach, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { systemClock } from '../core/clock.ts';
import { eventually } from '../testing/poll.ts';
import { closePeers, drip, ok, peer, reply } from '../testing/raw-destination.ts';
import { createOutbound, type OutboundRequest, type OutboundResult } from './outbound.ts';

afterEach(closePeers);

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

const text = (result: OutboundResult): string =>
  result.kind === 'answered' ? new TextDecoder().decode(result.preview) : `${result.kind}: ${result.reason}`;
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('the response', () => {
  test('has status, headers as sent, body, and the duration by the clock', async () => {
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
  ])('a body %s is read completely', async (_, raw) => {
    const to = await peer(socket => socket.end(raw));
    const result = await send(to.port);
    expect(result).toMatchObject({ status: 200, truncated: false });
    expect(text(result)).toBe('hi');
  });

  test('to HEAD has no body, also when the peer sends one', async () => {
    const to = await peer(ok);
    expect(await send(to.port, { method: 'HEAD' })).toMatchObject({ status: 200, preview: bytes('') });
  });

  test('101 is a status, and the connection is closed', async () => {
    const to = await peer(socket =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\nraw'),
    );
    expect(await send(to.port)).toMatchObject({ kind: 'answered', status: 101, preview: bytes(''), truncated: false });
    await eventually(to.isClosed);
  });

  test.each<[string, string]>([
    ['a length that is longer than the body', 'HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\nhi'],
    ['a last chunk that never comes', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\nzz\r\n'],
  ])('%s: the status and the received part are the result', async (_, raw) => {
    const to = await peer(socket => socket.end(raw));
    const result = await send(to.port);
    expect(result).toMatchObject({ kind: 'answered', status: 200, truncated: true });
    expect(text(result)).toBe('hi');
  });

  test('is not decompressed, so a gzip bomb stays small', async () => {
    const bomb = gzipSync(new Uint8Array(50 << 20));
    const to = await peer(reply(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}`, bomb));
    const result = await send(to.port, { previewBytes: 1 << 20 });
    expect(result.kind === 'answered' && Buffer.compare(result.preview, bomb)).toBe(0);
  });

  test('an endless body is read only as far as the preview needs', async () => {
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
    await eventually(to.isClosed);
    expect(written).toBeLessThan(1 << 25);
  });

  test('a body as long as the preview is not truncated', async () => {
    const to = await peer(ok);
    expect(await send(to.port, { previewBytes: 2 })).toMatchObject({ truncated: false, preview: bytes('hi') });
    const again = await peer(ok);
    expect(await send(again.port, { previewBytes: 1 })).toMatchObject({ truncated: true, preview: bytes('h') });
  });
});

describe('peers that do not answer', () => {
  test.each<[string, (socket: Socket) => unknown, string]>([
    ['speaks something else', socket => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), 'the response is not HTTP'],
    ['sends garbage', socket => socket.write(new Uint8Array([0, 255, 1, 254])), 'the response is not HTTP'],
    ['closes', socket => socket.end(), 'the connection was closed without a response'],
    ['resets', socket => socket.resetAndDestroy(), 'the connection was closed without a response'],
    [
      'sends endless headers',
      socket => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1 << 20)}`),
      'the response is not HTTP',
    ],
  ])('a peer that %s is unreachable, with the reason', async (_, answer, reason) => {
    const to = await peer(answer);
    expect(await send(to.port)).toMatchObject({ kind: 'unreachable', reason });
    await eventually(to.isClosed);
  });

  test.each<[string, (socket: Socket) => unknown]>([
    ['hangs', () => {}],
    ['continues for ever', socket => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
    ['drips its headers', socket => drip(socket, 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n')],
  ])('a peer that %s is unreachable at the deadline, and nothing stays open', async (_, answer) => {
    const to = await peer(answer);
    expect(await send(to.port, { timeoutMs: 150 })).toMatchObject({
      kind: 'unreachable',
      reason: 'no complete response within 0.15 s',
    });
    await eventually(to.isClosed);
  });

  test('a body that is still dripping at the deadline: the status and the received part are the result', async () => {
    const to = await peer(socket => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'));
    const result = await send(to.port, { timeoutMs: 150 });
    expect(result).toMatchObject({ kind: 'answered', status: 200, truncated: true });
    expect(text(result)).toMatch(/^x+$/);
    await eventually(to.isClosed);
  });

  test('the deadline includes name resolution', async () => {
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

  test('a request can be cancelled before and while it is sent', async () => {
    const to = await peer(() => {});
    const cancel = new AbortController();
    const pending = send(to.port, { signal: cancel.signal });
    await eventually(() => to.received() !== '');
    cancel.abort();
    expect(await pending).toMatchObject({ kind: 'unreachable', reason: 'the request was cancelled' });
    await eventually(to.isClosed);
    expect(await send(to.port, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'unreachable' });
    await eventually(to.isClosed);
  });
});
