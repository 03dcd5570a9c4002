/* What everything else is built from: the database, the sealer, the clock, random bytes, timers, guarded requests. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { FairSharesOptions } from '../core/concurrency/fair-shares.ts';
import type { RandomBytes } from '../core/ids/ids.ts';
import { isLoopbackOrigin } from '../core/network/address-classes.ts';
import { deriveRedactionKey } from '../core/redaction/key.ts';
import { createSealer } from '../core/secrets/seal.ts';
import { isShortSecret } from '../core/secrets/secret-length.ts';
import type { Database, DatabaseEvents, ServerLimits, Upgrade } from '../db/database.ts';
import { createDatabase, type DatabaseBeingOpened } from '../db/open-database.ts';
import { checkSecret } from '../db/secret-check.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import { waitBeforeUse } from '../db/waiting-database.ts';
import type { BackupServiceOptions } from '../features/backup/service.ts';
import type { FetchJson } from '../features/oauth/remote-jwks.ts';
import type { OAuthPolicy } from '../features/oauth/service.ts';
import type { ProviderFetch } from '../features/oidc/provider.ts';
import type { Tunnel } from '../features/sessions/model.ts';
import { requestContext } from '../http/fetch-adapter.ts';
import type { DelayedResponsesOptions } from '../ingest/answers/delayed-responses.ts';
import type { Logger } from '../log.ts';
import type { Outbound } from '../net/outbound.ts';
import { createOutbound } from '../net/outbound.ts';
import { createCaptureJournal } from './journal.ts';

/** Replacements for outbound requests and timing, for tests. */
export type TestOverrides = {
  /** Fetches client metadata documents. */
  send?: Outbound['send'];
  /** Fetches the metadata and keys of trusted issuers. */
  fetchJson?: FetchJson;
  oauth?: Partial<OAuthPolicy>;
  /** Requests to the OpenID Connect provider, and how long a sign-in waits for them. */
  oidc?: { fetch?: ProviderFetch; timeoutMs?: number };
  /** Runs before each transaction of filing, which waits for it. When it throws, filing fails. */
  beforeFiling?: () => Promise<void>;
  /** Shorter time limits of a libSQL server. */
  serverLimits?: ServerLimits;
  /** Smaller limits of answers that hold connections. */
  heldAnswers?: Omit<DelayedResponsesOptions, 'teamOf'>;
  /** Shorter times of the continuous backup. */
  backupLimits?: BackupServiceOptions['limits'];
  /** Cheaper hashes of passwords. */
  passwordCost?: { memoryCost: number; timeCost: number };
  /** How many queues are worked on at once. */
  queuePlaces?: FairSharesOptions;
};

export type Dependencies = {
  config: Config;
  /** HOOKTAPE_SECRET, or the generated secret. Keys are derived from it. */
  secret: string;
  log: Logger;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  /** Default: it is opened by `open`. */
  databaseBeingOpened?: DatabaseBeingOpened;
  version: string;
  /** Memory and CPU time of this process. */
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** The database thread has died or the listener has closed: the process must end and be restarted. */
  onFatal: (error: Error) => void;
  /** The program of HOOKTAPE_TUNNEL. */
  tunnel?: TunnelSource | undefined;
  /** false: a command, which sends nothing that waits in a queue. */
  runsQueues?: boolean;
  /** false: searches do not use signatures and read the events, to measure what they gain. */
  searchIndex?: boolean;
  /** For tests of long searches. */
  searchLimits?: SearchLimits;
  /** What tests replace. */
  overrides?: TestOverrides;
};

/** What one request of a search may cost, and how many signatures are put together. */
export type SearchLimits = { budget?: { ms: number; blocks: number }; runLength?: number };

/** `origin`: the public origin that the program announced last; `onOrigin` sets what is called when the origin changes. */
export type TunnelSource = {
  origin: () => string | undefined;
  status: () => Tunnel;
  onOrigin: (listener: () => void) => void;
};

export type Infrastructure = ReturnType<typeof createInfrastructure>;

