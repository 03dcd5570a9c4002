/*
 * Everything is built here, once, from the configuration. Features never import each other: what one needs of another is
 * handed over here, as plain functions.
 */
import type { Config } from './config.ts';
import type { Clock } from './core/clock.ts';
import type { RandomBytes } from './core/ids.ts';
import { createSealer } from './core/seal.ts';
import { createBackground } from './db/background.ts';
import { openDatabase, type SpawnThread } from './db/database.ts';
import { checkSecret } from './db/secret-check.ts';
import { createAccountService } from './features/account/service.ts';
import { createAccountStore } from './features/account/store.ts';
import { createAppsService } from './features/apps/service.ts';
import { createAppsStore } from './features/apps/store.ts';
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
import { unverified } from './features/oauth/access-tokens.ts';
import type { SignedIn } from './features/oauth/authorize.ts';
import { verifiedHost } from './features/oauth/client-metadata.ts';
import { createExternalIssuers, type FetchJson } from './features/oauth/external-issuers.ts';
import { challengeFor } from './features/oauth/metadata.ts';
import { hasScope } from './features/oauth/scopes.ts';
import { createOAuthService, defaultPolicy, type OAuthPolicy } from './features/oauth/service.ts';
import { createSigningKeysStore } from './features/oauth/store.keys.ts';
import { createTokensStore } from './features/oauth/store.tokens.ts';
import { createClientsStore } from './features/oauth/store.ts';
import { createAuthenticator, presentsBearer } from './http/authenticate.ts';
import { createClientAddress } from './http/client-address.ts';
import { createGate } from './http/gate.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import type { Logger } from './log.ts';
import { createOutbound, type Outbound } from './net/outbound.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

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
  outside?: {
    sessionOf?: (request: Request) => Promise<SignedIn | undefined>;
    /** The way out to client documents. */
    send?: Outbound['send'];
    /** The way out to the issuers that the operator trusts. */
    fetchJson?: FetchJson;
    oauth?: Partial<OAuthPolicy>;
  };
};

const hourMs = 3_600_000;
const registrationsPerHour = 20;
const documentsPerMinute = 10;
const oauthEveryMs = 60_000;
const issuerTimeoutMs = 5000;
const keyUsesEveryMs = 30_000;
const registryEveryMs = 1_000;
/** Bodies being received or waiting for their commit, all together. */
const bodyBudgetBytes = 256 << 20;

const sha256 = (bytes: Uint8Array): Uint8Array => Bun.SHA256.hash(bytes as Uint8Array<ArrayBuffer>) as Uint8Array;

/** For addresses that the operator configured: no guard, no redirects. */
const fetchJson: FetchJson = async url => {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(issuerTimeoutMs),
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return response.json();
};

/** @throws SchemaError, SecretError, or the database's error when it cannot be opened */
export async function createServices(surroundings: Surroundings) {
  const { config, secret, log, clock, random, spawn, version, onFatal, outside = {} } = surroundings;
  const { baseUrl } = config;

  const database = await openDatabase({
    url: config.databaseUrl,
    authToken: config.databaseAuthToken,
    spawn,
    onBusy: () => log.error('the database was busy; the connection was replaced'),
    onDeath: onFatal,
  });
  const { client, db } = database;
  const shared = database.file === undefined;
  const sealer = createSealer(secret, random);
  try {
    await checkSecret(client, sealer);
  } catch (error) {
    await database.close();
    throw error;
  }

  const account = createAccountService({
    store: createAccountStore(db),
    passwords: {
      hash: password => Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: 19456, timeCost: 2 }),
    },
    clock,
    random,
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
    onDeleted: () => {},
  });

  const commits = createGroupCommit({
    insert: createCaptureStore(client).insert,
    onFailure: (cause, refused) => log.error('deliveries could not be stored', { refused, cause }),
    monotonic: clock.monotonic,
  });
  const background = createBackground({
    busy: () => commits.depth() > 0,
    monotonic: clock.monotonic,
    onError: (job, cause) => log.warn('background work failed', { job, cause }),
  });
  const capture = createCaptureService({
    commits,
    random,
    sha256,
    recognise: () => ({ platform: null, eventType: null, verdict: null, answer: null }),
    onRecorded: () => {},
  });

  const events = createEventsService({
    store: createEventsStore(db),
    clock,
    endpoint: endpoints.owned,
    verdicts: { canJudge: async () => false, judge: async (_endpoint, judged) => judged.map(() => null) },
    retentionMs: { free: config.freeRetentionMs, pro: config.proRetentionMs },
  });

  const registrations = createRateLimiter(clock.monotonic, hourMs);
  const documents = createRateLimiter(clock.monotonic);
  const oauth = await createOAuthService({
    stores: {
      clients: createClientsStore(db, client),
      tokens: createTokensStore(db, client),
      keys: createSigningKeysStore(db, client),
    },
    sealer,
    clock,
    random,
    baseUrl,
    otherIssuers: config.oauthIssuers.map(({ issuer }) => issuer),
    // Never this host or its network, whatever replay may reach: anybody may name a document.
    ...{
      send: config.oauthCimd
        ? (outside.send ?? createOutbound({ allow: [], allowLoopback: false, clock }).send)
        : undefined,
    },
    takeRegistration: asker => registrations.take(asker, registrationsPerHour),
    takeDocument: asker => documents.take(asker, documentsPerMinute),
    policy: { ...defaultPolicy, ...outside.oauth },
  });
  const apps = createAppsService({
    store: createAppsStore(db),
    clock,
    random,
    unverified,
    issuer: baseUrl,
    verifyOwn: oauth.verify,
    hasScope,
    verifyExternal: createExternalIssuers({
      issuers: config.oauthIssuers,
      fetchJson: outside.fetchJson ?? fetchJson,
      clock,
    }).verify,
    accounts: account,
    verifiedHost,
  });

  const onError = (error: unknown, fields = {}): void => log.error('request failed', { ...fields, cause: error });
  const gate = createGate({
    authenticate: createAuthenticator({ keyHolder: keys.holderOf, appHolder: apps.holderOf }),
    limiter: createRateLimiter(clock.monotonic),
    limitOf: () => config.rateLimitPerMinute,
    isOpen: () => false,
    challenge: (request, problem) =>
      challengeFor(
        baseUrl,
        new URL(request.url, baseUrl).pathname,
        problem ?? (presentsBearer(request) ? 'invalid_token' : undefined),
      ),
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
  const timers = [
    every(keyUsesEveryMs, 'writing the last uses of keys', keys.flushUses),
    every(keyUsesEveryMs, 'writing the last uses of apps', apps.flushUses),
    every(oauthEveryMs, 'maintaining the authorization server', oauth.maintain),
  ];
  if (shared) timers.push(every(registryEveryMs, 'refreshing the endpoints', registry.refresh));

  return {
    config,
    version,
    log,
    clock,
    random,
    database,
    sealer,
    account,
    keys,
    endpoints,
    events,
    capture,
    commits,
    background,
    gate,
    oauth,
    apps,
    sessionOf: outside.sessionOf ?? (async () => undefined),
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
