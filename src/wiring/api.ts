/*
 * What only requests need: filters, history, listeners, agents, and the replay jobs, forwards and alerts that requests create. It is
 * loaded for the first request, or earlier if there is something to forward, to replay or to check.
 */
import { createQueuesService } from '../features/queues/service.ts';
import { createQueuesStore } from '../features/queues/store.ts';
import { wireAlerts } from './alerts.ts';
import { wireAnswerRules } from './answer-rules.ts';
import type { CoreServices } from './core.ts';
import { wireFeed } from './feed.ts';
import { wireFilters } from './filters.ts';
import { wireForwards } from './forwards.ts';
import { wireHistory } from './history.ts';
import { wireListeners } from './listeners.ts';
import { wireMcp } from './mcp.ts';
import { wireMcpEvents } from './mcp-events.ts';
import { wireMcpSubscriptions } from './mcp-subscriptions.ts';
import { wireOidc } from './oidc.ts';
import { wireRedaction } from './redaction.ts';
import { wireReplayJobs } from './replay-jobs.ts';
import { wireReplays } from './replays.ts';
import { wireTestEvents } from './test-events.ts';
import { wireTimeline } from './timeline.ts';

export type ApiServices = ReturnType<typeof wireApi>;

/** Call `start` before the first request. */
export function wireApi(core: CoreServices) {
  const services = wire(core);
  const { queues, replayJobs, forwards, alerts, listeners, mcp, replays, subscriptionFeeder } = services;
  const { runsQueues, isShared } = core;
  let starting = Promise.resolve();
  core.connectApi({
    recheckAccess: () => {
      listeners.recheckAll();
      services.endOverSubscriptions();
    },
    recorded: event => {
      forwards.feeder.recorded(event);
      subscriptionFeeder.recorded(event);
    },
    forwardsChanged: forwards.changed,
    measured: { replayJobs: replayJobs.levels, countFiringAlerts: alerts.countFiring, forwards: forwards.totals },
    async shutDown(): Promise<void> {
      listeners.shutDown();
      await mcp.close();
    },
    async stop(): Promise<void> {
      await starting.catch(() => {});
      forwards.feeder.stop();
      subscriptionFeeder.stop();
      await queues.stop();
      await forwards.flushStatistics();
      await replays.stop();
    },
  });
  const start = async (): Promise<void> => {
    if (!runsQueues) return;
    await Promise.all([isShared ? undefined : replayJobs.service.removeUnfinished(), queues.prepare()]);
    queues.start();
    // It waits for the filing of deliveries that a crash left in the journal; the start does not.
    forwards.lookForEvents();
    services.lookForSubscriptions();
  };
  return {
    ...services,
    /** Takes back the queues of a former process and starts to send, unless this is a command. @throws the database's error */
    start(): Promise<void> {
      starting = start();
      return starting;
    },
  };
}

function wire(core: CoreServices) {
  const { listeners } = wireListeners(core);
  const queues = createQueues(core);
  const parts = { ...core, listeners, queues, ...wireFeed(core) };
  const events = { ...parts, ...wireMcpEvents(parts) };
  const shared = { ...events, ...wireReplays(parts), ...wireMcpSubscriptions(events) };
  const forwards = wireForwards(shared);
  const onAlertChanges = shared.subscriptionFeeder.alertsChanged;
  return {
    ...shared,
    replayJobs: wireReplayJobs(shared),
    forwards,
    alerts: wireAlerts({ ...shared, stuckForward: forwards.stuckFor, onAlertChanges }),
    ...wireFilters(shared),
    ...wireHistory(shared),
    ...wireTimeline(shared),
    ...wireAnswerRules(shared),
    ...wireRedaction(shared),
    ...wireTestEvents(shared),
    ...wireMcp(shared),
    ...wireOidc(core),
  };
}

/** The runner of durable queues, which replay jobs, forwards and alerts share. */
function createQueues({ direct, clock, random, isShared, overrides, onError, captureLoad }: CoreServices) {
  return createQueuesService({
    store: createQueuesStore(direct),
    holder: Buffer.from(random(12)).toString('hex'),
    clock,
    isShared,
    isBusy: captureLoad.isWaiting,
    recentDeliveries: captureLoad.recent,
    ...(overrides.queuePlaces && { places: overrides.queuePlaces }),
    onError,
  });
}
