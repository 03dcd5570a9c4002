/* The HTTP server: the order of pipelined requests, and invalid HTTP. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createFront, type Front } from '../../front.ts';
import { eventually, stableCount } from '../../testing/poll.ts';
import { openWire } from '../../testing/raw-http.ts';
import { type Connections, createConnections } from '../connection/connections.ts';
import { createHttpServer } from './http-server.ts';

let front: Front;
let port: number;
let origin: string;
let started: string[];
let answer: (target: string, req: IncomingMessage) => string | Buffer | Promise<string>;
beforeEach(async () => {
  started = [];
  answer = async (target, req) => {
    for await (const _ of req);
    return `answer to ${target}`;
  };
  front = createFront({
    ingest: {
      handleRequest: async (req, res, target) => {
        started.push(target);
        res.end(await answer(target, req));
      },
    },
    fetch: () => new Response('app'),
    clientAddress: () => '',
    onError: () => {},
  });
  port = await front.listen(0, '127.0.0.1');
  origin = `http://127.0.0.1:${port}`;
});
afterEach(() => front.close(0));

const get = (target: string, ...fields: string[]): string =>
  ['GET ', target, ' HTTP/1.1\r\nHost: x\r\n', ...fields.map(field => `${field}\r\n`), '\r\n'].join('');
const chunked = (target: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

/** A client that closes its half on request, and keeps what it receives. */
function half(text: string): { socket: Socket; received: () => string } {
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.end(text));
  socket
    .on('error', () => {})
    .on('data', chunk => {
      received += chunk.toString('latin1');
    });
  return { socket, received: () => received };
}

describe('requests of one connection', () => {
  test('are answered in order: one starts when the previous response was sent', async () => {
    const held = new Map<string, (text: string) => void>();
    answer = target => new Promise(resolve => held.set(target, resolve));
    const wire = await openWire(origin);
    wire.write(get('/in/1') + get('/in/2') + get('/in/3'));
    for (const n of ['1', '2', '3']) {
      const resolve = await eventually(() => held.get(`/in/${n}`));
      await stableCount(() => started.length);
      expect(started.at(-1)).toBe(`/in/${n}`);
      resolve(`<${n}>`);
    }
    expect((await wire.until(/<3>/)).match(/<\d>/g)).toEqual(['<1>', '<2>', '<3>']);
    wire.destroy();
  });

  test('are not started while the client does not read its responses', async () => {
    const size = 1 << 20;
    const count = 100;
    const large = Buffer.alloc(size);
    answer = () => large;
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write(get('/in/x').repeat(count));
    expect(await stableCount(() => started.length)).toBeLessThan(50);
    let received = 0;
    socket.on('data', chunk => {
      received += chunk.length;
    });
    socket.resume();
    await eventually(() => received > count * size);
    expect(started).toHaveLength(count);
    socket.destroy();
  });

  test('are all answered, even thousands from a client that has closed its half', async () => {
    const { socket, received } = half(get('/in/x').repeat(5000));
    await eventually(() => socket.destroyed, 20_000);
    expect(received().split('answer to /in/x')).toHaveLength(5001);
  }, 120_000);

  test('that wait are dropped when the connection closes', async () => {
    const held = Promise.withResolvers<string>();
    answer = () => held.promise;
    const wire = await openWire(origin);
    wire.write(get('/in/1') + get('/in/2'));
    await stableCount(() => started.length);
    wire.destroy();
    await wire.closed;
    held.resolve('done');
    expect(await stableCount(() => started.length)).toBe(1);
  });

  test('after one with Connection: close are not started', async () => {
    const wire = await openWire(origin);
    wire.write(get('/in/1', 'Connection: close') + get('/in/2'));
    await wire.closed;
    expect([started, wire.received().split('HTTP/1.1')]).toEqual([['/in/1'], ['', expect.any(String)]]);
  });

  test('a body that no handler reads stays in the kernel', async () => {
    const reading = Promise.withResolvers<void>();
    let req: IncomingMessage | undefined;
    answer = async (_target, given) => {
      req = given;
      await reading.promise;
      let bytes = 0;
      for await (const chunk of given) bytes += (chunk as Buffer).length;
      return `${bytes} bytes`;
    };
    const size = 8 << 20;
    const wire = await openWire(origin);
    wire.write(`POST /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`);
    await stableCount(() => started.length);
    expect(req?.readableLength).toBeLessThan(1 << 20);
    reading.resolve();
    await wire.until(new RegExp(`${size} bytes`));
    wire.destroy();
  });
});

const never = 3_600_000;
const unlimited = { idle: never, head: never, body: never, closing: never, closingSilence: never };

