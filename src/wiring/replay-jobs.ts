/* Replay jobs: many events, sent again. */
import { createReplayJobsService } from '../features/replay-jobs/service.ts';
import { createReplayJobsStore } from '../features/replay-jobs/store.ts';
import type { DeliveringDependencies, QueuesDependency } from './queues.ts';

const sweepEveryMs = 600_000;

export function createReplayJobsWiring({
  infrastructure: { direct, clock, random, every, outbound },
  endpoints: { endpoints, secrets },
  events: { events },
  feed: { feed },
  history: { replays },
  observability: { metrics },
  queues: { queues },
}: DeliveringDependencies & QueuesDependency) {
  // The start of the server must not wait for the filing of deliveries that a crash left in the journal; finding the events of a job does.
  const store = createReplayJobsStore(direct);
  const replayJobs = createReplayJobsService({
    store,
    queues,
    endpoint: endpoints.owned,
    matching: feed.matching,
    summaries: async (principal, endpointId, seqs) =>
      seqs.length === 0 ? [] : events.listBySeq(principal, await endpoints.owned(principal, endpointId), [...seqs]),
    hasSecret: (endpoint, id) => secrets.signersOf(endpoint).some(secret => secret.id === id),
    send: ({ teamId, plan, accountId, sign }, id, urls, signal) =>
      replays.attemptsInJob({ teamId, plan, accountId }, id, { urls, sign: sign ?? undefined, signal }),
    refusal: outbound.refusal,
    onItem: metrics.replayJobItem,
    clock,
    random,
  });
  queues.register('replay', replayJobs.queueKind);
  every(sweepEveryMs, 'removing old replay jobs', replayJobs.sweep);
  return { replayJobs, replayJobLevels: { jobs: store.countIn, waiting: store.waiting } };
}
