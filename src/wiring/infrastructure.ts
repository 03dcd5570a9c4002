/* What everything stands on: the open database, the sealer, and the few impure things that are handed down. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import { createSealer } from '../core/seal.ts';
import { isShortSecret } from '../core/secret-length.ts';
import { sha256 } from '../core/sha256.ts';
import { openDatabase } from '../db/database.ts';
import { checkSecret } from '../db/secret-check.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import { requestContext } from '../http/fetch-adapter.ts';
import type { Logger } from '../log.ts';
import type { TestOverrides } from './oauth.ts';

export type Dependencies = {
  config: Config;
  /** HOOKTAPE_SECRET, or what was generated in its place. */
  secret: string;
  log: Logger;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  version: string;
  /** What the process takes of its machine. */
  usage: () => { residentBytes: number; cpuSeconds: number };
  /** The database will not answer any more, or nobody listens: the process must end, and be started again. */
  onFatal: (error: Error) => void;
  /** false: no search index is kept, and searches read the events themselves; to measure what the index costs. */
  searchIndex?: boolean;
  /** How many events a search may look at without the index; for tests of the index. */
  searchNearby?: number | undefined;
  /** What a test puts in the place of the world outside. */
  overrides?: TestOverrides;
};

export type Infrastructure = Awaited<ReturnType<typeof createInfrastructure>>;

/** @throws SchemaError, SecretError, ShortSecretError, or the database's error when it cannot be opened */
export async function createInfrastructure(surroundings: Dependencies) {
  const {
    config,
    secret,
    log,
    clock,
    random,
    spawn,
    version,
    usage,
    onFatal,
    searchIndex = true,
    searchNearby,
    overrides = {},
  } = surroundings;
  const database = await openDatabase({
    url: config.databaseUrl,
    authToken: config.databaseAuthToken,
    spawn,
    onBusy: () => log.error('the database was busy; the connection was replaced'),
    onThreadFailure: onFatal,
  });
  const sealer = createSealer(secret, random);
  const hasShortSecret = isShortSecret(secret);
  try {
    await checkSecret(database.client, sealer, hasShortSecret);
  } catch (error) {
    await database.close();
    throw error;
  }

  const onError = (error: unknown, fields = {}): void => log.error('request failed', { ...fields, cause: error });
  const timers: ReturnType<typeof setInterval>[] = [];
  return {
    config,
    log,
    clock,
    random,
    spawn,
    version,
    usage,
    onFatal,
    database,
    sealer,
    /** Taken only because the database was made with it. */
    hasShortSecret,
    searchIndexed: searchIndex,
    searchNearby,
    outside: overrides,
    /** Other processes may use the same database. */
    isShared: database.file === undefined,
    /** How long a plan keeps events, 0 = for ever. */
    retentionMs: { free: config.freeRetentionMs, pro: config.proRetentionMs },
    sha256,
    onError,
    /** The same of a request that came to the app. */
    onRequestError: (error: unknown, request: Request): void =>
      onError(error, { requestId: requestContext(request).id }),
    /** Runs again and again until `stopTimers`; a failure is logged and the next turn comes all the same. */
    every: (ms: number, what: string, run: () => Promise<void> | void): void => {
      const timer = setInterval(async () => {
        try {
          await run();
        } catch (cause) {
          log.warn(`${what} failed`, { cause });
        }
      }, ms);
      timer.unref();
      timers.push(timer);
    },
    stopTimers: (): void => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
