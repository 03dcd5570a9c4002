/*
 * Builds every service once, from the configuration. Features never import each other: when one needs another, it gets a plain
 * function here. Each step gets the results of the steps before it. The few calls in the other direction go through the
 * closures at the top of `build`, which nothing calls before all steps are done.
 */
import { createAuditService } from './features/audit/service.ts';
import { createAuditStore } from './features/audit/store.ts';
import { createQueuesService } from './features/queues/service.ts';
import { createQueuesStore } from './features/queues/store.ts';
import { type CaptureLoad, createCaptureRate } from './ingest/capture-rate.ts';
import { wireAccess } from './wiring/access.ts';
import { wireAccounts } from './wiring/accounts.ts';
import { wireAlerts } from './wiring/alerts.ts';
import { wireAnswerRules } from './wiring/answer-rules.ts';
import { wireEndpoints } from './wiring/endpoints.ts';
import { wireEvents } from './wiring/events.ts';
import { wireFeed } from './wiring/feed.ts';
import { wireFilters } from './wiring/filters.ts';
import { wireForwards } from './wiring/forwards.ts';
import { wireHistory } from './wiring/history.ts';
import { createInfrastructure, type Dependencies, type Infrastructure } from './wiring/infrastructure.ts';
import { wireIngest } from './wiring/ingest.ts';
import { wireListeners } from './wiring/listeners.ts';
import { wireMcp } from './wiring/mcp.ts';
import { wireOAuth } from './wiring/oauth.ts';
import { wireObservability } from './wiring/observability.ts';
import { wireReplayJobs } from './wiring/replay-jobs.ts';
import { wireReplays } from './wiring/replays.ts';
import { wireSchemas } from './wiring/schemas.ts';

export type { Dependencies } from './wiring/infrastructure.ts';
export type Services = ReturnType<typeof build>;

/** Open and ready. @throws as `open` */
export async function createServices(dependencies: Dependencies): Promise<Services> {
  const services = buildServices(dependencies);
  await services.open();
  return services;
}

/** `open` must be called before anything else. */
export const buildServices = (dependencies: Dependencies): Services => build(createInfrastructure(dependencies));

function build(infrastructure: Infrastructure) {
  const services = wire(infrastructure);
  return { ...services, ...createLifecycle(services) };
}

function wire(infrastructure: Infrastructure) {
  const wakeSweeper = (): void => events.retention.wake();
  /** Live streams, waiting agents and listeners check whether they may continue. */
  const recheckAccess = (): void => {
    events.notifications.recheckAll();
    listeners.recheckAll();
  };
  const captureRate = createCaptureRate(infrastructure.clock.monotonic);
  const { isHigh, recent } = captureRate;
  const captureLoad: CaptureLoad = { isWaiting: () => ingest.isWaiting(), isHigh, recent };

  const audit = createAudit(infrastructure);
  const endpoints = wireEndpoints({
    infrastructure,
    audit,
    onDeleted: () => {
      wakeSweeper();
      recheckAccess();
    },
    onRetentionChanged: wakeSweeper,
    onForwardsChanged: ids => forwards.changed(ids),
  });
  const accounts = wireAccounts({
    infrastructure,
    ...endpoints,
    onPlanChanged: wakeSweeper,
    onAccessEnded: recheckAccess,
    revokeGrants: accountId => oauth.oauth.revokeAllGrants(accountId),
  });
  const oauth = wireOAuth({ infrastructure, audit, ...accounts, onAccessEnded: recheckAccess });
  const access = wireAccess({ infrastructure, ...accounts, ...oauth });
  const observability = wireObservability({
    infrastructure,
    ...access,
    measured: () => ({
      capture: ingest.capture,
      notifications: events.notifications,
      search: events.search,
      replayJobs: replayJobs.levels,
      countFiringAlerts: alerts.countFiring,
      forwards: forwards.totals,
    }),
  });
  const { metrics } = observability;
  const onRemoved = (): void => ingest.forgetSequences();
  const events = wireEvents({ infrastructure, ...endpoints, metrics, captureLoad, onRemoved });
  const onStored = (event: { endpoint: number; seq: number }): void => forwards.feeder.recorded(event);
  const ingest = wireIngest({ infrastructure, ...endpoints, ...events, metrics, captureRate, onStored });

  const base = { infrastructure, audit, captureLoad, ...endpoints, ...observability, ...events, ...ingest };
  const { listeners } = wireListeners(base);
  const queues = createQueues(infrastructure, captureLoad);
  const parts = { ...base, listeners, queues, ...wireFeed(base), ...wireSchemas(base) };
  const shared = { ...parts, ...wireReplays(parts) };
  const replayJobs = wireReplayJobs(shared);
  const forwards = wireForwards(shared);
  const alerts = wireAlerts({ ...shared, stuckForward: forwards.stuckFor });

  return {
    ...infrastructure,
    ...accounts,
    ...oauth,
    ...access,
    ...shared,
    ...wireFilters(shared),
    ...wireHistory(shared),
    ...wireAnswerRules(shared),
    ...wireMcp(shared),
    replayJobs,
    forwards,
    alerts,
  };
}

