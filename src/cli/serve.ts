/*
 * `hooktape serve`. Order matters: lock, secret, database, owner, sockets; and on the way out: stop accepting, let requests
 * in flight finish, flush, close, unlock.
 */
import { createServer } from 'node:net';
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { peerIn } from '../core/addresses.ts';
import { isLoopbackHost } from '../core/hosts.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { prespawnThreads, type SpawnThread } from '../db/threads/prespawned-threads.ts';
import { createFront, createSocketFront, decideFastPath, type Front, type FrontOptions } from '../front.ts';
import { buildServices, type Services } from '../wiring.ts';
import { parse } from './arguments.ts';
import { type Certificate, type CertificateFiles, checkCertificate, watchCertificate } from './certificate.ts';
import { connectionCounts } from './connection-counts.ts';
import { controlHandler } from './control.ts';
import { openDataDirectory, serverName, socketPath, withSecret } from './data-directory.ts';
import { type Command, exitCodes, type Io } from './io.ts';
import { listenError } from './listen-errors.ts';
import { createLog, loadConfig } from './settings.ts';

const drainMs = 20_000;
const certificateEveryMs = 5000;
/** How long the server waits for a command that holds the data directory. */
const commandTimeoutMs = 3000;

export const serve: Command = {
  summary: 'start the server',
  usage: 'hooktape serve',
  async run(args, io) {
    const { envFile, json } = parse(args, []);
    // PID 1 ignores signals without a handler, so install it first.
    const signalled = io.untilSignal();
    let isServing = false;
    // Until the server listens nothing is acknowledged, so it can end at any moment.
    void signalled.then(() => isServing || io.abort(exitCodes.done));
    let certificate: Certificate | undefined;
    const loaded = loadConfig(io, envFile, {
      certificateProblems: files => {
        const found = checkCertificate(files);
        certificate = found.certificate;
        return found.problems;
      },
    });
    const config = await withRealPort(loaded.config);
    const log = createLog(io, config);
    const spawn = spawnThreadsEarly(io, config);
    const lock = await openDataDirectory(io, config, serverName, commandTimeoutMs);
    try {
      // Load the routes while the database is opened, and build the app while stored data is read: both save start-up time.
      const loading = import('../app.ts');
      const fastPath = decideFastPath({ log, certificate });
      // The error is handled where the promise is awaited.
      loading.catch(() => {});
      const services = await withSecret(io, config, secret =>
        buildServices({
          config,
          secret,
          log,
          clock: io.clock,
          random: io.random,
          spawn,
          version: io.version,
          usage: io.usage,
          onFatal: cause => {
            log.error('fatal error, exiting; the service manager should restart the server', { cause });
            io.abort(1);
          },
        }),
      );
      try {
        const [app] = await Promise.all([loading.then(({ createApp }) => createApp(services)), services.read()]);
        await makeOwner(services, config);
        // From here on a signal must let requests finish.
        isServing = true;
        const stop = await listen(services, app, {
          certificate,
          fastPath: await fastPath,
          openFileLimit: io.openFileLimit(),
        });
        await announce(io, services, json);
        if (services.hasShortSecret)
          log.warn(
            'HOOKTAPE_SECRET has fewer than 32 characters: somebody with a copy of the database can guess it and read the signing secrets and private keys. It is accepted because this database was created with it; new installations need 32 characters',
          );
        // Events that expired while no server ran.
        services.retention.wake();
        services.packing.wake();
        void services.readiness.checkDisk();
        const signal = await signalled;
        log.info('stopping', { signal });
        await stop();
      } finally {
        await services.close();
      }
      log.info('stopped');
      return exitCodes.done;
    } finally {
      await lock.release();
    }
  },
};

function spawnThreadsEarly(io: Io, config: Config): SpawnThread {
  if (fromFileUrl(config.databaseUrl) === undefined) return io.spawn;
  io.useDataDirectory(config.dataDir);
  return prespawnThreads(io.spawn, ['writer', 'reader']);
}

