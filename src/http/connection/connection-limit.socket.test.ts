/* More connections than a front takes, over real sockets. */
import { afterEach, expect, test } from 'bun:test';
import { connect as connectSocket, type Socket } from 'node:net';
import { createFront, type Front } from '../../front.ts';
import { selfSigned } from '../../testing/certificate.ts';
import { eventually } from '../../testing/poll.ts';
import { openWire, type Wire } from '../../testing/raw-http.ts';

let front: Front | undefined;
const wires: Wire[] = [];
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.destroy();
  await front?.close(0);
});

type Options = { tls?: { cert: string; key: string }; fetch?: () => Response; flushMs?: number };

async function open({ tls, fetch = () => new Response('ready'), flushMs }: Options = {}) {
  const reports: string[] = [];
  front = createFront({
    ingest: { handleRequest: async (req, res) => void (req.url === '/in/slow' || res.end('captured')) },
    fetch,
    clientAddress: () => '127.0.0.1',
    certificate: tls,
    limits: { tickMs: flushMs === undefined ? 1000 : flushMs / 10 },
    connectionLimit: {
      total: 3,
      perNetwork: 3,
      isShared: () => false,
      onReached: () => reports.push('reached'),
      onLeft: () => {},
      ...(flushMs !== undefined && { minPhaseMs: { flush: flushMs } }),
    },
    onError: () => {},
  });
  const port = await front.listen(0, '127.0.0.1');
  const origin = `http://127.0.0.1:${port}`;
  const connect = async (text = ''): Promise<Wire> => {
    const wire = await openWire(origin);
    wires.push(wire);
    wire.write(text);
    return wire;
  };
  return { port, origin, connect, reports };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('at the limit idle connections are closed to make room for new ones', async () => {
  const { connect, reports } = await open();
  const idle: Wire[] = [];
  for (let i = 0; i < 3; i++) {
    const wire = await connect(get('/readyz'));
    await wire.until(/ready/);
    idle.push(wire);
  }
  expect(reports).toEqual([]);
  for (let i = 0; i < 3; i++) await (await connect(get('/readyz'))).until(/ready/);
  await Promise.all(idle.map(({ closed }) => closed));
  expect(reports).toEqual(['reached']);
});

test('when all connections are busy a new one gets 503, a health probe its response, and the busy ones continue', async () => {
  const { connect } = await open();
  for (let i = 0; i < 3; i++) await connect(get('/in/slow'));
  await eventually(async () => {
    const refused = await connect(get('/app'));
    await refused.closed;
    return /^HTTP\/1\.1 503 Service Unavailable\r\n.*retry-after: 1\r\n.*\{"error":"too many connections, try again"\}$/is.test(
      refused.received(),
    );
  });
  for (const path of ['/readyz', '/healthz', '/metrics']) {
    const probe = await connect(get(path) + get('/app'));
    await probe.closed;
    expect(probe.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^{]*Connection: close\r\n[^{]*ready[^{]*$/s);
  }
  expect(wires.slice(0, 3).every(wire => wire.received() === '')).toBe(true);
});

test('beyond the limit a few silent connections are reserved and all others closed with 503', async () => {
  const { connect } = await open();
  for (let i = 0; i < 3; i++) await connect(get('/in/slow'));
  for (let i = 0; i < 12; i++) await connect();
  const reports = () => wires.filter(wire => wire.received().startsWith('HTTP/1.1 503 ')).length;
  await eventually(() => reports() >= 4);
});

test('silent connections are closed for new ones after a second, with https too', async () => {
  const certificate = selfSigned();
  const { port, connect } = await open({ tls: certificate });
  const silent = await Promise.all(Array.from({ length: 3 }, () => connect()));
  await eventually(async () => {
    const response = await fetch(`https://localhost:${port}/app`, {
      tls: { ca: certificate.cert },
      keepalive: false,
    } as RequestInit).catch(() => undefined);
    return (await response?.text()) === 'ready';
  });
  await Promise.race(silent.map(({ closed }) => closed));
});

test('connections whose answers are not taken give way, and one that takes its answer goes on', async () => {
  const endless = () =>
    new Response(new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(64 << 10)) }));
  const { port, connect } = await open({ fetch: endless, flushMs: 200 });
  const sockets: Socket[] = [];
  const ask = (path: string): Socket => {
    const socket = connectSocket(port, '127.0.0.1', () => socket.write(get(path)));
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  try {
    const reader = ask('/app').resume();
    for (let i = 0; i < 2; i++) ask('/app').pause();
    for (let i = 0; i < 2; i++)
      await eventually(async () => {
        const wire = await connect('POST /in/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1');
        await wire.until(/captured|503/).catch(() => {});
        return wire.received().includes('captured');
      });
    const before = reader.bytesRead;
    await eventually(() => reader.bytesRead > before);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
