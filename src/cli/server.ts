/* The server of `hooktape serve`: the open database with everything built on it, the app, and the sockets. */
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { isLoopbackHost } from '../core/network/hosts.ts';
import type { DatabaseBeingOpened } from '../db/open-database.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import type { Tunnel as TunnelStatus } from '../features/sessions/model.ts';
import {
  chooseListener,
  createFront,
  createSocketFront,
  type Front,
  type FrontOptions,
  type ListenerKind,
} from '../front.ts';
import type { Logger } from '../log.ts';
import { hostOfUrl, peerIn } from '../shared/addresses.ts';
import { buildCore, type CoreServices } from '../wiring/core.ts';
import type { Dependencies } from '../wiring/infrastructure.ts';
import { type Certificate, type CertificateFiles, watchCertificate } from './certificate.ts';
import { connectionCounts } from './connection-counts.ts';
import { controlHandler } from './control.ts';
import { socketPath, withSecret } from './data-directory.ts';
import type { Io } from './io.ts';
import { createLazyApp, once } from './lazy-app.ts';
import { listenError } from './listen-errors.ts';
import type { Tunnel } from './tunnel/tunnel.ts';

const drainMs = 20_000;
const certificateEveryMs = 5000;
const releaseMemoryAfterMs = 1500;
const startAgainMs = 5000;
/** How long the startup message waits for the public address. The server accepts requests during that time. */
const announceTunnelWithinMs = 10_000;
/** Connections of the tunnel's program. It needs as many as there are deliveries at once. */
const maxTunnelConnections = 512;

export type ServerOptions = {
  io: Io;
  config: Config;
  log: Logger;
  spawn: SpawnThread;
  databaseBeingOpened: DatabaseBeingOpened;
  certificate: Certificate | undefined;
  /** The program of HOOKTAPE_TUNNEL. */
  tunnel: Tunnel | undefined;
};

/** Builds everything on the database; `listen` does the rest. @throws SchemaError, SecretError, or the database's */
export async function openServer(options: ServerOptions) {
  const { io, config, log, spawn, databaseBeingOpened, certificate, tunnel } = options;
  const { services, listener } = await withSecret(io, config, async secret => {
    const dependencies: Dependencies = {
      config,
      secret,
      log,
      clock: io.clock,
      random: io.random,
      spawn,
      databaseBeingOpened,
      version: io.version,
      usage: io.usage,
      tunnel,
      onFatal: cause => {
        log.error('fatal error, exiting; the service manager should restart the server', { cause });
        io.abort(1);
      },
    };
    const built = buildCore(dependencies, { onForwardsWithoutApi: () => void startApi() });
    const opening = built.open();
    // The error is handled where the promise is awaited.
    opening.catch(() => {});
    // The check of the runtime, if it is enabled, runs while the database threads work.
    await handleMessages();
    const choosing = chooseListener({ log, certificate, isExecutable: io.isExecutable });
    await opening;
    return { services: built, listener: await choosing };
  });
  // What only requests need is imported here, and nowhere else.
  const loadApi = once(async () => (await import('../wiring/api.ts')).wireApi(services));
  const loadStartedApi = once(async () => {
    const api = await loadApi();
    await api.start();
    return api;
  });
  const app = createLazyApp({
    answerProbe: services.answerProbe,
    load: async () => {
      const [{ createApp }, api] = await Promise.all([import('../app.ts'), loadStartedApi()]);
      return createApp(api);
    },
  });
  let isStopping = false;
  /** Loads it without a request if there is something to forward, to replay or to check. */
  const startApi = async (): Promise<void> => {
    if (isStopping) return;
    try {
      if (await services.hasScheduledWork()) await loadStartedApi();
    } catch (cause) {
      if (isStopping) return;
      log.error('nothing is forwarded, replayed or checked for alerts; trying again', { cause });
      setTimeout(startApi, startAgainMs).unref();
    }
  };
  return {
    services,
    /** @param stopped ends the wait for the tunnel @returns a function that stops accepting and waits for requests */
    listen: async (json: boolean, stopped: Promise<unknown>): Promise<() => Promise<void>> => {
      await makeOwner(services, config);
      if (config.endpointsFile !== undefined)
        await (await import('./apply/at-start.ts')).applyAtStart(io, services, config.endpointsFile);
      const stop = await listen(services, app, {
        certificate,
        listener,
        openFileLimit: io.openFileLimit(),
        tunnel,
      });
      await Promise.race([tunnel?.settled(announceTunnelWithinMs), stopped]);
      await announce(io, services, json);
      if (services.hasShortSecret)
        log.warn(
          'HOOKTAPE_SECRET has fewer than 32 characters: anyone with a copy of the database could guess it and read signing secrets and private keys. It is accepted because this database was created with it; new installations need 32 characters',
        );
      void warnOfConnections(services);
      services.journal?.prepare();
      void startApi();
      // Removes events that expired while no server was running.
      services.retention.wake();
      services.packing.wake();
      void services.readiness.checkDisk();
      setTimeout(releaseMemory, releaseMemoryAfterMs, services).unref();
      return () => {
        isStopping = true;
        return stop();
      };
    },
  };
}

