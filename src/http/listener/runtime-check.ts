/*
 * Checks that this Bun behaves as listener.ts and http-server.ts need it, where the behaviour is not documented. It runs in the tests,
 * before each build of an executable, and at each start from source:
 * - a node:http server that does not listen serves a socket passed to `emit('connection')`, by `data` and `end` listeners that it adds;
 * - it calls `socket.destroySoon` after a response with `shouldKeepAlive` false, and `clientError` reports what cannot be parsed;
 * - it keeps the target and the header fields exact, and asks for more of a body with `req._read`;
 * - `httpAllowHalfOpen` keeps a connection whose client has sent everything;
 * - a socket says whether the parser is inside a message (`http1MessageOpen`);
 * - with TLS, the socket before the handshake and the one after it are the same object.
 */
import type { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer as createNetServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { type Connections, createConnections, isHeadArriving } from '../connection/connections.ts';
import { protocolErrorMessage } from '../connection/protocol-errors.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { type Certificate, portOf, settlesWithin, startListening } from './listening.ts';

export type RuntimeCheckOptions = {
  /** The check uses TLS when there is one. */
  certificate?: Certificate | undefined;
  timeoutMs?: number;
  /** node:http's own, unless a test breaks it. */
  createNodeServer?: typeof createServer;
};

const hour = 3_600_000;
const unlimited = { idle: hour, head: hour, body: hour, closing: hour, closingSilence: hour };

/** More than a stream buffers by itself, so that the rest has to be asked for. */
const bodyBytes = 80_000;
const lastTarget = '/last';
const headBeginning = 'POST /in/a/../b?q="<>" HT';
const rest = [
  'TP/1.1\r\nhOsT: check\r\nX-Twice: 1\r\nx-tWice:  2\r\n',
  `Content-Length: ${bodyBytes}\r\n\r\n${'x'.repeat(bodyBytes)}`,
  `GET ${lastTarget} HTTP/1.1\r\nHost: check\r\n\r\n`,
].join('');
const expectedFields = ['hOsT', 'check', 'X-Twice', '1', 'x-tWice', '2', 'Content-Length', String(bodyBytes)];
const expectedRequests = [
  JSON.stringify(['POST', '/in/a/../b?q="<>"', expectedFields, bodyBytes]),
  JSON.stringify(['GET', lastTarget, ['Host', 'check'], 0]),
];

/**
 * Sends two requests and one line that is not HTTP over the loopback interface; takes a few milliseconds.
 * @returns what is wrong; undefined when nothing is, or when the loopback interface cannot be used
 */
export async function checkRuntime(options: RuntimeCheckOptions = {}): Promise<string | undefined> {
  const { certificate, timeoutMs = 5000, createNodeServer } = options;
  const requests: string[] = [];
  const problems: string[] = [];
  const report = (problem: unknown): void => void problems.push(String(problem));

  const connections = createConnections(unlimited);
  const httpServer = createHttpServer({
    connections,
    handler: async (req, res) => void requests.push(await describeRequest(req, res)),
    keepAliveMs: hour,
    onError: report,
    ...(createNodeServer && { createNodeServer }),
  });
  const accept = (socket: Socket): void => handOver(socket, { connections, httpServer, report, sendRest });
  const sockets = new Set<Socket>();
  const acceptor = certificate
    ? createTlsServer({ ...certificate, allowHalfOpen: true }, socket => {
        if (!sockets.has(socket)) report('a TLS connection has another socket before its handshake than after it');
        accept(socket);
      }).on('connection', socket => sockets.add(socket))
    : createNetServer({ allowHalfOpen: true }, accept);
  try {
    await startListening(acceptor, [0, '127.0.0.1'], report);
  } catch {
    return undefined;
  }
  const isSecure = certificate !== undefined;
  const clients = [headBeginning, 'nonsense\r\n\r\n'].map(text => openClient(portOf(acceptor), isSecure, text));
  const sendRest = (): void => {
    // Behind it the client closes its half of a plain connection.
    if (isSecure) clients[0]?.socket.write(rest);
    else clients[0]?.socket.end(rest);
  };
  try {
    const isDone = await settlesWithin(timeoutMs, Promise.all(clients.map(client => client.ended)));
    const [valid = '', invalid = ''] = clients.map(client => client.received());
    if (problems[0] !== undefined) return problems[0];
    if (!isDone) return `a test connection did not end within ${timeoutMs} ms`;
    if (requests.join() !== expectedRequests.join()) return `a request was not read exactly: ${requests.join()}`;
    if (valid.split('HTTP/1.1 200 OK\r\n').length !== 3) return 'pipelined requests were not answered in order';
    if (invalid !== protocolErrorMessage(400)) return 'invalid HTTP was not reported';
    return undefined;
  } finally {
    for (const { socket } of clients) socket.destroy();
    connections.destroyAll();
    acceptor.close();
  }
}

type HandOverOptions = {
  connections: Connections;
  httpServer: HttpServer;
  report: (problem: unknown) => void;
  sendRest: () => void;
};

/** Passes a connection to the HTTP server as the fast path does: after the first bytes were read. */
function handOver(socket: Socket, { connections, httpServer, report, sendRest }: HandOverOptions): void {
  socket.on('error', () => {});
  const connection = connections.open(socket);
  const { destroySoon } = socket;
  let isDestroySoonCalled = false;
  socket.destroySoon = () => {
    isDestroySoonCalled = true;
    destroySoon.call(socket);
  };
  socket.once('data', (bytes: Buffer) => {
    try {
      httpServer(connection, bytes);
    } catch (error) {
      report(error);
      socket.destroy();
    }
    if (socket.destroyed || bytes.toString('latin1') !== headBeginning) return;
    if (isHeadArriving(socket) !== true) report('a socket does not say whether the parser is inside a message');
    socket.once('finish', () => {
      if (!isDestroySoonCalled) report('node:http does not call destroySoon after the last response');
    });
    sendRest();
  });
}

async function describeRequest(req: IncomingMessage, res: ServerResponse): Promise<string> {
  let size = 0;
  for await (const chunk of req) size += (chunk as Buffer).length;
  if (req.url === lastTarget) res.shouldKeepAlive = false;
  res.end();
  return JSON.stringify([req.method, req.url, req.rawHeaders, size]);
}

function openClient(port: number, isSecure: boolean, text: string) {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const address = { port, host: '127.0.0.1' };
  const socket: Socket = isSecure ? connectTls({ ...address, rejectUnauthorized: false }) : connect(address);
  let received = '';
  socket
    .on('error', () => resolve())
    .once('end', resolve)
    .once('close', resolve)
    .on('data', chunk => {
      received += chunk.toString('latin1');
    })
    .write(text);
  return { socket, ended, received: () => received };
}