/** The HTTP server alone, on connections with the given limits. */
async function serveOn(
  connections: Connections,
  handler: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Promise<string> {
  const complete = createHttpServer({ connections, handler, keepAliveMs: never, onError: () => {} });
  const acceptor = createServer(socket => complete(connections.open(socket.on('error', () => {}))));
  await new Promise<void>(done => acceptor.listen(0, '127.0.0.1', done));
  end = () => {
    acceptor.close();
    connections.destroyAll();
  };
  return `http://127.0.0.1:${(acceptor.address() as AddressInfo).port}`;
}
let end = (): void => {};
afterEach(() => end());

describe('a closed connection', () => {
  test('is not tracked again when its request is answered late', async () => {
    const known = createConnections(unlimited);
    let late = 0;
    const open = (socket: Socket) => {
      if (socket.destroyed) late++;
      return known.open(socket);
    };
    const { promise: request, resolve } = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
    const wire = await openWire(await serveOn({ ...known, open }, async (...given) => resolve(given)));
    const size = 1 << 20;
    wire.write(`POST /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size / 2)}`);
    const [req, res] = await request;
    await eventually(() => req.readableLength >= req.readableHighWaterMark);
    wire.destroy();
    await wire.closed;
    res.end('too late');
    await eventually(() => req.socket.destroyed);
    await new Promise(setImmediate);
    expect(late).toBe(0);
  });
});

describe('an incomplete head', () => {
  // What comes is read in pieces of 2048 bytes: just behind one, just before its end, in the middle of the next.
  test.each([2048, 2047, 2500])('gets 408 after a request of %d bytes', async bytes => {
    const origin = await serveOn(createConnections({ ...unlimited, head: 200 }, 5), async (_req, res) => {
      await Bun.sleep(10);
      res.end('done');
    });
    const wire = await openWire(origin);
    wire.write(`${get('/in/1', `X: ${'x'.repeat(bytes - get('/in/1', 'X: ').length)}`)}GET /in/2 HT`);
    await wire.closed;
    expect(wire.received()).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 408 /s);
  });
});

describe('invalid HTTP', () => {
  test.each([
    ['malformed', 'nonsense\r\n\r\n', 400, 'malformed request'],
    ['without a host', 'GET / HTTP/1.1\r\n\r\n', 400, 'malformed request'],
    ['with two hosts', get('/in/x', 'hOST: y'), 400, 'malformed request'],
    ['with two hosts and an old version', 'GET /in/x HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n', 400, 'malformed request'],
    ['chunked in HTTP/1.0', chunked('/in/x', '2\r\nhi\r\n0\r\n\r\n').replace('1.1', '1.0'), 400, 'malformed request'],
    ['a broken chunk', chunked('/in/x', 'zz\r\n'), 400, 'malformed request'],
    ['too large a head', get('/in/x', `X: ${'x'.repeat(70_000)}`), 431, 'the header fields are too large'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 400, 'malformed request'],
    ['another expectation', get('/in/x', 'Expect: a miracle'), 417, 'nothing but 100-continue can be expected here'],
  ])('%s is answered in JSON, and the connection ends', async (_name, text, status, error) => {
    const wire = await openWire(origin);
    wire.write(text);
    await wire.closed;
    const [head = '', body = ''] = wire.received().split('\r\n\r\n');
    expect(head).toStartWith(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/\r\ncontent-type: application\/json(\r\n|$)/i);
    expect(head).toMatch(/\r\nconnection: close(\r\n|$)/i);
    expect(head).toMatch(new RegExp(`\\r\\ncontent-length: ${body.length}(\\r\\n|$)`, 'i'));
    expect(JSON.parse(body)).toEqual({ error });
  });

  test('after a request is answered after its response', async () => {
    const held = Promise.withResolvers<string>();
    answer = () => held.promise;
    const wire = await openWire(origin);
    wire.write(`${get('/in/1')}nonsense\r\n\r\n`);
    await stableCount(() => started.length);
    expect(wire.received()).toBe('');
    held.resolve('<1>');
    await wire.closed;
    expect(wire.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*<1>HTTP\/1\.1 400 [\s\S]*\{"error":"malformed request"\}$/);
  });

  test('CONNECT after a request is answered after its response', async () => {
    const wire = await openWire(origin);
    wire.write(`${get('/in/1')}CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${get('/in/2')}`);
    await wire.closed;
    expect(wire.received()).toMatch(/answer to \/in\/1HTTP\/1\.1 400 [\s\S]*\{"error":"malformed request"\}$/);
    expect(started).toEqual(['/in/1']);
  });

  test.each([
    ['the head', 'GET /in/x HTTP/1.1\r\nHo'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\nhello'],
    ['the body', chunked('/in/x', '5\r\nhel')],
  ])('half of %s, then the end of the client’s half, gets 400', async (_name, text) => {
    const { socket, received } = half(text);
    await eventually(() => socket.destroyed);
    expect(received()).toMatch(/^HTTP\/1\.1 400 .*\{"error":"malformed request"\}$/s);
  });
});

describe('a refused upload', () => {
  /** Sends on, whatever is answered. @returns what was answered once all is sent and its half closed */
  const sendOn = (text: string, bytes: number): Promise<string> =>
    new Promise((resolve, reject) => {
      let received = '';
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
        socket.write(text);
        socket.end(Buffer.alloc(bytes));
      });
      socket.on('data', chunk => {
        received += chunk.toString('latin1');
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });

  test('is read to its end, so that the client receives the response', async () => {
    answer = () => 'too large';
    const size = 64 << 20;
    const received = await sendOn(`POST /in/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`, size);
    expect(received).toMatch(/^HTTP\/1\.1 200 .*too large$/s);
  });

  test('is read to its end when it is invalid HTTP, too', async () => {
    expect(await sendOn('nonsense\r\n\r\n', 64 << 20)).toMatch(/^HTTP\/1\.1 400 .*"\}$/s);
  });

  test('does not delay the end of the server beyond the deadline', async () => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).write('nonsense\r\n\r\n');
    await new Promise(resolve => socket.once('data', resolve));
    const closed = new Promise(resolve => socket.once('close', resolve));
    const startedAt = performance.now();
    await front.close(300);
    expect(performance.now() - startedAt).toBeGreaterThan(250);
    socket.destroy();
    await closed;
  });
});