/** sqld with more than one connection may stop answering writes. */
async function warnOfConnections({ direct, log }: CoreServices): Promise<void> {
  // If it fails, the next request reports why.
  if (await direct.runsRequestsAtOnce().catch(() => false))
    log.warn(
      'the libSQL server allows several connections at once. If it is sqld, it may stop answering writes: start it with --max-concurrent-connections 1 --disable-intelligent-throttling --connection-creation-timeout-sec 20, without --checkpoint-interval-s, and let nothing else use it',
    );
}

/** Returns memory that only the start needed to the system. A busy server keeps it, because this also discards compiled code. */
function releaseMemory({ captureLoad }: CoreServices): void {
  if (captureLoad.isHigh()) return;
  Bun.gc(true);
  Bun.shrink();
}

/** Lets responses of the database threads be handled between two pieces of work. */
export const handleMessages = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Opens both sockets. @returns a function that stops accepting and waits for requests in flight */
async function listen(
  services: CoreServices,
  { fetch }: App,
  {
    certificate,
    listener,
    openFileLimit,
    tunnel,
  }: Pick<ServerOptions, 'certificate' | 'tunnel'> & { listener: ListenerKind; openFileLimit: number | undefined },
): Promise<() => Promise<void>> {
  const { config, log, clientAddress, ingest, onError } = services;
  const limits = connectionLimits(services, openFileLimit, tunnel !== undefined);
  const front = createFront({
    ingest,
    listener,
    fetch,
    clientAddress,
    ingestUrl: config.ingestUrl,
    tunnelHost: tunnel && (() => tunnelHost(tunnel, config)),
    certificate,
    connectionLimit: limits?.own,
    onError,
  });
  await front.listen(config.port, config.host).catch(cause => {
    throw listenError(config, cause);
  });
  const socket = createSocketFront(controlHandler(services), onError, listener);
  // Some file systems have no Unix sockets. The server still records deliveries.
  await socket
    .listen(socketPath(config))
    .catch(cause =>
      log.warn('could not create the command socket: server commands work only while the server is stopped', { cause }),
    );
  log.info('listening', { host: config.host, port: config.port, baseUrl: config.baseUrl });
  const stopWatching = config.tls && certificate ? watch(front, services, config.tls, certificate) : (): void => {};
  const stopTunnel =
    tunnel &&
    (await (
      await import('./tunnel/server-tunnel.ts')
    ).startTunnel(tunnel, services, {
      listener,
      connectionLimit: limits?.tunnel,
    }));
  return async () => {
    stopWatching();
    services.readiness.drain();
    await services.shutDown();
    await Promise.all([front.close(drainMs), socket.close(drainMs), stopTunnel?.(drainMs)]);
  };
}

