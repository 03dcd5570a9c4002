/*
 * The listening socket. node:http gives the exact request target and raw headers; `/in/*` goes to capture as it is, all
 * else to the app. Slow and silent connections are cut by node's own timeouts, whose clock is set to look every second.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { isIngestTarget } from './core/query.ts';
import { createBridge, type Fetcher } from './http/bridge.ts';

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
  ingest: Handler;
  /** The Elysia app. */
  fetch: Fetcher;
  clientAddress: (req: IncomingMessage) => string;
  tls?: { cert: string; key: string } | undefined;
  onError: (error: unknown, fields?: { requestId: string }) => void;
};

const options = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 65_000,
  // Without this a limit is only looked at every 30 seconds.
  connectionsCheckingInterval: 1000,
};

const absolute = /^https?:\/\/[^/?#]*/i;

export function createFront({ ingest, fetch, clientAddress, tls, onError }: FrontOptions): Front {
  let requests = 0;
  const app = createBridge({
    fetch,
    clientAddress,
    newRequestId: () => (++requests).toString(36),
    onError: (error, requestId) => onError(error, { requestId }),
  });
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    // A proxy may send the absolute form (RFC 9112 section 3.2.2).
    const target = (req.url ?? '/').replace(absolute, '');
    const handler = isIngestTarget(target) ? ingest : app;
    handler(req, res, target.startsWith('/') ? target : `/${target}`).catch(error => {
      onError(error);
      res.destroy();
    });
  };
  const open = (certificate: typeof tls) => {
    const server = certificate
      ? createTlsServer({ ...options, ...certificate }, handle)
      : createServer(options, handle);
    // Who asks before sending a body is told to go on only by whoever wants the body: a refusal costs no upload.
    server.on('checkContinue', handle);
    return closable(server, onError);
  };
  let current = open(tls);
  const retired = new Set<Promise<void>>();
  let bound: [number, string] = [0, ''];
  let closed = false;

  return {
    listen: async (port, host) => {
      bound = [await current.listen(port, host), host];
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
  const front = closable(
    createServer(options, (req, res) => {
      app(req, res, req.url ?? '/').catch(error => {
        onError(error);
        res.destroy();
      });
    }),
    onError,
  );
  return {
    listen: async (path: string): Promise<void> => {
      rmSync(path, { force: true });
      await front.listenOn(path);
      chmodSync(path, 0o600);
    },
    close: front.close,
  };
}

function closable(server: Server, onError: (error: unknown) => void) {
  const sockets = new Set<Socket>();
  const inFlight = new Set<ServerResponse>();
  let closing = false;
  let quiet: (() => void) | undefined;

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const count = (_req: IncomingMessage, res: ServerResponse): void => {
    inFlight.add(res);
    if (closing) res.shouldKeepAlive = false;
    res.once('close', () => {
      inFlight.delete(res);
      if (inFlight.size === 0) quiet?.();
    });
  };
  server.prependListener('request', count).prependListener('checkContinue', count);

  const stop = (): void => {
    closing = true;
    server.close();
    server.closeIdleConnections();
    // No connection may look as if it would take another request.
    for (const res of inFlight) res.shouldKeepAlive = false;
  };
  const listenOn = (...where: [number, string] | [string]): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      const ready = (): void => {
        server.off('error', reject);
        // A connection that could not be accepted is no reason to end.
        server.on('error', onError);
        resolve();
      };
      if (where.length === 1) server.listen(where[0], ready);
      else server.listen(where[0], where[1], ready);
    });

  return {
    listenOn,
    listen: async (port: number, host: string): Promise<number> => {
      await listenOn(port, host);
      return (server.address() as AddressInfo).port;
    },
    /** Stops accepting and lets what goes on end by itself. */
    retire: async (): Promise<void> => {
      stop();
      if (inFlight.size > 0) await new Promise<void>(resolve => (quiet = resolve));
      for (const socket of sockets) socket.destroy();
    },
    close: async (deadlineMs: number): Promise<void> => {
      stop();
      if (inFlight.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        quiet = resolve;
        const timer = setTimeout(resolve, deadlineMs);
        await promise;
        clearTimeout(timer);
      }
      for (const socket of sockets) socket.destroy();
    },
  };
}
