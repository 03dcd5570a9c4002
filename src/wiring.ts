/*
 * Everything is built here, once, from the configuration. Features never import each other: what one needs of another is
 * handed over here, as plain functions.
 */
import { networkInterfaces } from 'node:os';
import type { Config } from './config.ts';
import type { Clock } from './core/clock.ts';
import { newToken, type RandomBytes } from './core/ids.ts';
import { maxKeysPerAccount } from './core/limits.ts';
import { createSealer } from './core/seal.ts';
import { createSlots } from './core/slots.ts';
import { createBackground } from './db/background.ts';
import { openDatabase, type SpawnThread } from './db/database.ts';
import { checkSecret } from './db/secret-check.ts';
import { argon2id, createPasswords } from './features/account/passwords.ts';
import { createAccountService } from './features/account/service.ts';
import { createAccountStore } from './features/account/store.ts';
import { createBodyBudget } from './features/capture/body.ts';
import { createGroupCommit } from './features/capture/group-commit.ts';
import { createIngest } from './features/capture/ingest.ts';
import { createCaptureService } from './features/capture/service.ts';
import { createCaptureStore } from './features/capture/store.ts';
import { createRegistry } from './features/endpoints/registry.ts';
import { createEndpointsService } from './features/endpoints/service.ts';
import { createEndpointsStore } from './features/endpoints/store.ts';
import { createEventsService } from './features/events/service.ts';
import { createEventsStore } from './features/events/store.ts';
import { createKeysService } from './features/keys/service.ts';
import { createKeysStore } from './features/keys/store.ts';
import { createLiveService } from './features/live/service.ts';
import { createLiveStore } from './features/live/store.ts';
import { createRetentionService } from './features/retention/service.ts';
import { createSpace } from './features/retention/space.ts';
import { createRetentionStore } from './features/retention/store.ts';
import { createSecretsService } from './features/secrets/service.ts';
import { createSecretsStore } from './features/secrets/store.ts';
import { createVerdicts } from './features/secrets/verdicts.ts';
import { createSessionsService } from './features/sessions/service.ts';
import { createSessionsStore } from './features/sessions/store.ts';
import { createThrottle } from './features/sessions/throttle.ts';
import { createSetupService } from './features/setup/service.ts';
import { createTeamsService } from './features/teams/service.ts';
import { createTeamsStore } from './features/teams/store.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { createBrowserGuard } from './http/browser-guard.ts';
import { createClientAddress } from './http/client-address.ts';
import { createSessionCookie } from './http/cookie.ts';
import { createGate } from './http/gate.ts';
import { isOpenOperation } from './http/open-operations.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import type { Logger } from './log.ts';
import { createAgents } from './wiring/agents.ts';
import { createConnectedApps, type Outside } from './wiring/connected-apps.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** What `hooktape check` asks of the search index. */
export type SearchIndex = { problems: () => Promise<string[]>; rebuild: () => Promise<void> };

export type Surroundings = {
  config: Config;
  /** HOOKTAPE_SECRET, or what was generated in its place. */
  secret: string;
  log: Logger;
  clock: Clock;
  random: RandomBytes;
  spawn: SpawnThread;
  version: string;
  /** The database will not answer any more: the process must end, and be started again. */
  onFatal: (error: Error) => void;
  /** What a test puts in the place of the world outside. */
  outside?: Outside;
};

/** A person's dashboard asks more often than a program: a page is a handful of requests. */
const sessionRate = 10;
const streamsPerAccount = 20;
const oauthEveryMs = 60_000;
const keyUsesEveryMs = 30_000;
const registryEveryMs = 1_000;
/** Bodies being received or waiting for their commit, all together. */
const bodyBudgetBytes = 256 << 20;

const sha256 = (bytes: Uint8Array): Uint8Array => Bun.SHA256.hash(bytes as Uint8Array<ArrayBuffer>) as Uint8Array;