export function createInfrastructure(dependencies: Dependencies) {
  const { config, secret, log, clock, random, databaseBeingOpened, onFatal } = dependencies;
  const { runsQueues = true, searchIndex = true, searchLimits = {}, overrides = {} } = dependencies;
  const databaseEvents: DatabaseEvents = {
    onBusy: () => log.error('the database was busy; the connection was replaced'),
    onThreadFailure: error => {
      journal?.giveUp(error);
      onFatal(error);
    },
    onWriteStall: problem => log.error(`deliveries are refused: ${problem}`),
  };
  const direct = databaseBeingOpened?.database ?? createDirect(dependencies, databaseEvents);
  const sealer = createSealer(secret, random);
  const hasShortSecret = isShortSecret(secret);
  const journal = direct.file === undefined ? undefined : createJournal(direct, direct.file, dependencies);
  const database = journal ? waitBeforeUse(direct, journal.filed) : direct;
  databaseBeingOpened?.connect(databaseEvents);

  const onError = (error: unknown, fields = {}): void => log.error('request failed', { ...fields, cause: error });
  return {
    ...dependencies,
    tunnel: dependencies.tunnel,
    /** Reads see every delivery that was acknowledged before them. */
    database,
    /** The database without that wait, for data that does not depend on deliveries. */
    direct,
    /** Undefined for a libSQL server. */
    journal,
    sealer,
    redactionKeyOf: (teamId: string) => deriveRedactionKey(secret, teamId),
    /** Sends to destinations that people choose, where the operator allows them. */
    outbound: createOutbound({ allow: config.replayAllow, allowLoopback: isLoopbackOrigin(config.baseUrl), clock }),
    /** Accepted only because the database was created with it. */
    hasShortSecret,
    runsQueues,
    /** Whether the database is continuously backed up to object storage. */
    backsUp: direct.changedPages !== undefined,
    searchIndexed: searchIndex,
    searchLimits,
    overrides,
    /** Other processes may use the same database. */
    isShared: database.file === undefined,
    /** How long a plan keeps events, 0 = for ever. */
    retentionMs: { free: config.freeRetentionMs, pro: config.proRetentionMs },
    onError,
    /** Logs an error of an API request with its id. Work that ended because the client left is no error. */
    onRequestError: (error: unknown, request: Request): void => {
      if (error !== request.signal.reason) onError(error, { requestId: requestContext(request).id });
    },
    /** @throws SchemaError, SecretError, ShortSecretError, or the database's error when it cannot be opened */
    openDatabase: async (): Promise<void> => {
      const upgrade = await direct.open();
      if (upgrade) logUpgrade(log, upgrade);
      try {
        await checkSecret(direct.client, sealer, hasShortSecret);
        await journal?.open();
      } catch (error) {
        await direct.close();
        throw error;
      }
    },
    ...createTimers(log),
  };
}

/** The origin of ingest URLs, which changes with the tunnel. */
export const ingestOriginOf =
  ({ config, tunnel }: Pick<Infrastructure, 'config' | 'tunnel'>) =>
  (): string =>
    config.ingestUrl ?? tunnel?.origin() ?? config.baseUrl;

function createDirect({ config, spawn, runsQueues = true, overrides = {} }: Dependencies, events: DatabaseEvents) {
  return createDatabase({
    url: config.databaseUrl,
    authToken: config.databaseAuthToken,
    spawn,
    // A command changes little: the next server finds it.
    tracksChanges: runsQueues && config.backup !== undefined,
    serverLimits: overrides.serverLimits,
    ...events,
  });
}

const logUpgrade = (log: Logger, upgrade: Upgrade): void =>
  log.info(
    upgrade.copy === undefined
      ? 'the database was upgraded'
      : 'the database was upgraded. The copy from before the upgrade stays on disk: delete it when you no longer need to go back to the earlier version',
    upgrade,
  );

function createTimers(log: Logger) {
  const repeated: { ms: number; run: () => Promise<void> }[] = [];
  let isStarted = false;
  const timers: ReturnType<typeof setInterval>[] = [];
  const start = (ms: number, run: () => Promise<void>): void => void timers.push(setInterval(run, ms).unref());
  return {
    /** From `startTimers` to `stopTimers`, repeats `run`. A failure is logged, and `run` is called again the next time. */
    every: (ms: number, what: string, run: () => Promise<void> | void): void => {
      const logged = async (): Promise<void> => {
        try {
          await run();
        } catch (cause) {
          log.warn(`${what} failed`, { cause });
        }
      };
      if (isStarted) start(ms, logged);
      else repeated.push({ ms, run: logged });
    },
    startTimers: (): void => {
      isStarted = true;
      for (const { ms, run } of repeated) start(ms, run);
    },
    stopTimers: (): void => {
      isStarted = false;
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** @param file of the embedded database */
function createJournal(database: Database, file: string, { random, clock, log, overrides }: Dependencies) {
  return createCaptureJournal({
    database,
    file,
    random,
    monotonic: clock.monotonic,
    now: clock.now,
    log,
    beforeFiling: overrides?.beforeFiling,
  });
}
