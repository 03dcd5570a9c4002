/* Replay jobs: many events, sent again. */
import { createReplayJobsService } from '../features/replay-jobs/service.ts';
import { createReplayJobsStore } from '../features/replay-jobs/store.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { EventsWiring } from './events.ts';
import type { FeedWiring } from './feed.ts';
import type { HistoryWiring } from './history.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { ObservabilityWiring } from './observability.ts';
import type { QueuesWiring } from './queues.ts';

const sweepEveryMs = 600_000;

export function createReplayJobsWiring(
  { direct, clock, random, every }: Infrastructure,
  { endpoints }: EndpointsWiring,
  { events }: EventsWiring,
  { feed }: FeedWiring,
  { replays }: HistoryWiring,
  { queues }: QueuesWiring,
  { metrics }: ObservabilityWiring,
) {
  // The start of the server must not wait until what a crash left is filed; events of a job are filed when they are found.
  const store = createReplayJobsStore(direct);
  const replayJobs = createReplayJobsService({
    store,
    queues,
    endpoint: endpoints.owned,
    matching: feed.matching,
    summaries: async (principal, endpointId, seqs) =>
      seqs.length === 0 ? [] : events.listBySeq(principal, await endpoints.owned(principal, endpointId), [...seqs]),
    send: ({ teamId, plan, accountId, sign }, id, url, signal) =>
      replays.attemptInJob({ teamId, plan, accountId }, id, { url, sign: sign ?? undefined, signal }),
    onItem: metrics.replayJobItem,
    clock,
    random,
  });
  queues.register('replay', replayJobs.queueKind);
  every(sweepEveryMs, 'removing old replay jobs', replayJobs.sweep);
  return { replayJobs, replayJobLevels: { jobs: store.countIn, waiting: store.waiting } };
}
