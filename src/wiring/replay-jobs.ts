/* Replay jobs: many events, sent again. */
import { createReplayJobsService } from '../features/replay-jobs/service.ts';
import { createReplayJobsStore } from '../features/replay-jobs/store.ts';
import type { SharedServices } from './shared.ts';

const sweepEveryMs = 600_000;

export function wireReplayJobs(services: SharedServices) {
  const { endpoints, secrets, events, feed, replays, metrics, queues } = services;
  const { direct, clock, random, every, outbound } = services;
  // The start of the server must not wait for the filing of deliveries that a crash left in the journal; finding the events of a job does.
  const store = createReplayJobsStore(direct);
  const service = createReplayJobsService({
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
  queues.register('replay', service.queueKind);
  every(sweepEveryMs, 'removing old replay jobs', service.sweep);
  return { service, levels: { jobs: store.countIn, waiting: store.waiting } };
}
