/*
 * The listening sockets. A plain delivery goes the short way to capture (http/lane). All else goes to node:http, which gives the
 * exact request target and raw headers: `/in/*` to capture as it is, the rest to the app.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { isIngestTarget } from './core/query.ts';
import { createBridge, type Fetcher } from './http/bridge.ts';
import type { Sender } from './http/client-address.ts';
import { type Connection, createConnections } from './http/connections.ts';
import { createLane, type Whole } from './http/lane.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse, target: string) => Promise<void>;

export type Front = {
  /** @returns the port that was bound */
  listen: (port: number, host: string) => Promise<number>;
  /**
   * Serves a new certificate to connections from now on; requests in flight finish under the old one. Only for a front that
   * has one and listens. @throws when the port cannot be bound again: nobody listens then
   */
  renew: (tls: { cert: string; key: string }) => Promise<void>;
  /** Stops accepting, lets requests in flight finish, cuts what is left after `deadlineMs`. */
  close: (deadlineMs: number) => Promise<void>;
};

export type FrontOptions = {
  /** `whole`: what is taken the short way; nothing without it. */
  ingest: { handle: Handler; whole?: Whole };
  /** The Elysia app. */
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  tls?: { cert: string; key: string } | undefined;
  onError: (error: unknown, fields?: { requestId: string }) => void;
};

const maxHeaderSize = 64 << 10;
const keepAliveSeconds = 65;
const limitsMs = { idle: keepAliveSeconds * 1000, head: 10_000, body: 300_000 };

const absolute = /^https?:\/\/[^/?#]*/i;

export function createFront({ ingest, fetch, clientAddress, tls, onError }: FrontOptions): Front {
  let requests = 0;
  const app = createBridge({
    fetch,
    clientAddress,
    newRequestId: () => (++requests).toString(36),
    onError: (error, requestId) => onError(error, { requestId }),
  });
  const route: Handler = (req, res, url) => {
    // A proxy may send the absolute form (RFC 9112 section 3.2.2).
    const target = url.replace(absolute, '');
    const handler = isIngestTarget(target) ? ingest.handle : app;
    return handler(req, res, target.startsWith('/') ? target : `/${target}`);
  };
  const open = (certificate: typeof tls) => createListener(route, onError, { certificate, whole: ingest.whole });
  let current = open(tls);
  const retired = new Set<Promise<void>>();
  let bound: [number, string] = [0, ''];
  let closed = false;

  return {
    listen: async (port, host) => {
      await current.listen(port, host);
      bound = [current.port(), host];
      return bound[0];
    },
    // Bun's https server cannot be given another certificate (no setSecureContext): a new one takes over its port.
    renew: async fresh => {
      if (closed) return;
      const before = current;
      current = open(fresh);
      const done = before.retire();
      retired.add(done);
      void done.then(() => retired.delete(done));
      for (let attempt = 1; ; attempt++) {
        try {
          await current.listen(...bound);
          return;
        } catch (error) {
          if (attempt === rebindAttempts) throw error;
          await new Promise(resolve => setTimeout(resolve, rebindPauseMs));
        }
      }
    },
    close: async deadlineMs => {
      closed = true;
      await Promise.all([current.close(deadlineMs), within(deadlineMs, Promise.all(retired))]);
    },
  };
}

const rebindAttempts = 50;
const rebindPauseMs = 20;

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}

/** The command line's way in: the same kind of server on a unix socket that only the owner of the files can open. */
export function createSocketFront(app: Handler, onError: (error: unknown) => void) {
  const listener = createListener(app, onError, {});
  return {
    listen: async (path: string): Promise<void> => {
      rmSync(path, { force: true });
      await listener.listen(path);
      chmodSync(path, 0o600);
    },
    close: listener.close,
  };
}

/**
 * Bun's fallback server drops what follows a request that asks for an upgrade, and closes after this header without a word: nothing
 * may be sent behind either.
 */
const mustBeLast = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined || /\bclose\b/i.test(String(headers['proxy-connection'] ?? ''));

/** What the parser lets pass and RFC 9112 does not: another version (section 2.3), no host (3.2), another form of target (3.2). */
const isSound = ({ httpVersion, headers, url = '' }: IncomingMessage): boolean =>
  (httpVersion === '1.1' ? headers.host !== undefined : httpVersion === '1.0') &&
  (url.startsWith('/') || absolute.test(url));

/**
 * One listening socket. Connections are accepted here and given to node:http, which listens to nothing itself, so that what they
 * wait for is known in one place.
 */
function createListener(
  handler: Handler,
  onError: (error: unknown) => void,
  { certificate, whole }: { certificate?: FrontOptions['tls']; whole?: Whole | undefined },
) {
  const connections = createConnections(limitsMs);
  const complete = createServer({ maxHeaderSize, keepAliveTimeout: limitsMs.idle });
  // Who has said all may still wait for its answer.
  const allowHalfOpen = true;
  Object.assign(complete, { httpAllowHalfOpen: allowHalfOpen });
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    if (!connections.serve(req, res)) return;
    if (mustBeLast(req)) connections.last(req, res);
    if (!isSound(req)) {
      connections.last(req, res);
      res.writeHead(400, { 'content-length': 0 });
      res.end();
      return;
    }
    handler(req, res, req.url ?? '/').catch(error => {
      onError(error);
      res.destroy();
    });
  };
  // Who asks before sending a body is told to go on only by whoever wants the body: a refusal costs no upload.
  complete.on('request', handle).on('checkContinue', handle);
  const handOver = ({ socket }: Connection, bytes: Buffer): void => {
    socket.pause();
    socket.unshift(bytes);
    complete.emit('connection', socket);
    socket.resume();
  };
  const lane = whole && createLane({ whole, keepAliveSeconds, handOver, onError });

  const accept = (socket: Socket): void => {
    // What a connection's other end does is no error of ours; its end is told by `close`.
    socket.on('error', () => {});
    const connection = connections.open(socket);
    if (lane) lane(connection);
    else complete.emit('connection', socket);
  };
  const acceptor: Server = certificate
    ? createTlsServer({ ...certificate, allowHalfOpen, noDelay: true, handshakeTimeout: limitsMs.head }, accept)
    : createNetServer({ allowHalfOpen, noDelay: true }, accept);
  // Before the handshake, which may never come: Bun says that it took too long, and leaves the socket open.
  if (certificate) {
    acceptor.on('connection', socket => void connections.open(socket.on('error', () => {})));
    acceptor.on('tlsClientError', () => {});
  }

  const stop = (): void => {
    acceptor.close();
    connections.stop();
  };
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
    /** Stops accepting and lets what goes on end by itself. */
    retire: async (): Promise<void> => {
      stop();
      await connections.quiet();
      connections.end();
    },
    close: async (deadlineMs: number): Promise<void> => {
      stop();
      await within(deadlineMs, connections.quiet());
      connections.end();
    },
  };
}