/** undefined while it is unknown, or if the dashboard has the same host name, on another port. */
function tunnelHost(tunnel: Tunnel, { baseUrl }: Config): string | undefined {
  const origin = tunnel.origin();
  const host = origin === undefined ? undefined : hostOfUrl(new URL(origin));
  return host === hostOfUrl(new URL(baseUrl)) ? undefined : host;
}

/** undefined if the number of file descriptors is unlimited or unknown. */
function connectionLimits({ config, log }: CoreServices, openFileLimit: number | undefined, hasTunnel: boolean) {
  if (openFileLimit === undefined) return undefined;
  const { total, perNetwork } = connectionCounts(openFileLimit);
  const ofTunnel = hasTunnel ? Math.min(maxTunnelConnections, Math.floor(total / 4)) : 0;
  const messages: Pick<NonNullable<FrontOptions['connectionLimit']>, 'onReached' | 'onLeft'> = {
    onReached: reached =>
      log.warn(
        'connection limit reached: idle connections are closed, and new ones are refused if none is idle. Raise the open file limit if these are real clients',
        { ...reached, openFileLimit },
      ),
    onLeft: counts => log.info('open connections are below the limit again', counts),
  };
  return {
    own: { total: total - ofTunnel, perNetwork, isShared: peerIn(config.trustedProxies), ...messages },
    tunnel: { total: ofTunnel, perNetwork: ofTunnel, isShared: () => true, ...messages },
  };
}

function watch(front: Front, { log }: CoreServices, files: CertificateFiles, certificate: Certificate): () => void {
  return watchCertificate(files, certificate, {
    everyMs: certificateEveryMs,
    onChanged: fresh => {
      front.setCertificate(fresh);
      log.info('new TLS certificate loaded', { certFile: files.certFile });
    },
    onProblem: cause => log.error('new TLS certificate cannot be used; still using the previous one', { cause }),
  });
}

async function makeOwner({ account, log }: CoreServices, { owner }: Config): Promise<void> {
  if (!owner || !(await account.isEmpty())) return;
  await account.create({ ...owner, plan: 'pro' });
  log.info('owner account created', { email: owner.email });
}

async function announce(io: Io, { config, setup, log, tunnel }: CoreServices, json: boolean): Promise<void> {
  const url = new URL(config.baseUrl);
  if (url.protocol === 'http:' && !isLoopbackHost(hostOfUrl(url)))
    log.warn(
      'HOOKTAPE_BASE_URL is plain http: passwords and session cookies can be read in transit; put https in front',
      {
        baseUrl: config.baseUrl,
      },
    );
  const link = await setup.link();
  try {
    io.stdout(
      json
        ? `${JSON.stringify({ version: io.version, baseUrl: config.baseUrl, setupUrl: link ?? null, ...(tunnel && { tunnel: tunnel.status() }) })}\n`
        : words(io.version, config.baseUrl, link, tunnel?.status()),
    );
  } catch (cause) {
    // The server still records deliveries.
    log.warn('could not print the startup message', { cause });
  }
}

const words = (version: string, baseUrl: string, link: string | undefined, tunnel: TunnelStatus | undefined): string =>
  [
    `Hooktape ${version} at ${baseUrl}/\n`,
    tunnel && tunnelWords(tunnel),
    link !== undefined && `\nSet up Hooktape in a browser (this link works once):\n\n  ${link}\n\n`,
    'Ready.\n',
  ]
    .filter(Boolean)
    .join('');

const tunnelWords = ({ program, state, origin, message }: TunnelStatus): string =>
  state === 'up'
    ? `Webhooks arrive through ${program} at ${origin}/in/…\n${message === null ? '' : `Note: ${message}.\n`}`
    : `The tunnel is not up yet. The log says when it is${message === null ? '' : `: ${message}`}.\n`;
