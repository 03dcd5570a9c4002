/* What is sent later, and survives a restart: replay jobs, forwards and alerts, on the one runner of queues. */
import { createAlertsWiring } from './alerts.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { CaptureLoad, EventsWiring } from './events.ts';
import type { FeedWiring } from './feed.ts';
import { createForwardsWiring } from './forwards.ts';
import type { HistoryWiring } from './history.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ObservabilityWiring } from './observability.ts';
import { createQueuesWiring } from './queues.ts';
import { createReplayJobsWiring } from './replay-jobs.ts';
import type { SchemasWiring } from './schemas.ts';

export function createDeliveringWiring(
  infrastructure: Infrastructure,
  endpoints: EndpointsWiring,
  events: EventsWiring,
  observability: ObservabilityWiring,
  feed: FeedWiring,
  history: HistoryWiring,
  schemas: SchemasWiring,
  captureLoad: CaptureLoad,
) {
  const queues = createQueuesWiring(infrastructure, captureLoad);
  const replayJobs = createReplayJobsWiring(infrastructure, endpoints, events, feed, history, queues, observability);
  const forwards = createForwardsWiring(infrastructure, endpoints, events, feed, history, observability, queues);
  const alerts = createAlertsWiring(
    infrastructure,
    endpoints,
    events,
    observability,
    feed,
    history,
    schemas,
    queues,
    forwards,
    captureLoad,
  );
  return {
    ...queues,
    ...replayJobs,
    ...alerts,
    ...forwards,
    /** Starts to send, unless this is a command. The database must be open. */
    async startDelivering(): Promise<void> {
      if (!infrastructure.runsQueues) return;
      if (!infrastructure.isShared) await replayJobs.replayJobs.removeUnfinished();
      await queues.queues.start();
      // It waits until what a crash left is filed, which the start does not.
      forwards.lookForEvents();
    },
    async stopDelivering(): Promise<void> {
      forwards.forwardFeeder.stop();
      await queues.queues.stop();
    },
  };
}
