/*
 * The listening sockets and what is behind them. A plain delivery takes the fast path to capture, any other one comes as a
 * request of node:http, which gives the exact target and raw headers; everything else goes to the app.
 */
import { chmodSync, rmSync } from 'node:fs';
import { isIngestTarget } from './core/request-target.ts';
import type { Sender } from './http/client-address.ts';
import type { ConnectionLimitOptions } from './http/connection/connection-limit.ts';
import type { ConnectionLimits } from './http/connection/connections.ts';
import { withoutOrigin } from './http/connection/http-server.ts';
import { type Certificate, createListener, type Handler } from './http/connection/listener.ts';
import { createFetchAdapter, type Fetcher } from './http/fetch-adapter.ts';
import { createBodyBudgets } from './http/request-body.ts';
import { createFastPath, type FastPathOptions } from './ingest/fast-path/fast-path.ts';

export type Front = {
  /** @returns the port that was bound */
  listen: (port: number, host: string) => Promise<number>;
  /**
   * Serves a new certificate to connections from now on; those that are open go on under the old one. Only for a front that has
   * one. @throws when it cannot be used: the old one stays
   */
  renew: (tls: Certificate) => void;
  /** Stops accepting, lets requests in flight finish, cuts what is left after `deadlineMs`. */
  close: (deadlineMs: number) => Promise<void>;
};

export type FrontOptions = {
  /** Without `fastPath` every delivery comes as a request of node:http. */
  ingest: { handle: Handler; fastPath?: FastPathOptions };
  /** The Elysia app. */
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  tls?: Certificate | undefined;
  /** How many connections there may be; any number without it. */
  connections?: ConnectionLimitOptions | undefined;
  onError: (error: unknown, fields?: { requestId: string }) => void;
  limits?: FrontLimits;
};

/** Other limits than the usual ones; for tests. */
export type FrontLimits = Partial<ConnectionLimits> & {
  anonymousBodyMs?: number;
  /** How often those of connections are looked at. */
  tickMs?: number;
};

export function createFront({
  ingest,
  fetch,
  clientAddress,
  tls,
  connections,
  onError,
  limits = {},
}: FrontOptions): Front {
  const { anonymousBodyMs, tickMs, ...connectionLimits } = limits;
  let requests = 0;
  const app = createFetchAdapter({
    fetch,
    clientAddress,
    budgets: createBodyBudgets(),
    anonymousBodyMs,
    newRequestId: () => (++requests).toString(36),
    onError: (error, requestId) => onError(error, { requestId }),
  });
  const route: Handler = (req, res, url) => {
    const target = withoutOrigin(url);
    const handler = isIngestTarget(target) ? ingest.handle : app;
    return handler(req, res, target);
  };
  const { listen, port, renew, close } = createListener({
    handler: route,
    certificate: tls,
    fastPath: ingest.fastPath && createFastPath(ingest.fastPath),
    limits: connectionLimits,
    tickMs,
    most: connections,
    onError,
  });
  return {
    listen: async (wanted, host) => {
      await listen(wanted, host);
      return port();
    },
    renew,
    close,
  };
}

/** The command line's way in: the same kind of server on a unix socket that only the owner of the files can open. */
export function createSocketFront(app: Handler, onError: (error: unknown) => void) {
  const listener = createListener({ handler: app, onError });
  return {
    listen: async (path: string): Promise<void> => {
      rmSync(path, { force: true });
      await listener.listen(path);
      chmodSync(path, 0o600);
    },
    close: listener.close,
  };
}
