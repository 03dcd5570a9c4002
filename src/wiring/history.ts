/* The overview, deliveries with their attempts, counts over time and by value, exports, and the signatures of stored events. */
import { createMatcher, type Matcher } from '../core/blocks/search-text.ts';
import type { YieldIfDue } from '../core/concurrency/time-slices.ts';
import { latin1 } from '../core/encoding/buffer.ts';
import { parseWhere } from '../core/where.ts';
import { changeActions } from '../features/audit/sentences.ts';
import { createChangesService } from '../features/changes/service.ts';
import { createChangesStore } from '../features/changes/store.ts';
import { createDeliveriesService } from '../features/deliveries/service.ts';
import type { ExportedEvent } from '../features/exports/file-format.ts';
import { createExportsService } from '../features/exports/service.ts';
import { createExportsStore } from '../features/exports/store.ts';
import { createOverviewService } from '../features/overview/service.ts';
import { createOverviewStore } from '../features/overview/store.ts';
import { createTallies } from '../features/search/tallies.ts';
import { createTalliesStore } from '../features/search/tallies-store.ts';
import type { SavedSecrets } from '../features/signatures/saved-secrets.ts';
import { createSignaturesService } from '../features/signatures/service.ts';
import { createTimelineService } from '../features/timeline/service.ts';
import { createAnswers } from './answers.ts';
import type { CoreServices } from './core.ts';

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
  ({ secrets, registry }: CoreServices) =>
  async (teamId: string, endpoint: number): Promise<SavedSecrets> => {
    const all = [...(await secrets.allSecrets())].flatMap(([seq, some]) => {
      const known = registry.endpointOf(seq);
      return known?.teamId === teamId ? some.map(one => ({ ...one, seq, endpointId: known.id })) : [];
    });
    return { own: all.filter(({ seq }) => seq === endpoint), others: all.filter(({ seq }) => seq !== endpoint) };
  };

export function wireHistory(core: CoreServices) {
  const { endpoints, verdicts, events, search, createSlices, contentReads, reserveMemory } = core;
  const { log, clock, database, direct, version } = core;
  const answers = createAnswers(core);
  const changes = createChangesService({
    store: createChangesStore(database.db),
    endpoint: endpoints.owned,
    catchUp: core.schemaLearner.catchUp,
    actions: changeActions,
    tell: (teamId, entries) => core.audit.tell(teamId, entries, true),
  });
  const overview = createOverviewService({
    store: createOverviewStore(database.db, database.scanDb),
    clock,
    retentionMs: core.retentionMs,
    findVersion: core.findVersion,
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
    savedSecrets: createSavedSecrets(core),
    createSlices,
  });
  const timeline = createTimelineService({
    // Each request looks for its endpoint first, and that read has waited for the deliveries acknowledged before.
    tallies: createTallies({ store: createTalliesStore(direct.scanClient), now: clock.now }),
    search,
    clock,
    endpoint: endpoints.owned,
    retentionCutoff: events.retentionCutoff,
    pathsOf: events.pathsOf,
    budgetMs: core.searchLimits.budget?.ms,
  });
  return { overview, changes, deliveries, exports, signatures, timeline };
}
