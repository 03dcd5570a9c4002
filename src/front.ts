/*
 * The listening sockets and what is behind them: deliveries go to ingest, everything else to the app. Plain deliveries take the
 * fast path; others come as requests of node:http, which gives the exact target and raw headers.
 */
import { chmodSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostOf } from './core/network/hosts.ts';
import { isIngestTarget } from './core/network/request-target.ts';
import type { Sender } from './http/client-address.ts';
import type { ConnectionLimitOptions } from './http/connection/connection-limit.ts';
import type { ConnectionLimits } from './http/connection/phase.ts';
import { createFetchAdapter, type Fetcher } from './http/fetch-adapter.ts';
import { createListener } from './http/listener/listener.ts';
import type { Certificate, Handler, Listener } from './http/listener/listening.ts';
import { createPlainListener } from './http/listener/plain-listener.ts';
import { withoutOrigin } from './http/listener/request-validity.ts';
import type { RuntimeCheckOptions } from './http/listener/runtime-check.ts';
import { createBodyBudgets } from './http/request-body.ts';
import { createFastPath, type FastPathOptions } from './ingest/fast-path/fast-path.ts';
import type { Logger } from './log.ts';
import { hostOfUrl } from './shared/addresses.ts';

export type Front = Omit<Listener, 'listen' | 'port'> & {
  /** @returns the port that was bound @throws if it cannot be bound */
  listen: (port: number, host: string) => Promise<number>;
};

/**
 * `complete`: owns its sockets, limits connections finely, and has a fast path (http/listener/listener.ts). `plain`: a node:http server
 * that relies on nothing undocumented (http/listener/plain-listener.ts).
 */
export type ListenerKind = 'complete' | 'plain';

export type FrontOptions = {
  /** Without `fastPath` every delivery is a request of node:http; the limits of connections are the same. */
  ingest: { handleRequest: Handler; fastPath?: FastPathOptions };
  /** From `chooseListener`. A plain one has no fast path. */
  listener?: ListenerKind;
  /** The Elysia app. */
  fetch: Fetcher;
  clientAddress: (sender: Sender) => string;
  /** The origin of ingest URLs, if it differs from the origin of everything else. */
  ingestUrl?: string | undefined;
  /** The host name of the tunnel, if it serves nothing but ingest URLs; undefined before it is known. */
  tunnelHost?: (() => string | undefined) | undefined;
  certificate?: Certificate | undefined;
  /** Without it, the number of connections is unlimited. */
  connectionLimit?: ConnectionLimitOptions | undefined;
  onError: (error: unknown, fields?: { requestId: string }) => void;
  limits?: FrontLimits;
};

/** For tests: other limits than the defaults. */
export type FrontLimits = Partial<ConnectionLimits> & {
  anonymousBodyTimeoutMs?: number;
  /** How often the limits of connections are checked. */
  tickMs?: number;
};

/** The check is loaded only where it runs. */
const checkThisRuntime = async (options: RuntimeCheckOptions): Promise<string | undefined> =>
  (await import('./http/listener/runtime-check.ts')).checkRuntime(options);

/** An executable contains the Bun that its build has checked, so only a start from source has to check it. */
export async function chooseListener({
  log,
  certificate,
  isExecutable = false,
  check = checkThisRuntime,
}: {
  log: Pick<Logger, 'error'>;
  certificate?: Certificate | undefined;
  isExecutable?: boolean;
  check?: typeof checkThisRuntime;
}): Promise<ListenerKind> {
  if (isExecutable) return 'complete';
  const problem = await check({ certificate }).catch(String);
  if (problem === undefined) return 'complete';
  log.error(
    'this version of Bun does not behave as the fast path needs it. Deliveries are received by node:http instead: nothing is lost, but they cost more, and slow or excess connections are not limited as finely. Please report this with the version of Bun',
    { problem, bun: Bun.version },
  );
  return 'plain';
}

