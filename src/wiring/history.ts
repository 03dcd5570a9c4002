/* Deliveries with their attempts, exports, imports and replays. */

import { createMatcher, type Matcher } from '../core/blocks/search-text.ts';
import type { YieldIfDue } from '../core/concurrency/time-slices.ts';
import { latin1 } from '../core/encoding/buffer.ts';
import { parseWhere } from '../core/where.ts';
import { createDeliveriesService } from '../features/deliveries/service.ts';
import type { ExportedEvent } from '../features/exports/file-format.ts';
import { createExportsService } from '../features/exports/service.ts';
import { createExportsStore } from '../features/exports/store.ts';
import { createMarksStore } from '../features/imports/marks-store.ts';
import { createImportsService } from '../features/imports/service.ts';
import { createImportsStore } from '../features/imports/store.ts';
import { createForwardAttempt } from '../features/replays/forward-attempt.ts';
import { createPrepareRequest } from '../features/replays/prepare.ts';
import { createReplaysService } from '../features/replays/service.ts';
import { createReplaysStore } from '../features/replays/store.ts';
import { createSignaturesService } from '../features/signatures/service.ts';
import { createAnswers } from './answers.ts';
import type { EndpointsWiring } from './endpoints.ts';
import type { EventsWiring } from './events.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { IngestWiring } from './ingest.ts';
import type { ListenersWiring } from './listeners.ts';
import type { ObservabilityWiring } from './observability.ts';

/** Filters an export as the event list is filtered. A large body is searched in time slices. */
const textMatcher = (q: string, yieldIfDue: YieldIfDue) => {
  const matcher = createMatcher(q);
  const advance = (steps: ReturnType<Matcher>): boolean | Promise<boolean> => {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const pause = yieldIfDue();
      if (pause) return pause.then(() => advance(steps));
    }
  };
  return ({ row, body }: ExportedEvent) => advance(matcher(row.eventType, body));
};

export type HistoryWiring = ReturnType<typeof createHistoryWiring>;

export function createHistoryWiring(
  infrastructure: Infrastructure,
  { endpoints, secrets, verdicts, registry }: EndpointsWiring,
  { events, search, notifications, createSlices, contentReads, reserveMemory }: EventsWiring,
  { insertImported, isWaiting }: IngestWiring,
  { metrics }: ObservabilityWiring,
  { listeners }: ListenersWiring,
) {
  const { config, log, clock, random, database, version, outbound } = infrastructure;
  const answers = createAnswers({ endpoints, secrets, registry });

  const deliveries = createDeliveriesService({
    ...events.deliveries,
    contentReads,
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    answered: (endpoint, { path, query, ...event }) =>
      answers.answered(endpoint, { ...event, path: latin1(path), query: query && latin1(query) }),
  });
  const exports = createExportsService({
    store: createExportsStore(database.scanClient),
    endpoint: endpoints.counted,
    toEndpoint: endpoints.toEndpoint,
    retentionCutoff: events.retentionCutoff,
    createSlices,
    answer: (endpoint, { id, row, ...content }) => answers.responseTo(endpoint, id, { ...row, ...content }),
    readSelection: ({ q = '', where = '' }) => {
      search.checkTerm(q);
      const filter = parseWhere(where);
      const startedAt = clock.now();
      return (endpoint, yieldIfDue, reader) => {
        const { isEmpty, select } = search.createEventFilter(filter, endpoint, reader);
        return {
          select: isEmpty
            ? undefined
            : async seqs => {
                await yieldIfDue();
                // An export names the damaged events that it might have to contain.
                return select(seqs, { time: startedAt, undecided: true });
              },
          matches: q === '' ? undefined : textMatcher(q, yieldIfDue),
        };
      };
    },
    reserve: reserveMemory,
    clock,
    version,
    onDamaged: (endpointId, { count, ids }) =>
      log.error('an export skipped events that are damaged on disk', { endpointId, count, first: ids[0] }),
  });
  const imports = createImportsService({
    store: createImportsStore(database.db),
    marks: createMarksStore(database.client),
    insert: insertImported,
    retentionCutoff: events.retentionCutoff,
    isBusy: isWaiting,
    onImported: endpoint => {
      search.wake();
      notifications.imported(endpoint);
    },
    random,
  });
  const replaysStore = createReplaysStore(database.db);
  const prepare = createPrepareRequest({
    signersOf: secrets.signersOf,
    verifyWith: ({ row, token, ...content }, secret) =>
      verdicts.verifyWith({ seq: row.endpoint, token }, { ...row, ...content }, secret),
    allow: config.replayAllow,
    clock,
  });
  const sending = {
    store: replaysStore,
    prepare,
    send: outbound.send,
    clock,
    onAttempt: metrics.replay,
  };
  const forwardAttempt = createForwardAttempt({ ...sending, withStored: events.withStored });
  const replays = createReplaysService({
    ...sending,
    withStored: events.withStored,
    endpoint: endpoints.owned,
    sendToListener: listeners.send,
    timeoutMs: config.replayTimeoutMs,
  });
  const signatures = createSignaturesService({
    readStored: events.readStored,
    verdictOf: async ({ row, token, headers, body }) =>
      (await verdicts.verify({ seq: row.endpoint, token }, [{ ...row, headers, body }]))[0] ?? null,
    urlsOf: ({ row, token }, delivery) => verdicts.signedUrls({ seq: row.endpoint, token }, row, delivery),
  });
  return { deliveries, exports, imports, replays, forwardAttempt, signatures, sentAnswers: answers };
}
