import { afterEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../core/clock.ts';
import { closePeers, ok, peer, reply } from '../testing/raw-destination.ts';
import type { ResolvedAddress } from './guard.ts';
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

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('the request', () => {
  test('keeps header order, case, repeats and latin1 bytes, and the URL as written', async () => {
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

  test.each(['GET', 'DELETE', 'QUERY', 'PROPFIND', 'PURGE'])('%s keeps its body', async method => {
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
  ])('%s without a body is never chunked (sends Content-Length: %p)', async (method, isStated) => {
    const to = await peer(reply('HTTP/1.1 204 No Content'));
    expect(await send(to.port, { method })).toMatchObject({ status: 204 });
    expect(to.received().includes('\r\nContent-Length: 0\r\n')).toBe(isStated);
    expect(to.received()).not.toMatch(/transfer-encoding/i);
  });

  test('keeps a megabyte of arbitrary bytes', async () => {
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

  test('has no header that contains a line break, or that the connection sets', async () => {
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
    expect(await send(to.port, { method })).toEqual({ kind: 'refused', reason: "this method can't be sent" });
    expect(to.connects()).toBe(0);
  });
});

describe('the destination', () => {
  const resolving = (...answers: ResolvedAddress[][]) => {
    const resolved: string[] = [];
    const resolve = async (host: string): Promise<ResolvedAddress[]> => answers[resolved.push(host) - 1] ?? [];
    return { resolved, resolve };
  };
  const [one, two] = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ] as const;

  test('is the address that was checked: the name is resolved once', async () => {
    const first = await peer(ok);
    const second = await peer(ok, '127.0.0.2', first.port);
    const { resolved, resolve } = resolving([one], [two]);
    const pinned = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve });
    const url = `http://rebind.test:${first.port}/`;
    expect(await pinned.send({ url, method: 'GET', headers: [], body: bytes(''), timeoutMs: 5000 })).toMatchObject({
      status: 200,
    });
    expect([resolved, first.connects(), second.connects()]).toEqual([['rebind.test'], 1, 0]);
    expect(first.received()).toContain(`\r\nHost: rebind.test:${first.port}\r\n`);
  });

  test('is checked for each request, and no connection is reused', async () => {
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

  test('is the next address when the first one refuses, as for localhost with a server on one family', async () => {
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

  test('is never the target of a redirect', async () => {
    const target = await peer(ok);
    const to = await peer(
      reply(`HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${target.port}/\r\nContent-Length: 0`),
    );
    expect(await send(to.port)).toMatchObject({ kind: 'answered', status: 302 });
    expect(target.connects()).toBe(0);
  });

  test('is unreachable when all addresses of the name refuse', async () => {
    const to = await peer(ok);
    closePeers();
    const { resolve } = resolving([{ address: '::1', family: 6 }, one]);
    const pinned = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve });
    const url = `http://localhost:${to.port}/`;
    expect(await pinned.send({ url, method: 'GET', headers: [], body: bytes(''), timeoutMs: 5000 })).toMatchObject({
      kind: 'unreachable',
      reason: 'connection refused',
    });
  });

  test('is unreachable when it refuses the connection or its name is unknown', async () => {
    const to = await peer(ok);
    closePeers();
    expect(await send(to.port)).toMatchObject({ kind: 'unreachable', reason: 'connection refused' });
    const nowhere = createOutbound({ allow: [], allowLoopback: true, clock: systemClock, resolve: async () => [] });
    expect(
      await nowhere.send({ url: 'http://x.test', method: 'GET', headers: [], body: bytes(''), timeoutMs: 5000 }),
    ).toMatchObject({ kind: 'unreachable' });
  });
});
