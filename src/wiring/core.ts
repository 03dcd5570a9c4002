/*
 * What runs without requests: accounts, capture, search, retention. Features never import each other: if one needs another, it gets a
 * plain function here. The few calls in the other direction go through the closures at the top of `wire`, which nothing calls before
 * everything is built.
 */
import type { SignInResult, SignInWay } from '../core/access/sign-in.ts';
import { hasScheduledWork } from '../db/scheduled-work.ts';
import { createAuditService } from '../features/audit/service.ts';
import { createAuditStore, createTargetsStore } from '../features/audit/store.ts';
import { type CaptureLoad, createCaptureRate } from '../ingest/capture-rate.ts';
import { wireAccess } from './access.ts';
import { wireAccounts } from './accounts.ts';
import { wireAnswering } from './answering.ts';
import { wireBackup } from './backup.ts';
import { wireDeclared } from './declared.ts';
import { wireEndpoints } from './endpoints.ts';
import { wireErasures } from './erasures.ts';
import { wireEvents } from './events.ts';
import { wireImports } from './imports.ts';
import { createInfrastructure, type Dependencies, type Infrastructure } from './infrastructure.ts';
import { wireIngest } from './ingest.ts';
import { wireOAuth } from './oauth.ts';
import { type MeasuredServices, wireObservability } from './observability.ts';
import { wireSchemas } from './schemas.ts';
import { wireProvenAddresses } from './sign-in.ts';
import { wireUpdates } from './updates.ts';

/** What the core calls in the services of requests (api.ts), if they are loaded. */
export type LoadedApi = {
  /** Listeners check whether they may continue. */
  recheckAccess: () => void;
  /** Called for every stored event. */
  recorded: (event: { endpoint: number; seq: number }) => void;
  forwardsChanged: (ids: readonly string[]) => void;
  measured: Pick<MeasuredServices, 'replayJobs' | 'countFiringAlerts' | 'forwards'>;
  /** Ends responses that last until their client leaves. */
  shutDown: () => Promise<void>;
  /** Stops sending. */
  stop: () => Promise<void>;
};

/** What is measured until the API is loaded: if there were replay jobs, forwards or alerts, it would be loaded. */
const nothing = async (): Promise<number> => 0;
const nothingMeasured: LoadedApi['measured'] = {
  replayJobs: { jobs: nothing, waiting: nothing },
  countFiringAlerts: nothing,
  forwards: { items: async () => ({ open: 0, givenUp: 0 }), probing: nothing },
};

type CoreOptions = {
  /** Called if an applied file has forwards and the API, which sends them, is not loaded. */
  onForwardsWithoutApi: () => void;
};

export type CoreServices = ReturnType<typeof buildCore>;

/** `open` must be called before anything else. */
export function buildCore(dependencies: Dependencies, { onForwardsWithoutApi }: CoreOptions) {
  const infrastructure = createInfrastructure(dependencies);
  let api: LoadedApi | undefined;
  let isClosed = false;
  const services = wire(infrastructure, {
    api: () => api,
    onForwardsWithoutApi,
    backupAgeS: infrastructure.backsUp ? async () => backup.ageS() : undefined,
    forgetBackups: infrastructure.backsUp ? () => backup.forgetDeleted() : undefined,
  });
  const backup = wireBackup({
    infrastructure,
    secret: dependencies.secret,
    trusted: () => services.sweepClock.now(),
  });

  /** Reads into memory what every request needs. */
  const read = async (): Promise<void> => {
    await Promise.all([
      services.readEndpoints(),
      services.readCredentials(),
      services.oauth.loadSigningKeys(),
      services.readGrants(),
      services.sweepClock.read(),
    ]);
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    infrastructure.stopTimers();
    await api?.stop();
    await services.erasures.stop();
    await services.background.stop();
    await services.capture.drain();
    await services.toldAccessEnded();
    await services.flushKeyUses();
    await services.flushAppUses();
    await infrastructure.journal?.close();
    await backup.stop();
    await infrastructure.database.close();
  };
  return {
    ...services,
    backup,
    /**
     * Opens the database and reads what every request needs; after an error everything is closed.
     * @throws SchemaError, SecretError, the database's error, or an Error when a stored signing key cannot be opened
     */
    async open(): Promise<void> {
      await infrastructure.openDatabase();
      try {
        await read();
      } catch (error) {
        // If closing fails too, the first error says more.
        await close().catch(() => {});
        throw error;
      }
      infrastructure.startTimers();
      // An upgrade or a crash may have left work.
      services.search.wake();
      backup.start();
      services.updates.start();
      if (infrastructure.runsQueues) await services.erasures.start();
    },
    /** Whether the API has work that does not wait for a request. Another process may create some at any time. */
    hasScheduledWork: async (): Promise<boolean> =>
      infrastructure.isShared ||
      // Its checks are scheduled work, too.
      infrastructure.config.alertEmail !== undefined ||
      hasScheduledWork(infrastructure.direct.db),
    /** @throws if the server is stopping */
    connectApi(loaded: LoadedApi): void {
      if (isClosed) throw new Error('the server is stopping');
      api = loaded;
    },
    /** Ends responses that last until their client leaves. */
    async shutDown(): Promise<void> {
      services.notifications.shutDown();
      services.holds.stop();
      await api?.shutDown();
    },
    /** Call it after the last request. Writes what is only in memory, then closes the database. */
    close,
  };
}

