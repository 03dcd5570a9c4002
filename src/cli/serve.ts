/*
 * `hooktape serve`. Order matters: lock, secret, database, owner, sockets; and on the way out: stop accepting, let requests
 * in flight finish, flush, close, unlock. The server itself (server.ts) is loaded while the database threads start.
 */
import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';
import { fromFileUrl } from '../db/files/file-url.ts';
import { prespawnThreads, type SpawnThread } from '../db/threads/prespawned-threads.ts';
import { tunnelChoices } from '../shared/tunnel.ts';
import { type Certificate, checkCertificate } from './certificate.ts';
import { exitCodes, type Io, type Run, UsageError } from './io.ts';
import { listenError } from './listen-errors.ts';
import { createLog, loadConfig } from './settings.ts';

/** How long the server waits for a command that holds the data directory. */
const commandTimeoutMs = 3000;

export const runServe: Run = async ({ envFile, json, option }, given) => {
  const io = withTunnel(given, option('tunnel'));
  // PID 1 ignores signals without a handler, so install it first.
  const signalled = io.untilSignal();
  let isServing = false;
  // Until the server listens, no delivery is acknowledged, so it can end at any moment.
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
  const command = config.tunnel && (await import('./tunnel/programs.ts')).findTunnelProgram(config.tunnel, io.env);
  const log = createLog(io, config);
  const spawn = spawnThreadsEarly(io, config);
  // The threads load at the same time.
  const { openDataDirectory, serverName } = await import('./data-directory.ts');
  const lock = await openDataDirectory(io, config, serverName, commandTimeoutMs);
  const { openDatabaseEarly } = await import('../db/open-database.ts');
  const databaseBeingOpened = openDatabaseEarly({
    url: config.databaseUrl,
    authToken: config.databaseAuthToken,
    spawn,
    tracksChanges: config.backup !== undefined,
  });
  try {
    const { openServer, handleMessages } = await import('./server.ts');
    await handleMessages();
    const tunnel =
      command && (await import('./tunnel/server-tunnel.ts')).createServerTunnel({ io, config, log, command });
    const { services, listen } = await openServer({ io, config, log, spawn, databaseBeingOpened, certificate, tunnel });
    try {
      // From here on, a signal must let requests finish.
      isServing = true;
      const stop = await listen(json, signalled);
      const signal = await signalled;
      log.info('stopping', { signal });
      await stop();
    } finally {
      await services.close();
    }
    log.info('stopped');
  } finally {
    // After an error the services may not exist, or may have closed it already.
    await databaseBeingOpened.database.close().catch(() => {});
    await lock.release();
  }
};

/** `--tunnel` replaces the setting. @throws UsageError */
function withTunnel(io: Io, choice: string | undefined): Io {
  if (choice === undefined) return io;
  if (!tunnelChoices.some(one => one === choice))
    throw new UsageError(`--tunnel must be one of ${tunnelChoices.join(', ')}`);
  return { ...io, env: { ...io.env, HOOKTAPE_TUNNEL: choice } };
}

function spawnThreadsEarly(io: Io, config: Config): SpawnThread {
  if (fromFileUrl(config.databaseUrl) === undefined) return io.spawn;
  io.useDataDirectory(config.dataDir);
  return prespawnThreads(io.spawn, ['writer', 'reader']);
}

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
