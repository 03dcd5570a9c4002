/* Search: finds events, and maintains their signatures. */
import type { BudgetLimits } from './budget.ts';
import { checkTerm, createFinder } from './finder.ts';
import { createIndexCheck } from './index-check.ts';
import { createIndexMaintenance, type IndexMaintenanceOptions } from './maintenance.ts';
import type { SearchStore } from './store.ts';

const defaultBudget: BudgetLimits = { ms: 250, blocks: 2048 };

export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService(
  options: IndexMaintenanceOptions & {
    store: SearchStore;
    /** false: every search reads all events instead of using signatures. */
    indexed: boolean;
    budget?: BudgetLimits | undefined;
  },
) {
  const { store, runs, signing, monotonic, indexed, budget = defaultBudget } = options;
  return {
    checkTerm,
    ...createFinder({ store, monotonic, indexed, budget }),
    ...createIndexCheck({ signing, runs, search: store }),
    ...createIndexMaintenance(options),

    /** An upper bound of the events without a signature: rows of 1.0 that are not packed. */
    lag: signing.rowsToPack,
  };
}
