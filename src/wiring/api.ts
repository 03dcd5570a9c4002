/*
 * What only requests need: filters, history, listeners, agents, and the replay jobs, forwards and alerts that requests create. It is
 * loaded for the first request, or earlier if there is something to forward, to replay or to check.
 */
import { wireAlerts } from './alerts.ts';
import type { CoreServices } from './core.ts';
import { wireEndpointRules } from './endpoint-rules.ts';
import { wireFilters } from './filters.ts';
import { wireForwards } from './forwards.ts';
import { wireHistory } from './history.ts';
import { wireMcp } from './mcp.ts';
import { wireOidc } from './oidc.ts';
import { wireReplayJobs } from './replay-jobs.ts';
import { wireShared } from './shared.ts';
import { wireTestEvents } from './test-events.ts';

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
  const shared = wireShared(core);
  const forwards = wireForwards(shared);
  return {
    ...shared,
    replayJobs: wireReplayJobs(shared),
    forwards,
    alerts: wireAlerts(shared, forwards.stuckFor),
    ...wireFilters(core),
    ...wireHistory(core),
    ...wireEndpointRules(core),
    ...wireTestEvents(core),
    ...wireMcp(shared),
    ...wireOidc(core),
  };
}
