/*
 * The HTTP server: node:http's parser on connections that the listener accepted or the fast path handed over. It does not listen
 * itself. Pipelined requests are answered in order, and invalid HTTP is answered in JSON. It relies on undocumented behaviour of
 * Bun, which runtime-check.ts checks.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection, Connections } from '../connection/connections.ts';
import { type ProtocolError, protocolErrorOf, sendProtocolError } from '../connection/protocol-errors.ts';
import { isValidRequest } from './request-validity.ts';
import { createSocketReader } from './socket-reader.ts';

type HttpServerOptions = {
  connections: Connections;
  handler: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  keepAliveMs: number;
  onError: (error: unknown) => void;
  /** node:http's own, unless a test breaks it. */
  createNodeServer?: typeof createServer;
};

/** Takes over a connection; `bytes` were read from it already. */
export type HttpServer = (connection: Connection, bytes?: Buffer) => void;

export const maxHeaderSize = 64 << 10;

/** Bun's parser ignores everything after a request with one of these fields, so the connection cannot carry another request. */
const endsConnection = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined || /\bclose\b/i.test(String(headers['proxy-connection'] ?? ''));

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { connections, handler, keepAliveMs, onError, createNodeServer = createServer } = options;
  const server = createNodeServer({ maxHeaderSize, keepAliveTimeout: keepAliveMs });
  // A client that has closed its half of the connection may still wait for its response.
  Object.assign(server, { httpAllowHalfOpen: true });

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (!isValidRequest(req)) return void enqueueError(req, res, 400);
    const start = (): void => {
      handler(req, res).catch(error => {
        onError(error);
        res.destroy();
      });
    };
    resumeWhenRead(req);
    connections.enqueue({ req, res, isLast: endsConnection(req), start });
  };
  const enqueueError = (req: IncomingMessage, res: ServerResponse, status: ProtocolError): void =>
    connections.enqueue({ req, res, isLast: true, start: () => sendProtocolError(res, status) });

  /** Backpressure: when the handler reads the body, the socket reader may feed the parser more of it. */
  const resumeWhenRead = (req: IncomingMessage): void => {
    const read = req._read;
    // Looked up now: reading may go on after the connection is closed and no longer tracked.
    const { resume } = connections.open(req.socket);
    req._read = size => {
      read.call(req, size);
      queueMicrotask(resume);
    };
  };

  server
    .on('request', serve)
    // `100 Continue` is left to the handler that reads the body: a refused delivery costs no upload.
    .on('checkContinue', serve)
    .on('checkExpectation', (req, res) => enqueueError(req, res, 417))
    // Without a listener the connection would be closed without a response.
    .on('connect', (_req, socket) => connections.fail(socket as Socket, 400))
    .on('clientError', (error: NodeJS.ErrnoException, socket) =>
      connections.fail(socket as Socket, protocolErrorOf(error.code)),
    );

  return (connection, bytes) => {
    const { socket, readDecision } = connection;
    const reader = createSocketReader({
      socket,
      readDecision,
      attach: () => server.emit('connection', socket),
    });
    connection.resume = reader.resume;
    if (bytes) reader.push(bytes);
  };
}
