/* A Bun that does not pass the runtime check: the program says so and goes on with a plain node:http server. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import { chooseListener, createFront, type Front } from './front.ts';
import { checkRuntime } from './http/listener/runtime-check.ts';
import { selfSigned } from './testing/certificate.ts';
import { openWire, type Wire } from './testing/raw-http.ts';
import { openTestServer, type TestAccount, type TestServer } from './testing/test-server.ts';

let server: TestServer;
let owner: TestAccount;
let front: Front;
let origin: string;
const wires: Wire[] = [];
beforeAll(async () => {
  server = await openTestServer();
  owner = await server.createAccount();
});
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy();
  await front.close(0);
});
afterAll(() => server.close());

/** Starts the front as `hooktape serve` does, on a Bun whose node:http ignores sockets that are passed to it. */
async function open(certificate?: { cert: string; key: string }): Promise<void> {
  const { services } = server;
  const createNodeServer = ((options: object) => {
    const broken = createServer(options);
    broken.emit = () => true;
    return broken;
  }) as typeof createServer;
  const listener = await chooseListener({
    log: services.log,
    check: () => checkRuntime({ createNodeServer }),
  });
  front = createFront({
    ingest: services.ingest,
    fetch: request => server.fetch(new URL(request.url).pathname, { headers: request.headers }),
    clientAddress: services.clientAddress,
    onError: services.onError,
    listener,
    certificate,
  });
  origin = `http${certificate ? 's' : ''}://127.0.0.1:${await front.listen(0, '127.0.0.1')}`;
}

async function send(text: string): Promise<Wire> {
  const wire = await openWire(origin);
  wires.push(wire);
  wire.write(text);
  return wire;
}

describe('the fallback', () => {
  test('is announced as an error with the problem and the version of Bun', async () => {
    await open();
    const [line, ...others] = server.lines.filter(({ level }) => level === 'error');
    expect(others).toEqual([]);
    expect(line?.message).toContain('does not behave as the fast path needs it');
    expect(line?.message).toContain('Please report this');
    expect(line?.fields).toEqual({ problem: expect.stringContaining('does not listen'), bun: Bun.version });
  });

  test('captures a delivery with its exact target, header fields and body', async () => {
    await open();
    const endpoint = await owner.createEndpoint();
    const { pathname } = new URL(endpoint.url);
    const wire = await send(
      `POST ${pathname}/a/../b?q="<>" HTTP/1.1\r\nhOsT: hooks.example.com\r\nX-Twice: 1\r\nx-tWice: 2\r\nContent-Length: 5\r\n\r\nhello`,
    );
    const answer = await wire.until(/"id":"[^"]+"\}/);
    expect(answer).toStartWith('HTTP/1.1 200 OK\r\n');
    const id = /"id":"([^"]+)"/.exec(answer)?.[1];
    const event = await owner.json(200, 'GET', `/api/events/${id}`);
    expect(event).toMatchObject({
      path: '/a/../b',
      payloadRaw: 'hello',
      rawHeaders: [
        ['hOsT', 'hooks.example.com'],
        ['X-Twice', '1'],
        ['x-tWice', '2'],
        ['Content-Length', '5'],
      ],
    });
    expect(JSON.stringify(event)).toContain('q=\\"<>\\"');
  });

  test('captures a chunked body, and answers `Expect: 100-continue`', async () => {
    await open();
    const { pathname } = new URL((await owner.createEndpoint()).url);
    const wire = await send(
      `PUT ${pathname} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    await wire.until(/100 Continue/);
    wire.write('5\r\nhello\r\n0\r\n\r\n');
    expect(await wire.until(/"ok":true/)).toContain('HTTP/1.1 200 OK\r\n');
  });

  test.each([
    ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    ['GET /api/me HTTP/1.1\r\nHost: x\r\n\r\n', 401],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['POST /in/x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n', 400],
    ['nonsense\r\n\r\n', 400],
  ])('answers %j with %d', async (request, status) => {
    await open();
    const wire = await send(request);
    expect(await wire.until(/\r\n\r\n./)).toStartWith(`HTTP/1.1 ${status} `);
  });

  test('serves https', async () => {
    await open(selfSigned());
    const response = await fetch(`${origin}/healthz`, { tls: { rejectUnauthorized: false } });
    expect(await response.json()).toEqual({ ok: true });
  });

  test('is not chosen by an executable, which does not check the Bun that it contains', async () => {
    await open();
    const check = () => Promise.reject(new Error('checked'));
    expect(await chooseListener({ log: server.services.log, isExecutable: true, check })).toBe('complete');
  });
});
