/* The overview, deliveries with their attempts, exports, and the signatures of stored events. */

import type { FindVersion } from '../core/answer-version.ts';
import { createMatcher, type Matcher } from '../core/blocks/search-text.ts';
import type { ContentReads } from '../core/concurrency/content-reads.ts';
import type { MemoryReservations } from '../core/concurrency/memory-reservations.ts';
import type { CreateSlices, YieldIfDue } from '../core/concurrency/time-slices.ts';
import { latin1 } from '../core/encoding/buffer.ts';
import { parseWhere } from '../core/where.ts';
import { changeActions } from '../features/audit/sentences.ts';
import type { AuditService } from '../features/audit/service.ts';
import { createChangesService } from '../features/changes/service.ts';
import { createChangesStore } from '../features/changes/store.ts';
import { createDeliveriesService } from '../features/deliveries/service.ts';
import type { EndpointRegistry } from '../features/endpoints/registry.ts';
import type { EndpointsService } from '../features/endpoints/service.ts';
import type { EventsService } from '../features/events/service.ts';
import type { ExportedEvent } from '../features/exports/file-format.ts';
import { createExportsService } from '../features/exports/service.ts';
import { createExportsStore } from '../features/exports/store.ts';
import { createOverviewService } from '../features/overview/service.ts';
import { createOverviewStore } from '../features/overview/store.ts';
import type { SchemaLearner } from '../features/schemas/learning.ts';
import type { SearchService } from '../features/search/service.ts';
import type { SecretsService } from '../features/secrets/service.ts';
import type { SecretVerdicts } from '../features/secrets/verdicts.ts';
import type { SavedSecrets } from '../features/signatures/saved-secrets.ts';
import { createSignaturesService } from '../features/signatures/service.ts';
import { createAnswers } from './answers.ts';
import type { Infrastructure } from './infrastructure.ts';

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

const createSavedSecrets =
  ({ secrets, registry }: Pick<HistoryDependencies, 'secrets' | 'registry'>) =>
  async (teamId: string, endpoint: number): Promise<SavedSecrets> => {
    const all = [...(await secrets.allSecrets())].flatMap(([seq, some]) => {
      const known = registry.endpointOf(seq);
      return known?.teamId === teamId ? some.map(one => ({ ...one, seq, endpointId: known.id })) : [];
    });
    return { own: all.filter(({ seq }) => seq === endpoint), others: all.filter(({ seq }) => seq !== endpoint) };
  };

type HistoryDependencies = {
  infrastructure: Infrastructure;
  audit: AuditService;
  endpoints: EndpointsService;
  registry: EndpointRegistry;
  secrets: SecretsService;
  verdicts: SecretVerdicts;
  events: EventsService;
  findVersion: FindVersion;
  search: SearchService;
  createSlices: CreateSlices;
  contentReads: ContentReads;
  reserveMemory: MemoryReservations['reserve'];
  schemaLearner: SchemaLearner;
};

export function wireHistory(dependencies: HistoryDependencies) {
  const { endpoints, verdicts, events, search, createSlices, contentReads, reserveMemory } = dependencies;
  const { log, clock, database, version } = dependencies.infrastructure;
  const answers = createAnswers(dependencies);
  const changes = createChangesService({
    store: createChangesStore(database.db),
    endpoint: endpoints.owned,
    catchUp: dependencies.schemaLearner.catchUp,
    actions: changeActions,
    tell: (teamId, entries) => dependencies.audit.tell(teamId, entries, true),
  });
  const overview = createOverviewService({
    store: createOverviewStore(database.db, database.scanDb),
    clock,
    retentionMs: dependencies.infrastructure.retentionMs,
    findVersion: dependencies.findVersion,
    serverVersion: version,
  });

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
  const signatures = createSignaturesService({
    readStored: events.readStored,
    verdictOf: async ({ row, token, headers, body }) =>
      (await verdicts.verify({ seq: row.endpoint, token }, [{ ...row, headers, body }]))[0] ?? null,
    urlsOf: ({ row, token }, delivery) => verdicts.signedUrls({ seq: row.endpoint, token }, row, delivery),
    savedSecrets: createSavedSecrets(dependencies),
    createSlices,
  });
  return { overview, changes, deliveries, exports, signatures };
}
