/*
 * One listening socket. Connections are accepted here and go to the fast path, if there is one, else to the HTTP server
 * (http-server.ts). connections.ts knows what each connection waits for.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { bodyPaceLimits } from './body-pace.ts';
import { type ConnectionLimitOptions, isProbe } from './connection-limit.ts';
import { type Connection, type ConnectionLimits, createConnections } from './connections.ts';
import { createHttpServer } from './http-server.ts';
import { refuse } from './protocol-errors.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse, target: string) => Promise<void>;

/** PEM texts: the certificate with its chain, and its private key. */
export type Certificate = { cert: string; key: string };

/** Reads the requests of a connection that it understands, and hands the connection over at the first one that it does not. */
export type FastPath = (options: {
  keepAliveSeconds: number;
  /** Continues with the HTTP server, from `bytes` on. */
  handOver: (connection: Connection, bytes: Buffer) => void;
  onError: (error: unknown) => void;
}) => (connection: Connection) => void;

type ListenerOptions = {
  handler: Handler;
  /** Plain without it. */
  certificate?: Certificate | undefined;
  /** Without it every connection goes to the HTTP server. */
  fastPath?: FastPath | undefined;
  /** How many connections there may be; any number without it. */
  most?: ConnectionLimitOptions | undefined;
  onError: (error: unknown) => void;
  /** For tests: other limits than the usual ones, in ms, and how often they are looked at. */
  limits?: Partial<ConnectionLimits> | undefined;
  tickMs?: number | undefined;
};

const keepAliveSeconds = 65;
const usualLimitsMs: ConnectionLimits = {
  idle: keepAliveSeconds * 1000,
  head: 10_000,
  body: 300_000,
  bodyPace: bodyPaceLimits,
  linger: 30_000,
  silence: 2000,
};

export function createListener({ handler, onError, certificate, fastPath, most, limits, tickMs }: ListenerOptions) {
  const limitsMs = { ...usualLimitsMs, ...limits };
  const connections = createConnections(limitsMs, tickMs, most);
  const complete = createHttpServer({
    connections,
    handler: async (req, res) => {
      const { url = '/' } = req;
      if (connections.isGuest(req.socket) && !isProbe(url)) refuse(res, 503);
      else await handler(req, res, url);
    },
    keepAliveMs: limitsMs.idle,
    onError,
  });
  const readFast = fastPath?.({ keepAliveSeconds, handOver: complete, onError });
  // Who has said all may still wait for its answer.
  const allowHalfOpen = true;

  const accept = (socket: Socket): void => {
    // What a connection's other end does is no error of ours; its end is told by `close`.
    socket.on('error', () => {});
    const connection = connections.open(socket);
    if (socket.destroyed) return;
    if (readFast && !connection.isGuest) readFast(connection);
    else complete(connection);
  };
  const secure =
    certificate &&
    createTlsServer({ ...certificate, allowHalfOpen, noDelay: true, handshakeTimeout: limitsMs.head }, accept);
  // Before the handshake, which may never come: Bun says that it took too long, and leaves the socket open.
  secure
    ?.on('connection', socket => void connections.open(socket.on('error', () => {})))
    .on('tlsClientError', () => {});
  const acceptor: Server = secure ?? createNetServer({ allowHalfOpen, noDelay: true }, accept);

  return {
    port: (): number => (acceptor.address() as AddressInfo).port,
    listen: (...where: [number, string] | [string]): Promise<void> =>
      new Promise((resolve, reject) => {
        acceptor.once('error', reject);
        const ready = (): void => {
          acceptor.off('error', reject);
          // A connection that could not be accepted is no reason to end.
          acceptor.on('error', onError);
          resolve();
        };
        if (where.length === 1) acceptor.listen(where[0], ready);
        else acceptor.listen(where[0], where[1], ready);
      }),
    /** Of one that has a certificate. @throws when the new one cannot be used */
    renew: (fresh: Certificate): void => secure?.setSecureContext(fresh),
    /** Stops accepting, lets requests in flight finish, cuts what is left after `deadlineMs`. */
    close: async (deadlineMs: number): Promise<void> => {
      acceptor.close();
      connections.stop();
      await within(deadlineMs, connections.quiet());
      connections.end();
    },
  };
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
