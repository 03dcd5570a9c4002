/* Replay jobs, forwards and alerts: they send later, survive restarts, and share one runner of queues. */
import { createAlertsWiring } from './alerts.ts';
import { createForwardsWiring } from './forwards.ts';
import { createQueuesWiring, type DeliveringDependencies } from './queues.ts';
import { createReplayJobsWiring } from './replay-jobs.ts';

export function createDeliveringWiring(dependencies: DeliveringDependencies) {
  const { infrastructure, captureLoad } = dependencies;
  const queues = createQueuesWiring(infrastructure, captureLoad);
  const replayJobs = createReplayJobsWiring({ ...dependencies, queues });
  const forwards = createForwardsWiring({ ...dependencies, queues });
  const alerts = createAlertsWiring({ ...dependencies, queues, forwards });
  return {
    ...queues,
    ...replayJobs,
    ...alerts,
    ...forwards,
    /** Takes back what a former process had. The database must be open. */
    async prepareDelivering(): Promise<void> {
      if (!infrastructure.runsQueues) return;
      await Promise.all([
        infrastructure.isShared ? undefined : replayJobs.replayJobs.removeUnfinished(),
        queues.queues.prepare(),
      ]);
    },
    /** Starts to send, unless this is a command. After `prepareDelivering`. */
    startDelivering(): void {
      if (!infrastructure.runsQueues) return;
      queues.queues.start();
      // It waits for the filing of deliveries that a crash left in the journal; the start does not.
      forwards.lookForEvents();
    },
    async stopDelivering(): Promise<void> {
      forwards.forwardFeeder.stop();
      await queues.queues.stop();
    },
  };
}
