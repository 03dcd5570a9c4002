/* Forwards: every event of an endpoint, sent on to a URL. */
import type { TeamAccess } from '../core/access/principal.ts';
import { createFirstAttempts } from '../core/events/first-attempts.ts';
import { parseEventId } from '../core/ids/ids.ts';
import { largeBodyBytes } from '../core/limits.ts';
import { parseWhere } from '../core/where.ts';
import { createFeedStore } from '../features/feed/store.ts';
import { createForwardFeeder } from '../features/forwards/feeder.ts';
import { createLanes } from '../features/forwards/lanes.ts';
import { createRequestPreview } from '../features/forwards/preview.ts';
import { createForwardsService } from '../features/forwards/service.ts';
import { createForwardStatistics } from '../features/forwards/stats.ts';
import { createStatsStore } from '../features/forwards/stats-store.ts';
import { createForwardsStore, type FedEvent, type OpenForward } from '../features/forwards/store.ts';
import { createForwardQueueKind } from '../features/forwards/work.ts';
import { createContents } from './contents.ts';
import type { SharedServices } from './shared.ts';

const sweepEveryMs = 600_000;
/** How often new events are looked for. A process on its own is notified of them, except of imported ones. */
const sharedEveryMs = 2000;
const ownEveryMs = 15_000;

export function wireForwards(services: SharedServices) {
  const { endpoints, events, search, background, createSlices, feed, metrics, queues } = services;
  const { forwardColumns, forwardAttempt, aboutEvent, contentReads, isOwnIngest, refusalToForward } = services;
  const { database, direct, clock, random, every, isShared, log } = services;
  const store = createForwardsStore(database);
  const feedStore = createFeedStore(database);
  const select = async (principal: TeamAccess, endpointId: string, where: string, seqs: readonly number[]) =>
    search.createEventFilter(parseWhere(where), await endpoints.owned(principal, endpointId)).select(seqs);

  const feeder = createForwardFeeder({
    store,
    queues,
    addJob: background.add,
    matching: feed.matching,
    firstOfDeliveries: createFirstAttempts<OpenForward, FedEvent>({
      groupsOf: (endpoint, rows) => events.deliveries.groupsOf({ endpoint, since: Number.MIN_SAFE_INTEGER }, rows),
      selectFor: async (forward, seqs) => {
        const known = (await store.notRefused(seqs)).map(({ seq }) => seq);
        return select(forward, forward.endpointId, forward.filter.toString(), known);
      },
      verdictsOf: async (forward, seqs) => {
        const { teamId, plan, endpointId } = forward;
        const found = await events.listBySeq({ teamId, plan }, await endpoints.owned(forward, endpointId), [...seqs]);
        return new Map(found.map(({ id, verdict }) => [parseEventId(id)?.seq ?? 0, verdict]));
      },
    }),
    lanesOf: createLanes({
      contents: feedStore.contents,
      largeContent: feedStore.largeContent,
      isLarge: ({ size }) => size > largeBodyBytes,
      createSlices,
    }),
    monotonic: clock.monotonic,
    onError: (cause, fields) => log.warn('events could not be queued for a forward', { ...fields, cause }),
  });
  const statistics = createForwardStatistics({
    store: createStatsStore(direct),
    clock,
    onError: cause => log.warn('statistics of forwards could not be written', { cause }),
  });
  const service = createForwardsService({
    store,
    queues,
    feeder,
    statistics,
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    select,
    refusal: refusalToForward,
    columns: forwardColumns,
    clock,
    random,
  });
  const previewRequest = createRequestPreview({
    list: (reader, query) => events.list(reader, query, reader.signal),
    contents: createContents(endpoints, events),
    contentReads,
    aboutEvent,
    clock,
  });
  /** A forward from before its secret has none until it signs. */
  const secretsOf = async (forward: OpenForward): Promise<string[] | undefined> => {
    if (forward.secret === null) {
      await store.replaceSecret(forward, forwardColumns.newSecret(forward, clock.now()).column);
      return forwardColumns.secretsAt((await store.open(forward.id)) ?? forward, clock.now());
    }
    return forwardColumns.secretsAt(forward, clock.now());
  };
  const queueKind = createForwardQueueKind({
    store,
    send: async (forward, { id, attempts }, signal) => {
      const { teamId, plan, accountId, request, timeoutS } = forward;
      const url = forward.url.toString();
      if (await isOwnIngest(url)) return { kind: 'refused', reason: 'the URL is an ingest URL of this server' };
      const added = forwardColumns.openHeaders(forward);
      if (!added) return { kind: 'refused', reason: 'the headers of the forward cannot be opened: set them again' };
      const secrets = forward.sign === 'own' ? await secretsOf(forward) : [];
      if (!secrets) return { kind: 'refused', reason: 'the secret of the forward cannot be opened: make a new one' };
      const sign = forward.sign === 'own' ? { secrets } : forward.sign;
      const of = { teamId, plan, accountId, forward: forward.seq, attempts };
      return forwardAttempt({ ...of, url, request, sign, headers: added, timeoutMs: timeoutS * 1000, signal }, id);
    },
    onResult: metrics.forward,
    onAttempt: statistics.record,
    clock,
    jitter: () => (random(1)[0] ?? 0) / 256,
  });

  queues.register('forward', queueKind);
  every(sweepEveryMs, 'removing events of forwards that are gone', service.sweep);
  every(isShared ? sharedEveryMs : ownEveryMs, 'looking for events to forward', feeder.look);
  const lookForEvents = (): void => {
    feeder.refresh().catch(cause => log.warn('forwards could not be read', { cause }));
  };
  return {
    service,
    previewRequest,
    feeder,
    lookForEvents,
    /** Writes statistics that are only in memory. Call it after the last attempt. */
    flushStatistics: statistics.flush,
    /** After a file has changed forwards. */
    changed: (ids: readonly string[]): void => {
      for (const id of ids) queues.finish('forward', id);
      for (const id of ids) queues.wake('forward', id);
      lookForEvents();
    },
    /** For how long a forward of the endpoint has failed, ms, 1 at least, even if the clock went back; 0: none fails. */
    stuckFor: async (endpoint: number): Promise<number> => {
      const since = await store.failingSince(endpoint);
      return since === null ? 0 : Math.max(1, clock.now() - since);
    },
    totals: { items: store.totals, probing: store.probing },
  };
}