type LaterServices = CoreOptions & {
  api: () => LoadedApi | undefined;
  backupAgeS: MeasuredServices['backupAgeS'];
  /** Resolves once no backup has what was deleted before. */
  forgetBackups: (() => Promise<void>) | undefined;
};

function wire(infrastructure: Infrastructure, later: LaterServices) {
  const { api, onForwardsWithoutApi, backupAgeS, forgetBackups } = later;
  const { recheckAccess, onDeleted, onUrlsChanged, onRetentionChanged } = createCallbacks(() => events, api);
  const captureRate = createCaptureRate(infrastructure.clock.monotonic);
  const { isHigh, recent } = captureRate;
  const captureLoad: CaptureLoad = { isWaiting: () => ingest.isWaiting(), isHigh, recent };

  infrastructure.tunnel?.onOrigin(onUrlsChanged);
  const audit = createAudit(infrastructure);
  const endpoints = wireEndpoints({ infrastructure, onDeleted, onRetentionChanged, onUrlsChanged });
  const acceptedStored = async (): Promise<void> => {
    await Promise.all([ingest.capture.settled(), imports.imports.settled()]);
  };
  const declared = wireDeclared({
    infrastructure,
    audit,
    acceptedStored,
    ...endpoints,
    onDeleted,
    onRetentionChanged,
    onUrlsChanged,
    onForwardsChanged: ids => (api()?.forwardsChanged ?? onForwardsWithoutApi)(ids),
  });
  const onSignIn = (way: SignInWay, result: SignInResult): void => metrics.signIn(way, result);
  const accounts = wireAccounts({
    infrastructure,
    ...endpoints,
    onPlanChanged: onRetentionChanged,
    onAccessEnded: recheckAccess,
    revokeGrants: accountId => oauth.oauth.revokeAllGrants(accountId),
    onSignIn,
  });
  const oauth = wireOAuth({ infrastructure, audit, ...accounts, onAccessEnded: recheckAccess });
  const provenAddresses = wireProvenAddresses({ infrastructure, audit, ...accounts, onSignIn });
  const access = wireAccess({ infrastructure, ...accounts, ...oauth, ...provenAddresses });
  const { metrics, ...observability } = wireObservability({
    infrastructure,
    ...access,
    measured: () => ({
      capture: ingest.capture,
      notifications: events.notifications,
      search: events.search,
      backupAgeS,
      ...(api()?.measured ?? nothingMeasured),
    }),
  });
  const answering = wireAnswering({ infrastructure, ...endpoints });
  const onRemoved = answering.forgetSequences;
  const events = wireEvents({ infrastructure, ...endpoints, metrics, captureLoad, onRemoved });
  const onStored: LoadedApi['recorded'] = event => api()?.recorded(event);
  const ingest = wireIngest({ infrastructure, ...endpoints, ...events, ...answering, metrics, captureRate, onStored });
  const schemas = wireSchemas({ infrastructure, captureLoad, ...endpoints, ...events });
  const stored = { infrastructure, ...endpoints, ...events, ...schemas };
  const erasures = wireErasures({ ...stored, audit, onRemoved, forgetBackups });
  const imports = wireImports({ infrastructure, captureLoad, ...endpoints, ...events, ...ingest });

  return {
    ...infrastructure,
    infrastructure,
    captureLoad,
    audit,
    ...endpoints,
    ...declared,
    ...accounts,
    ...oauth,
    ...provenAddresses,
    ...access,
    ...observability,
    metrics,
    ...answering,
    ...events,
    ...ingest,
    ...schemas,
    ...imports,
    acceptedStored,
    ...erasures,
    updates: wireUpdates(infrastructure),
  };
}

function createAudit({ direct, clock, random, log }: Infrastructure) {
  return createAuditService({
    store: createAuditStore(direct.db, direct.scanDb),
    targets: createTargetsStore(direct.scanDb),
    clock,
    random,
    onError: (cause, fields) => log.error('an entry of the audit log could not be written', { ...fields, cause }),
  });
}

/** What is called after changes of endpoints and of access. */
function createCallbacks(events: () => ReturnType<typeof wireEvents>, api: () => LoadedApi | undefined) {
  const wakeSweeper = (): void => events().retention.wake();
  /** Live streams, waiting agents and listeners check whether they may continue. */
  const recheckAccess = (): void => {
    events().notifications.recheckAll();
    events().tellAccessEnded();
    api()?.recheckAccess();
  };
  const onDeleted = (): void => {
    wakeSweeper();
    recheckAccess();
  };
  /** Live streams know the URLs of their endpoint and how long events are kept. */
  const onUrlsChanged = (): void => events().notifications.recheckAll();
  const onRetentionChanged = (): void => {
    wakeSweeper();
    onUrlsChanged();
  };
  return { recheckAccess, onDeleted, onUrlsChanged, onRetentionChanged };
}
