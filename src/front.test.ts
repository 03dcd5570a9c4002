import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFront, createSocketFront, type Front, type FrontOptions } from './front.ts';
import { eventually } from './testing/poll.ts';
import { exchange, openWire } from './testing/raw-http.ts';

let front: Front | undefined;
afterEach(async () => {
  await front?.close(0);
  front = undefined;
});

/** Answers with the target and the body. */
const echo = async (req: IncomingMessage, res: ServerResponse, target: string): Promise<void> => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  res.end(`ingest ${target} ${Buffer.concat(chunks)}`);
};

async function open(options: Partial<FrontOptions> = {}): Promise<string> {
  front = createFront({
    ingest: { handleRequest: echo },
    fetch: request => new Response(`app ${request.url}`),
    clientAddress: () => '',
    onError: () => {},
    ...options,
  });
  return `http://127.0.0.1:${await front.listen(0, '127.0.0.1')}`;
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;

describe('routing', () => {
  test.each([
    ['/in/a/../b?x=%zz', 'ingest /in/a/../b?x=%zz'],
    ['http://hooks.example.com/in/a//b', 'ingest /in/a//b'],
    ['HTTPS://hooks.example.com:8443/in/a', 'ingest /in/a'],
    ['/in', 'ingest /in'],
    ['/inside', 'app http://internal/inside'],
    ['http://evil.example', 'app http://internal/'],
    ['http://evil.example/api/me?x=1', 'app http://internal/api/me?x=1'],
    ['//evil.example/api', 'app http://internal//evil.example/api'],
    ['/%69n/a', 'app http://internal/%69n/a'],
  ])('%s', async (target, expected) => {
    const origin = await open();
    const wire = await openWire(origin);
    wire.write(get(target));
    expect(await wire.until(new RegExp(`${expected.split(' ')[0]} \\S+`))).toContain(expected);
    wire.destroy();
  });
});

describe('requests that node:http accepts although they are invalid', () => {
  test.each([
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['another version', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['no version', 'GET /\r\nHost: x\r\n\r\n'],
    ['the asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['the form of another scheme', 'GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s is answered with 400 and the connection ends', async (_name, request) => {
    const wire = await openWire(await open());
    wire.write(request + get('/in/a'));
    await wire.closed;
    expect(wire.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\nconnection: close\r\n/i);
    expect(wire.received().split('HTTP/1.1')).toHaveLength(2);
  });

  test.each(['Connection: Upgrade\r\nUpgrade: x', 'Proxy-Connection: close'])(
    'nothing is read after a request with %j',
    async fields => {
      const targets: string[] = [];
      const held = Promise.withResolvers<void>();
      const origin = await open({
        ingest: {
          handleRequest: async (req, res, target) => {
            targets.push(target);
            req.resume();
            await held.promise;
            res.end('done');
          },
        },
      });
      const wire = await openWire(origin);
      const inner = get('/in/smuggled');
      wire.write(`GET /in/a HTTP/1.1\r\nHost: x\r\n${fields}\r\n\r\n`);
      wire.write(`POST /in/carrier HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n`);
      await exchange(origin, get('/'));
      wire.write(inner);
      await exchange(origin, get('/'));
      held.resolve();
      await wire.closed;
      expect(wire.received()).toMatch(/\r\nconnection: close\r\n/i);
      expect(targets).toEqual(['/in/a']);
    },
  );

  test('a sender that has closed its half of the connection gets its response', async () => {
    const origin = await open();
    let text = '';
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () =>
      socket.end('POST /in/a HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi'),
    );
    socket.on('data', chunk => {
      text += chunk.toString();
    });
    await eventually(() => text.includes('ingest /in/a hi'));
    await eventually(() => socket.destroyed);
  });
});

describe('closing', () => {
  test('lets an upload finish with Connection: close, and refuses new connections', async () => {
    const origin = await open();
    const wire = await openWire(origin);
    wire.write('POST /in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab');
    await eventually(async () => (await exchange(origin, get('/'))).includes('200'));
    const closing = front?.close(5000);
    let closed = false;
    void closing?.then(() => {
      closed = true;
    });
    const refused = await new Promise<string>(resolve => {
      const late = connect(Number(new URL(origin).port), '127.0.0.1', () => resolve('connected'));
      late.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? ''));
    });
    expect(refused).toBe('ECONNREFUSED');
    expect(closed).toBe(false);
    wire.write('cd');
    expect(await wire.until(/ingest \/in\/a abcd/)).toMatch(/\r\nconnection: close\r\n/i);
    await wire.closed;
    await closing;
  });

  test('lets a slow download finish', async () => {
    const size = 16 << 20;
    const origin = await open({ fetch: () => new Response(new Uint8Array(size)) });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.write(get('/')));
    let received = 0;
    socket.once('data', () => socket.pause());
    socket.on('data', chunk => {
      received += chunk.length;
    });
    await eventually(() => received > 0);
    const closing = front?.close(5000);
    socket.resume();
    await closing;
    await eventually(() => received >= size);
  });

  test('does not wait for idle keep-alive connections', async () => {
    const origin = await open();
    const wire = await openWire(origin);
    wire.write(get('/in/a'));
    expect(await wire.until(/ingest/)).toMatch(/\r\nconnection: keep-alive\r\n/i);
    await front?.close(60_000);
    await wire.closed;
  });

  test('closes unfinished connections at the deadline', async () => {
    const origin = await open();
    const wire = await openWire(origin);
    wire.write('POST /in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab');
    await eventually(async () => (await exchange(origin, get('/'))).includes('200'));
    await front?.close(20);
    await wire.closed;
    expect(wire.received()).toBe('');
  });
});

describe('failures', () => {
  test('a handler that throws ends only its own connection, and the error is reported', async () => {
    const errors: unknown[] = [];
    const origin = await open({
      ingest: {
        handleRequest: async () => {
          throw new Error('defect');
        },
      },
      onError: error => errors.push(error),
    });
    const wire = await openWire(origin);
    wire.write(get('/in/a'));
    await wire.closed;
    expect(errors).toHaveLength(1);
    expect(await exchange(origin, get('/'))).toContain('200');
  });

  test('a response that fails midway is not received as complete', async () => {
    const broken = new ReadableStream({
      start: controller => controller.enqueue(new TextEncoder().encode('half')),
      pull: controller => controller.error(new Error('defect')),
    });
    const origin = await open({ fetch: () => new Response(broken) });
    expect(
      await fetch(origin)
        .then(response => response.text())
        .catch(() => 'failed'),
    ).toBe('failed');
  });

  test('listen rejects with EADDRINUSE for a port in use', async () => {
    const origin = await open();
    const second = createFront({
      ingest: { handleRequest: echo },
      fetch: () => new Response(),
      clientAddress: () => '',
      onError: () => {},
    });
    expect(await second.listen(Number(new URL(origin).port), '127.0.0.1').catch(error => error.code)).toBe(
      'EADDRINUSE',
    );
  });
});

describe('the control socket', () => {
  test('replaces a stale socket file, is open to its owner only, and is removed on close', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
    const path = join(directory, 'hooktape.sock');
    writeFileSync(path, 'stale');
    const socket = createSocketFront(echo, () => {});
    await socket.listen(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const response = await fetch('http://x/control', { unix: path, method: 'POST', body: 'hi' } as RequestInit);
    expect(await response.text()).toBe('ingest /control hi');
    await socket.close(1000);
    expect(existsSync(path)).toBe(false);
    rmSync(directory, { recursive: true, force: true });
  });
});
