/* Search: finds events, and maintains their signatures. */
import type { IngestAddress } from '../../ingest/capture.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { BudgetLimits } from './budget.ts';
import type { EventToVerify } from './condition.ts';
import { createEventFilter, type EventFilter } from './event-filter.ts';
import { checkTerm, createFinder, type Search } from './finder.ts';
import { createIndexCheck } from './index-check.ts';
import { createIndexMaintenance, type IndexMaintenanceOptions } from './maintenance.ts';
import type { SearchStore } from './store.ts';

const defaultBudget: BudgetLimits = { ms: 250, blocks: 2048 };

/** The verdicts on the signatures of events, computed as the event list does; null: an event without a signature. */
export type Verify = (
  endpoint: IngestAddress,
  events: readonly EventToVerify[],
) => Promise<({ verdict: 'valid' | 'invalid' | 'unchecked' } | null)[]>;

/** A filter, and the address of the endpoint, which signatures may cover. */
export type Where = { filter: Filter; endpoint: IngestAddress };

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(
  options: IndexMaintenanceOptions & {
    store: SearchStore;
    /** false: every search reads all events instead of using signatures. */
    indexed: boolean;
    /** Epoch ms. */
    now: () => number;
    verify: Verify;
    budget?: BudgetLimits | undefined;
  },
) {
  const { store, runs, signing, monotonic, indexed, now, verify, budget = defaultBudget } = options;
  const finder = createFinder({ store, monotonic, indexed, budget });

  const eventFilter = (filter: Filter, endpoint: IngestAddress): EventFilter =>
    createEventFilter({
      store,
      endpoint: endpoint.seq,
      filter,
      now,
      monotonic,
      readVerdict: async event => (await verify(endpoint, [event]))[0]?.verdict ?? 'none',
    });

  return {
    checkTerm,

    /**
     * The next events of an endpoint's list that match the filter and contain `q`, newest first, at most `limit`. A call works within a
     * budget: `next` is the position up to which it has searched, undefined when it is complete.
     * @throws invalid when `q` is too long
     */
    find: ({ where, ...search }: Omit<Search, 'filter'> & { where?: Where | undefined }) =>
      finder.find({ ...search, filter: where && eventFilter(where.filter, where.endpoint) }),
    ...createIndexCheck({ signing, runs, search: store }),
    ...createIndexMaintenance(options),

    /**
     * Decides for events that are known by their row numbers, as streams, feeds and exports do (event-filter.ts).
     * @param filter of `parseWhere` (core/where.ts)
     */
    createEventFilter: eventFilter,

    /** For each of these events: whether it matches, and the text of the term that decided. */
    explain: (filter: Filter, endpoint: IngestAddress, seqs: readonly number[]) =>
      eventFilter(filter, endpoint).explain(seqs),

    /** An upper bound of the events without a signature: rows of 1.0 that are not packed. */
    lag: signing.rowsToPack,
  };
}