export function createFront({ listener = 'complete', limits = {}, ...options }: FrontOptions): Front {
  const { ingest, fetch, clientAddress, ingestUrl, tunnelHost, certificate, connectionLimit, onError } = options;
  const { anonymousBodyTimeoutMs, tickMs, ...connectionLimits } = limits;
  let requests = 0;
  const app = createFetchAdapter({
    fetch,
    clientAddress,
    budgets: createBodyBudgets(),
    anonymousBodyTimeoutMs,
    newRequestId: () => (++requests).toString(36),
    onError: (error, requestId) => onError(error, { requestId }),
  });
  const handler: Handler = (req, res, url) => {
    const target = withoutOrigin(url);
    const isIngest = isIngestTarget(target);
    if (isIngestHost && isIngest !== isIngestHost(requestedHost(req, url))) return sendNotFound(req, res);
    // Deliveries through the tunnel have a listener of their own; this is for a program that was pointed at the wrong port.
    const onlyIngest = isIngest ? undefined : tunnelHost?.();
    if (onlyIngest !== undefined && isHost(onlyIngest)(requestedHost(req, url))) return sendNotFound(req, res);
    const handle = isIngest ? ingest.handleRequest : app;
    return handle(req, res, target);
  };
  const isIngestHost = ingestUrl === undefined ? undefined : isHost(hostOfUrl(new URL(ingestUrl)));
  const { listen, port, setCertificate, close } =
    listener === 'plain'
      ? createPlainListener({ handler, certificate, maxConnections: connectionLimit?.total, onError })
      : createListener({
          handler,
          certificate,
          fastPath: ingest.fastPath && createFastPath({ ...ingest.fastPath, isIngestHost }),
          limits: connectionLimits,
          tickMs,
          connectionLimit,
          onError,
        });
  return { listen: listenOn({ listen, port }), setCertificate, close };
}

const listenOn =
  ({ listen, port }: Pick<Listener, 'listen' | 'port'>): Front['listen'] =>
  async (wantedPort, host) => {
    await listen(wantedPort, host);
    return port();
  };

/** A plain HTTP listener that serves only ingest URLs, regardless of the host in a request. */
export function createIngestFront({
  ingest,
  listener = 'complete',
  connectionLimit,
  onError,
}: Pick<FrontOptions, 'ingest' | 'listener' | 'connectionLimit' | 'onError'>): Omit<Front, 'setCertificate'> {
  const handler: Handler = (req, res, url) => {
    const target = withoutOrigin(url);
    return isIngestTarget(target) ? ingest.handleRequest(req, res, target) : sendNotFound(req, res);
  };
  const { listen, port, close } =
    listener === 'plain'
      ? createPlainListener({ handler, maxConnections: connectionLimit?.total, onError })
      : createListener({
          handler,
          fastPath: ingest.fastPath && createFastPath(ingest.fastPath),
          connectionLimit,
          onError,
        });
  return { listen: listenOn({ listen, port }), close };
}

/** Whether a `Host` header names this host, on any port. */
const isHost =
  (own: string) =>
  (header: string): boolean =>
    hostOf(header) === own;

/** A target in absolute form takes precedence over `Host` (RFC 9112 section 3.2.2). */
const requestedHost = ({ headers }: IncomingMessage, url: string): string =>
  /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';

async function sendNotFound(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = '{"error":"no such URL"}';
  // The body is discarded while the connection is closing.
  if (!req.complete) res.setHeader('Connection', 'close');
  res.writeHead(404, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'content-length': String(body.length),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** For commands: a server on a unix socket that only the owner of the data directory can open. */
export function createSocketFront(
  handler: Handler,
  onError: (error: unknown) => void,
  listener: ListenerKind = 'complete',
) {
  const create = listener === 'plain' ? createPlainListener : createListener;
  const { listen, close } = create({ handler, onError });
  return {
    listen: async (path: string): Promise<void> => {
      rmSync(path, { force: true });
      await listen(path);
      chmodSync(path, 0o600);
    },
    close,
  };
}
