/*
 * One listening socket. Its connections are tracked (connections.ts) and read by the fast path, if there is one, else by the
 * HTTP server (http-server.ts).
 */
import { createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { bodyPaceLimits } from '../connection/body-pace.ts';
import { type ConnectionLimitOptions, isProbePath } from '../connection/connection-limit.ts';
import { type Connection, createConnections } from '../connection/connections.ts';
import type { ConnectionLimits } from '../connection/phase.ts';
import { sendProtocolError } from '../connection/protocol-errors.ts';
import { createHttpServer } from './http-server.ts';
import {
  type Certificate,
  type Handler,
  keepAliveSeconds,
  type Listener,
  portOf,
  settlesWithin,
  startListening,
} from './listening.ts';

/**
 * Reads the requests of a connection that it understands, and hands the connection over at the first request that it does not
 * understand.
 */
export type FastPath = (connection: Connection) => void;

export type FastPathFactory = (options: {
  keepAliveSeconds: number;
  /** Continues with the HTTP server, from `bytes` on. */
  handOver: (connection: Connection, bytes: Buffer) => void;
  onError: (error: unknown) => void;
}) => FastPath;

type ListenerOptions = {
  handler: Handler;
  /** Without it the listener speaks plain HTTP. */
  certificate?: Certificate | undefined;
  /** Without it every connection goes to the HTTP server. */
  fastPath?: FastPathFactory | undefined;
  /** Without it the number of connections is unlimited. */
  connectionLimit?: ConnectionLimitOptions | undefined;
  onError: (error: unknown) => void;
  /** For tests: other limits than the defaults, and how often they are checked. */
  limits?: Partial<ConnectionLimits> | undefined;
  tickMs?: number | undefined;
};

const defaultLimits: ConnectionLimits = {
  idle: keepAliveSeconds * 1000,
  head: 10_000,
  body: 300_000,
  bodyPace: bodyPaceLimits,
  closing: 30_000,
  closingSilence: 2000,
};

export function createListener(options: ListenerOptions): Listener {
  const { handler, onError, certificate, fastPath, connectionLimit, limits, tickMs } = options;
  const allLimits = { ...defaultLimits, ...limits };
  const connections = createConnections(allLimits, tickMs, connectionLimit);
  const httpServer = createHttpServer({
    connections,
    handler: async (req, res) => {
      const { url = '/' } = req;
      if (connections.isReserved(req.socket) && !isProbePath(url)) sendProtocolError(res, 503);
      else await handler(req, res, url);
    },
    keepAliveMs: allLimits.idle,
    onError,
  });
  const readFast = fastPath?.({ keepAliveSeconds, handOver: httpServer, onError });
  // A client that has closed its half of the connection may still wait for its response.
  const allowHalfOpen = true;

  const accept = (socket: Socket): void => {
    // A client that resets its connection is not our error; `close` follows.
    socket.on('error', () => {});
    const connection = connections.open(socket);
    if (socket.destroyed) return;
    if (readFast && !connection.isReserved) readFast(connection);
    else httpServer(connection);
  };
  const tlsServer =
    certificate &&
    createTlsServer({ ...certificate, allowHalfOpen, noDelay: true, handshakeTimeout: allLimits.head }, accept);
  // Tracked before the handshake, which may never come: Bun reports a handshake that takes too long, but leaves the socket open.
  tlsServer
    ?.on('connection', socket => void connections.open(socket.on('error', () => {})))
    .on('tlsClientError', () => {});
  const acceptor: Server = tlsServer ?? createNetServer({ allowHalfOpen, noDelay: true }, accept);

  return {
    port: () => portOf(acceptor),
    listen: (...address) => startListening(acceptor, address, onError),
    setCertificate: fresh => tlsServer?.setSecureContext(fresh),
    close: async deadlineMs => {
      acceptor.close();
      connections.stop();
      await settlesWithin(deadlineMs, connections.untilIdle());
      connections.destroyAll();
    },
  };
}
