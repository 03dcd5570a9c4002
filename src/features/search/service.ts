/* Search: finds events, and maintains their signatures. */
import type { ContentReads, Reader } from '../../core/concurrency/content-reads.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { BudgetLimits } from './budget.ts';
import type { EventToVerify, ReadVerdict } from './condition.ts';
import { createEventFilter, type EventFilter } from './event-filter.ts';
import { checkTerm, createFinder, type Search } from './finder.ts';
import { createIndexCheck } from './index-check.ts';
import { createIndexMaintenance, type IndexMaintenanceOptions } from './maintenance.ts';
import { selectForEach } from './several-filters.ts';
import type { SearchStore } from './store.ts';

const defaultBudget: BudgetLimits = { ms: 250, blocks: 2048 };

/** The verdicts on the signatures of events, computed as in the event list; null for an event without a signature. */
export type Verify = (
  endpoint: IngestAddress,
  events: readonly EventToVerify[],
) => Promise<({ verdict: 'valid' | 'invalid' | 'unchecked' } | null)[]>;

/** A filter, and the address of the endpoint, which signatures may cover. */
export type Where = { filter: Filter; endpoint: IngestAddress };

/** `reader`: undefined for background work. */
type By = { where?: Where | undefined; reader: Reader | undefined };

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(
  options: IndexMaintenanceOptions & {
    store: SearchStore;
    /** false if every search reads all events instead of using signatures. */
    indexed: boolean;
    /** Epoch ms. */
    now: () => number;
    verify: Verify;
    contentReads: ContentReads;
    budget?: BudgetLimits | undefined;
  },
) {
  const { store, runs, signing, monotonic, indexed, now, verify, budget = defaultBudget, contentReads } = options;
  const finder = createFinder({ store, monotonic, indexed, budget });

  const readVerdictOf =
    (endpoint: IngestAddress): ReadVerdict =>
    async event =>
      (await verify(endpoint, [event]))[0]?.verdict ?? 'none';
  const eventFilter = (filter: Filter, endpoint: IngestAddress, reader?: Reader): EventFilter =>
    createEventFilter({
      store,
      endpoint: endpoint.seq,
      filter,
      now,
      monotonic,
      budget,
      runRead: work => contentReads.run(reader, work),
      readVerdict: readVerdictOf(endpoint),
    });

  return {
    checkTerm,

    /**
     * The next events of an endpoint's list that match the filter and contain `q`, newest first, at most `limit`. A call works within a
     * budget: `next` is the position up to which it has searched, undefined when it is complete.
     * @throws invalid when `q` is too long; as `ContentReads.run`
     */
    find: ({ where, reader, ...search }: Omit<Search, 'filter' | 'read'> & By) =>
      contentReads.run(reader, read =>
        finder.find({ ...search, read, filter: where && eventFilter(where.filter, where.endpoint) }),
      ),

    /** The events among these that contain `q` and match the filter, in no particular order. @throws as `ContentReads.run` */
    matching: (
      { where, reader, ...search }: Pick<Search, 'endpoint' | 'q'> & By,
      seqs: readonly number[],
    ): Promise<Position[]> =>
      contentReads.run(reader, read =>
        finder.matching({ ...search, read, filter: where && eventFilter(where.filter, where.endpoint) }, seqs),
      ),

    ...createIndexCheck({ signing, runs, search: store }),
    ...createIndexMaintenance(options),

    /**
     * Filters events by their row numbers, for streams, feeds and exports (event-filter.ts).
     * @param filter of `parseWhere` (core/where.ts)
     * @param reader undefined: background work
     */
    createEventFilter: eventFilter,

    /** For each filter, which of the endpoint's events with these row numbers match it; each event is read once. */
    selectForEach: (
      filters: readonly Filter[],
      endpoint: IngestAddress,
      seqs: readonly number[],
      reader: Reader,
    ): Promise<Map<Filter, Set<number>>> =>
      contentReads.run(reader, read =>
        selectForEach(filters, {
          store,
          endpoint: endpoint.seq,
          seqs,
          now: now(),
          monotonic,
          read,
          readVerdict: readVerdictOf(endpoint),
        }),
      ),

    /** Like `explain` of an event filter. */
    explain: (filter: Filter, endpoint: IngestAddress, seqs: readonly number[], reader: Reader) =>
      eventFilter(filter, endpoint, reader).explain(seqs),

    /** An upper bound of the events without a signature: rows of 1.0 that are not packed. */
    lag: signing.rowsToPack,
  };
}
