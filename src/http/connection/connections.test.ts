/* How long a connection may stay in each phase. Shutdown is also in front.test.ts and fast-path/connection-end.test.ts. */
import { afterEach, describe, expect, test } from 'bun:test';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Server } from 'node:net';
import { eventually } from '../../testing/poll.ts';
import { openWire, type Wire } from '../../testing/raw-http.ts';
import { type Connection, createConnections } from './connections.ts';
import type { ConnectionLimits } from './phase.ts';

const never = 3_600_000;
let acceptor: Server | undefined;
let end = (): void => {};
afterEach(() => {
  end();
  acceptor?.close();
});

/** A server that looks at its limits every few milliseconds; requests are answered when the test says so. */
async function open(limits: Partial<ConnectionLimits>) {
  const connections = createConnections(
    { idle: never, head: never, body: never, closing: never, closingSilence: never, ...limits },
    5,
  );
  end = connections.destroyAll;
  const opened: Connection[] = [];
  const responses: ServerResponse[] = [];
  const complete = createServer((req, res) => {
    const answer = (): void => {
      req.resume();
      responses.push(res);
    };
    connections.enqueue({ req, res, isLast: false, start: answer });
  });
  acceptor = createNetServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => {});
    opened.push(connections.open(socket));
    complete.emit('connection', socket);
  });
  await new Promise<void>(done => acceptor?.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(acceptor.address() as AddressInfo).port}`;
  const wire: Wire = await openWire(origin);
  return { origin, wire, opened, responses, connections };
}

const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';
const timedOut =
  /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\ncontent-type: application\/json\r\n.*\{"error":"[^"]+"\}$/s;

describe('closed after the time limit', () => {
  test('a new connection that sends nothing', async () => {
    const { wire } = await open({ head: 20 });
    await wire.closed;
    expect(wire.received()).toBe('');
  });

  test('a connection that sends nothing after a response', async () => {
    const { wire, responses } = await open({ idle: 20, body: 60_000 });
    wire.write(`${post}hi`);
    (await eventually(() => responses[0])).end('done');
    await wire.closed;
    expect(wire.received()).toEndWith('done');
  });

  test('a connection whose first head is incomplete, with 408', async () => {
    const { wire, opened } = await open({ head: 20 });
    wire.write(post.slice(0, -2));
    (await eventually(() => opened[0])).setPhase('head');
    await wire.closed;
    expect(wire.received()).toMatch(timedOut);
  });

  test('a connection whose later head is incomplete, with 408', async () => {
    const { wire, responses } = await open({ head: 20 });
    wire.write(`${post}hi`);
    (await eventually(() => responses[0])).end('done');
    await wire.until(/done/);
    wire.write('P');
    await wire.closed;
    expect(wire.received()).toMatch(/done.*HTTP\/1\.1 408 /s);
  });

  test('a connection whose incomplete head arrived with the previous request, with 408', async () => {
    const { wire, responses } = await open({ head: 20 });
    wire.write(`${post}hiPOST / HT`);
    (await eventually(() => responses[0])).end('done');
    await wire.closed;
    expect(wire.received()).toMatch(/done.*HTTP\/1\.1 408 /s);
  });

  test('a connection with an incomplete body whose client does not read the 408', async () => {
    const { opened, wire } = await open({ body: 20 });
    wire.write(`${post}h`);
    const { socket } = await eventually(() => opened[0]);
    // As if it were never taken.
    socket.end = () => socket;
    await wire.closed;
    expect(wire.received()).toBe('');
  });

  test('a connection with an incomplete body, with 408', async () => {
    const { wire } = await open({ body: 20 });
    wire.write(`${post}h`);
    await wire.closed;
    expect(wire.received()).toMatch(timedOut);
  });

  test('a connection with an incomplete body whose response has begun, without 408', async () => {
    const { wire, responses } = await open({ body: 20 });
    wire.write(`${post}h`);
    (await eventually(() => responses[0])).write('half');
    await wire.closed;
    expect(wire.received()).not.toContain('408');
  });
});

describe('a response that was sent', () => {
  test('has to be read in time', async () => {
    const { origin, responses, connections } = await open({ idle: 20 });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.pause();
    socket.on('error', () => {}).write(`${post}hi`);
    // More than the socket buffers of both ends hold together.
    (await eventually(() => responses[0])).end(Buffer.alloc(64 << 20));
    await connections.untilIdle();
    socket.destroy();
  });

  test('is not followed by 408', async () => {
    const { wire, opened } = await open({ idle: 20 });
    wire.write('P');
    (await eventually(() => opened[0])).setPhase('flush');
    await wire.closed;
    expect(wire.received()).toBe('');
  });
});

describe('not closed', () => {
  test('a connection whose request is complete, however long the response takes', async () => {
    const { origin, wire, responses } = await open({ idle: 20, head: 20, body: 20 });
    wire.write(`${post}hi`);
    const response = await eventually(() => responses[0]);
    // Another one, which came later, has been cut meanwhile.
    await (await openWire(origin)).closed;
    response.end('done');
    expect(await wire.until(/done/)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a connection after its last response', () => {
  /** Its last answer is given while its body is arriving, and its client does not close. */
  async function tellAll(limits: Partial<ConnectionLimits>) {
    const { origin, connections, responses } = await open(limits);
    const { port } = new URL(origin);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).write(`${post}h`);
    const response = await eventually(() => responses[0]);
    response.shouldKeepAlive = false;
    response.end('done');
    await new Promise(resolve => socket.once('end', resolve).resume());
    return { socket, connections };
  }

  test('is closed when nothing arrives', async () => {
    const { socket, connections } = await tellAll({ closingSilence: 20 });
    await connections.untilIdle();
    socket.destroy();
  });

  test('is read while something arrives, up to a limit', async () => {
    const { socket, connections } = await tellAll({ closingSilence: 100, closing: 400 });
    let isQuiet = false;
    void connections.untilIdle().then(() => {
      isQuiet = true;
    });
    const startedAt = performance.now();
    await eventually(() => {
      socket.write('x');
      return isQuiet;
    });
    socket.destroy();
    expect(performance.now() - startedAt).toBeGreaterThan(200);
  });
});

describe('after stop', () => {
  test('a connection that is accepted late is closed', async () => {
    const { origin, connections, wire } = await open({});
    connections.stop();
    await wire.closed;
    const late = await openWire(origin);
    await late.closed;
  });

  test('untilIdle does not wait for another request whose head has begun to arrive', async () => {
    const { wire, responses, connections } = await open({});
    wire.write(`${post}hiPOST / HT`);
    const response = await eventually(() => responses[0]);
    // Says that the connection goes on, before anybody stops.
    response.write('half');
    await wire.until(/half/);
    connections.stop();
    response.end();
    await connections.untilIdle();
  });
});

describe('pipelined requests', () => {
  test('are all waited for by untilIdle', async () => {
    const { wire, responses, connections } = await open({});
    wire.write(`${post}hi${post}ho`);
    (await eventually(() => responses[0])).end('one');
    await wire.until(/one/);
    let isQuiet = false;
    void connections.untilIdle().then(() => {
      isQuiet = true;
    });
    const second = await eventually(() => responses[1]);
    expect(isQuiet).toBe(false);
    second.end('two');
    await wire.until(/two/);
    await eventually(() => isQuiet);
  });
});