/** Opens both sockets. @returns a function that stops accepting and waits for requests in flight */
async function listen(
  services: Services,
  { fetch }: App,
  {
    certificate,
    fastPath,
    openFileLimit,
  }: { certificate: Certificate | undefined; fastPath: boolean; openFileLimit: number | undefined },
): Promise<() => Promise<void>> {
  const { config, log, clientAddress, ingest, onError } = services;
  const front = createFront({
    ingest,
    fastPath,
    fetch,
    clientAddress,
    certificate,
    connectionLimit: connectionLimit(services, openFileLimit),
    onError,
  });
  await front.listen(config.port, config.host).catch(cause => {
    throw listenError(config, cause);
  });
  const socket = createSocketFront(controlHandler(services), onError, fastPath);
  // Some file systems have no unix sockets; that is no reason not to record.
  await socket
    .listen(socketPath(config))
    .catch(cause => log.warn('no socket for commands: they work only while the server is stopped', { cause }));
  log.info('listening', { host: config.host, port: config.port, baseUrl: config.baseUrl });
  const stopWatching = config.tls && certificate ? watch(front, services, config.tls, certificate) : (): void => {};
  return async () => {
    stopWatching();
    services.readiness.drain();
    services.notifications.shutDown();
    await services.mcp.close();
    await Promise.all([front.close(drainMs), socket.close(drainMs)]);
  };
}

/** undefined when the number of file descriptors is unlimited or unknown. */
function connectionLimit(
  { config, log }: Services,
  openFileLimit: number | undefined,
): FrontOptions['connectionLimit'] {
  if (openFileLimit === undefined) return undefined;
  return {
    ...connectionCounts(openFileLimit),
    isShared: peerIn(config.trustedProxies),
    onReached: reached =>
      log.warn(
        'too many open connections; idle ones are closed, and new ones refused when none is idle. Raise the limit of open files if these are real clients',
        { ...reached, openFileLimit },
      ),
    onLeft: counts => log.info('the number of open connections is below its limit again', counts),
  };
}

function watch(front: Front, { log }: Services, files: CertificateFiles, certificate: Certificate): () => void {
  return watchCertificate(files, certificate, {
    everyMs: certificateEveryMs,
    onChanged: fresh => {
      front.setCertificate(fresh);
      log.info('serving a new certificate', { certFile: files.certFile });
    },
    onProblem: cause => log.error('the new certificate cannot be used; serving the one before', { cause }),
  });
}

async function makeOwner({ account, log }: Services, { owner }: Config): Promise<void> {
  if (!owner || !(await account.isEmpty())) return;
  await account.create({ ...owner, plan: 'pro' });
  log.info('the owner account was created', { email: owner.email });
}

async function announce(io: Io, { config, setup, log }: Services, json: boolean): Promise<void> {
  const { protocol, hostname } = new URL(config.baseUrl);
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, '')))
    log.warn('BASE_URL is plain http: passwords and session cookies can be read on the way; put https in front', {
      baseUrl: config.baseUrl,
    });
  const link = await setup.link();
  try {
    io.stdout(
      json
        ? `${JSON.stringify({ version: io.version, baseUrl: config.baseUrl, setupUrl: link ?? null })}\n`
        : words(io.version, config.baseUrl, link),
    );
  } catch (cause) {
    // No reason not to record.
    log.warn('the addresses could not be printed', { cause });
  }
}

const words = (version: string, baseUrl: string, link: string | undefined): string =>
  `Hooktape ${version} at ${baseUrl}/\n${
    link === undefined ? '' : `\nSet it up in a browser (the link works once):\n\n  ${link}\n\n`
  }Ready.\n`;

/** Replaces port 0 by a free one, because printed addresses contain the port. */
async function withRealPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const probe = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    probe.once('error', cause => reject(listenError(config, cause)));
    probe.listen(0, config.host, () => {
      const address = probe.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  await new Promise(resolve => probe.close(resolve));
  return { ...config, port, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) };
}