/** @throws SchemaError, SecretError, or the database's error when it cannot be opened */
export async function createServices(surroundings: Surroundings) {
  const { config, secret, log, clock, random, spawn, version, onFatal } = surroundings;
  const { baseUrl } = config;

  const database = await openDatabase({
    url: config.databaseUrl,
    authToken: config.databaseAuthToken,
    spawn,
    onBusy: () => log.error('the database was busy; the connection was replaced'),
    onDeath: onFatal,
  });
  const { client, db } = database;
  const retentionMs = { free: config.freeRetentionMs, pro: config.proRetentionMs };
  const shared = database.file === undefined;
  const sealer = createSealer(secret, random);
  try {
    await checkSecret(client, sealer);
  } catch (error) {
    await database.close();
    throw error;
  }

  const passwords = createPasswords({
    hash: password => Bun.password.hash(password, argon2id),
    verify: (password, hash) => Bun.password.verify(password, hash),
  });
  const accountStore = createAccountStore(db);
  const account = createAccountService({
    store: accountStore,
    passwords,
    clock,
    random,
    onPlanChanged: () => retention.wake(),
  });
  const keys = createKeysService({ store: createKeysStore(db), clock, random, sha256 });

  const endpointsStore = createEndpointsStore(db);
  const registry = createRegistry({
    load: endpointsStore.addresses,
    ...(shared && { lookUp: endpointsStore.address }),
  });
  await registry.refresh();
  const endpoints = createEndpointsService({
    store: endpointsStore,
    registry,
    clock,
    random,
    baseUrl,
    limits: { free: config.freeEndpoints, pro: config.proEndpoints },
    retentionMs,
    onDeleted: () => retention.wake(),
  });

  const secrets = createSecretsService({
    store: createSecretsStore(db),
    sealer,
    clock,
    random,
    endpoint: endpoints.owned,
    onUnreadable: secretId => log.error('a stored signing secret cannot be opened', { secretId }),
  });
  await secrets.refresh();
  const verdicts = createVerdicts({ secretsOf: secrets.secretsOf, urlOf: endpoints.urlOf });
  const cookie = createSessionCookie(baseUrl);
  const sessions = createSessionsService({
    store: createSessionsStore(db),
    accounts: accountStore,
    passwords,
    throttle: createThrottle({ monotonic: clock.monotonic }),
    clock,
    random,
    sha256,
    onUnwritten: cause => log.warn('writing the last use of a session failed', { cause }),
  });
  const setup = createSetupService({
    baseUrl,
    isEmpty: account.isEmpty,
    createOwner: account.createFirst,
    createEndpoint: endpoints.create,
    newToken: () => newToken(random),
    sha256,
  });

  const teams = createTeamsService({
    store: createTeamsStore(db),
    passwords,
    clock,
    random,
    sha256,
    baseUrl,
    limits: {
      free: { endpoints: config.freeEndpoints, keys: maxKeysPerAccount, retentionMs: config.freeRetentionMs },
      pro: { endpoints: config.proEndpoints, keys: maxKeysPerAccount, retentionMs: config.proRetentionMs },
    },
  });

  const commits = createGroupCommit({
    insert: createCaptureStore(client).insert,
    onFailure: (cause, refused) => log.error('deliveries could not be stored', { refused, cause }),
    monotonic: clock.monotonic,
  });
  const busy = (): boolean => commits.depth() > 0;
  const background = createBackground({
    busy,
    monotonic: clock.monotonic,
    onError: (job, cause) => log.warn('background work failed', { job, cause }),
  });
  const retention = createRetentionService({
    store: createRetentionStore(database, () => []),
    clock,
    retentionMs,
    background,
    giveBack: database.upkeep && createSpace({ upkeep: database.upkeep, busy }).slice,
    removeTeam: endpoints.removeTeam,
    onSwept: swept => log.info('events past their window or of deleted endpoints were removed', { events: swept }),
  });
  const capture = createCaptureService({
    commits,
    random,
    sha256,
    recognise: verdicts.recognise,
    learn: secrets.learn,
    onRecorded: recorded => {
      live.recorded(recorded);
      arrivals.recorded(recorded);
    },
  });

  const events = createEventsService({
    store: createEventsStore(db),
    clock,
    endpoint: endpoints.owned,
    verdicts,
    retentionMs,
  });

  const live = createLiveService({
    store: createLiveStore(database.scanDb),
    clock,
    endpoint: endpoints.owned,
    events,
    slots: createSlots(streamsPerAccount),
    isShared: shared,
  });

  const { oauth, apps, challenge } = await createConnectedApps({ surroundings, client, db, sealer, accounts: account });

  const onError = (error: unknown, fields = {}): void => log.error('request failed', { ...fields, cause: error });
  const browserGuard = createBrowserGuard({
    baseUrl,
    cookie,
    ownAddresses: () => Object.values(networkInterfaces()).flatMap(found => found?.map(one => one.address) ?? []),
  });
  const { arrivals, mcp } = createAgents({
    endpoints,
    events,
    replaying: undefined,
    isShared: shared,
    clock,
    baseUrl,
    version,
    onError,
  });
  const gate = createGate({
    authenticate: createAuthenticator({
      keyHolder: keys.holderOf,
      appHolder: apps.holderOf,
      cookie,
      sessionHolder: sessions.holderOf,
    }),
    limiter: createRateLimiter(clock.monotonic),
    limitOf: ({ credential }) =>
      credential.kind === 'session' ? sessionRate * config.rateLimitPerMinute : config.rateLimitPerMinute,
    refuse: browserGuard.refuse,
    isOpen: isOpenOperation,
    challenge,
    onError: error => onError(error),
  });

  const clientAddress = createClientAddress(config.trustedProxies);
  const ingest = createIngest({
    capture,
    findEndpoint: registry.find,
    clientAddress,
    maxBodyBytes: config.maxBodyBytes,
    budget: createBodyBudget(Math.max(bodyBudgetBytes, 2 * config.maxBodyBytes)),
    clock,
    onResult: () => {},
    onError: error => onError(error),
  });

  const every = (ms: number, what: string, run: () => Promise<void>) => {
    const timer = setInterval(() => run().catch(cause => log.warn(`${what} failed`, { cause })), ms);
    timer.unref();
    return timer;
  };
  const timers = [every(keyUsesEveryMs, 'writing the last uses of keys', keys.flushUses)];
  timers.push(every(keyUsesEveryMs, 'writing the last uses of apps', apps.flushUses));
  timers.push(every(oauthEveryMs, 'maintaining the authorization server', oauth.maintain));
  timers.push(every(config.sweepEveryMs, 'waking the sweeper', async () => retention.wake()));
  if (shared) {
    timers.push(every(registryEveryMs, 'refreshing the endpoints', registry.refresh));
    timers.push(every(registryEveryMs, 'refreshing the secrets', secrets.refresh));
  }

  return {
    config,
    version,
    log,
    clock,
    random,
    spawn,
    database,
    sealer,
    account,
    keys,
    cookie,
    browserGuard,
    sessions,
    setup,
    teams,
    endpoints,
    secrets,
    events,
    live,
    capture,
    commits,
    background,
    retention,
    searchIndex: undefined as SearchIndex | undefined,
    gate,
    oauth,
    apps,
    mcp,
    arrivals,
    /** Who is signed in, in the browser that sent this. */
    async sessionOf(request: Request) {
      const token = cookie.read(request);
      return token === undefined ? undefined : sessions.holderOf(token);
    },
    ingest,
    clientAddress,
    onError,
    /** Whether a delivery could be stored now. @throws the database's error when not */
    async checkWritable(): Promise<void> {
      await client.batch(["UPDATE meta SET value = value WHERE name = 'secret-check'"], 'write');
    },
    /** After the last request: what is only in memory goes to disk, then the database closes. */
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await background.stop();
      await capture.drain();
      await keys.flushUses().catch(cause => log.warn('writing the last uses of keys failed', { cause }));
      await apps.flushUses().catch(cause => log.warn('writing the last uses of apps failed', { cause }));
      await database.close();
    },
  };
}
