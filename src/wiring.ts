/*
 * Builds every service once, from the configuration. Features never import each other: when one needs another, it gets a plain
 * function here. Each step gets the results of the steps before it. The few calls in the other direction go through the
 * closures at the top of `build`, which nothing calls before all steps are done.
 */
import { createCaptureRate } from './ingest/capture-rate.ts';
import { createAccessWiring } from './wiring/access.ts';
import { createAccountsWiring } from './wiring/accounts.ts';
import { createAnswerRulesWiring } from './wiring/answer-rules.ts';
import { createAuditWiring } from './wiring/audit.ts';
import { createDeliveringWiring } from './wiring/delivering.ts';
import { createEndpointsWiring } from './wiring/endpoints.ts';
import { createEventsWiring } from './wiring/events.ts';
import { createFeedWiring } from './wiring/feed.ts';
import { createFiltersWiring } from './wiring/filters.ts';
import { createHistoryWiring } from './wiring/history.ts';
import { createInfrastructure, type Dependencies, type Infrastructure } from './wiring/infrastructure.ts';
import { createIngestWiring } from './wiring/ingest.ts';
import { createListenersWiring } from './wiring/listeners.ts';
import { createMcpWiring } from './wiring/mcp.ts';
import { createOAuthWiring } from './wiring/oauth.ts';
import { createObservabilityWiring } from './wiring/observability.ts';
import { createSchemasWiring } from './wiring/schemas.ts';

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
  const wakeSweeper = (): void => events.retention.wake();
  /** Live streams, waiting agents and listeners check whether they may continue. */
  const recheckAccess = (): void => {
    events.notifications.recheckAll();
    listeners.listeners.recheckAll();
  };
  const captureRate = createCaptureRate(infrastructure.clock.monotonic);
  const { isHigh, recent } = captureRate;
  const captureLoad = { isWaiting: (): boolean => ingest.isWaiting(), isHigh, recent };

  const audit = createAuditWiring(infrastructure);
  const endpoints = createEndpointsWiring(infrastructure, audit, {
    onDeleted: () => {
      wakeSweeper();
      recheckAccess();
    },
    onRetentionChanged: wakeSweeper,
    onForwardsChanged: ids => delivering.forwardsChanged(ids),
  });
  const accounts = createAccountsWiring(infrastructure, endpoints.endpoints, {
    onPlanChanged: wakeSweeper,
    onAccessEnded: recheckAccess,
    revokeGrants: accountId => oauth.oauth.revokeAllGrants(accountId),
  });
  const oauth = createOAuthWiring(infrastructure, accounts, audit, recheckAccess);
  const access = createAccessWiring(infrastructure, accounts, oauth);
  const observability = createObservabilityWiring(infrastructure, access, () => ({
    capture: ingest.capture,
    notifications: events.notifications,
    search: events.search,
    replayJobs: delivering.replayJobLevels,
    countFiringAlerts: delivering.countFiringAlerts,
    forwards: delivering.forwardTotals,
  }));
  const events = createEventsWiring(infrastructure, endpoints, observability, captureLoad, () =>
    ingest.forgetSequences(),
  );
  const ingest = createIngestWiring(infrastructure, endpoints, events, observability, captureRate, event =>
    delivering.forwardFeeder.recorded(event),
  );
  const filters = createFiltersWiring(infrastructure, endpoints, events, captureLoad);
  const listeners = createListenersWiring(infrastructure, endpoints, events);
  const history = createHistoryWiring(infrastructure, endpoints, events, ingest, observability, listeners);
  const answerRules = createAnswerRulesWiring(infrastructure, endpoints, events, history);
  const feed = createFeedWiring(infrastructure, endpoints, events);
  const schemas = createSchemasWiring(infrastructure, endpoints, events, captureLoad);
  const delivering = createDeliveringWiring({
    infrastructure,
    endpoints,
    events,
    observability,
    feed,
    history,
    schemas,
    captureLoad,
  });
  const mcp = createMcpWiring(infrastructure, endpoints, events, feed, history, schemas, audit);

  /** Reads into memory what every request needs. */
  const read = async (): Promise<void> => {
    await Promise.all([
      endpoints.readEndpoints(),
      accounts.readCredentials(),
      oauth.oauth.loadSigningKeys(),
      oauth.readGrants(),
      events.sweepClock.read(),
    ]);
  };
  const close = async (): Promise<void> => {
    infrastructure.stopTimers();
    await delivering.stopDelivering();
    await history.replays.stop();
    await events.background.stop();
    await ingest.capture.drain();
    await accounts.flushKeyUses();
    await oauth.flushAppUses();
    await infrastructure.journal?.close();
    await infrastructure.database.close();
  };

  return {
    ...infrastructure,
    ...endpoints,
    ...accounts,
    ...oauth,
    ...access,
    ...observability,
    ...events,
    ...ingest,
    ...filters,
    ...history,
    ...answerRules,
    ...listeners,
    ...feed,
    ...schemas,
    ...audit,
    ...delivering,
    ...mcp,
    captureLoad,
    /**
     * Opens the database and reads what every request needs; after an error everything is closed.
     * @throws SchemaError, SecretError, the database's error, or an Error when a stored signing key cannot be opened
     */
    async open(): Promise<void> {
      await infrastructure.openDatabase();
      try {
        await Promise.all([read(), delivering.prepareDelivering()]);
      } catch (error) {
        // If closing fails too, the first error says more.
        await close().catch(() => {});
        throw error;
      }
      infrastructure.startTimers();
      delivering.startDelivering();
      // An upgrade or a crash may have left work.
      events.search.wake();
    },
    /** Call it after the last request. Writes what is only in memory, then closes the database. */
    close,
  };
}