function createLifecycle(services: ReturnType<typeof wire>) {
  const { infrastructure, oauth, queues, forwards, replayJobs } = services;
  const { runsQueues, isShared } = infrastructure;
  /** Reads into memory what every request needs. */
  const read = async (): Promise<void> => {
    await Promise.all([
      services.readEndpoints(),
      services.readCredentials(),
      oauth.loadSigningKeys(),
      services.readGrants(),
      services.sweepClock.read(),
    ]);
  };
  /** Takes back the queues of a former process. A command sends nothing. */
  const prepareQueues = async (): Promise<void> => {
    if (!runsQueues) return;
    await Promise.all([isShared ? undefined : replayJobs.service.removeUnfinished(), queues.prepare()]);
  };
  const startQueues = (): void => {
    if (!runsQueues) return;
    queues.start();
    // It waits for the filing of deliveries that a crash left in the journal; the start does not.
    forwards.lookForEvents();
  };
  const close = async (): Promise<void> => {
    infrastructure.stopTimers();
    forwards.feeder.stop();
    await queues.stop();
    await services.replays.stop();
    await services.background.stop();
    await services.capture.drain();
    await services.flushKeyUses();
    await services.flushAppUses();
    await infrastructure.journal?.close();
    await infrastructure.database.close();
  };
  return {
    /**
     * Opens the database and reads what every request needs; after an error everything is closed.
     * @throws SchemaError, SecretError, the database's error, or an Error when a stored signing key cannot be opened
     */
    async open(): Promise<void> {
      await infrastructure.openDatabase();
      try {
        await Promise.all([read(), prepareQueues()]);
      } catch (error) {
        // If closing fails too, the first error says more.
        await close().catch(() => {});
        throw error;
      }
      infrastructure.startTimers();
      startQueues();
      // An upgrade or a crash may have left work.
      services.search.wake();
    },
    /** Call it after the last request. Writes what is only in memory, then closes the database. */
    close,
  };
}

function createAudit({ direct, clock, random, log }: Infrastructure) {
  return createAuditService({
    store: createAuditStore(direct.db),
    clock,
    random,
    onError: (cause, fields) => log.error('an entry of the audit log could not be written', { ...fields, cause }),
  });
}

/** The runner of durable queues, which replay jobs, forwards and alerts share. */
function createQueues(
  { direct, clock, random, isShared, overrides, onError }: Infrastructure,
  { isWaiting, recent }: CaptureLoad,
) {
  return createQueuesService({
    store: createQueuesStore(direct),
    holder: Buffer.from(random(12)).toString('hex'),
    clock,
    isShared,
    isBusy: isWaiting,
    recentDeliveries: recent,
    ...(overrides.queuePlaces && { places: overrides.queuePlaces }),
    onError,
  });
}
