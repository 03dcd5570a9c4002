/*
 * A filter for events: in searches of the list (`find`), or for events that are known by their row numbers, such as the events
 * that a live stream is about to send, a feed has read, or an export is about to write. Columns are checked first; contents are
 * read, and signatures verified, only if nothing else decides.
 */
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { decidingTerm, evaluate, readInSteps } from '../../core/filter/evaluate.ts';
import { type Filter, termsOf, textOf } from '../../shared/filter/filter.ts';
import { type BudgetLimits, createBudget } from './budget.ts';
import { allFacts, filterCondition, type ReadVerdict } from './condition.ts';
import { planOf } from './plan.ts';
import type { SearchStore } from './store.ts';
import { createVerifier } from './verify.ts';

export type EventFilter = {
  /** The filter as it was written. */
  text: string;
  /** Whether it matches every event. */
  isEmpty: boolean;
  filter: Filter;
  /** The time from which relative times count. */
  now: number;
  readVerdict: ReadVerdict;
  /**
   * The subset of these row numbers that are events of the endpoint and match. Call it with at most some hundred: one call
   * decides about all of them, in time slices. Times such as `received>2h` count from `time`, by default this moment.
   * @param undecided whether a damaged event is selected when its columns leave open whether it matches
   */
  select: (seqs: readonly number[], options?: { time?: number; undecided?: boolean }) => Promise<Set<number>>;
  /**
   * For each existing event among these, whether it matches, and the text of the term that decided. The last events are missing
   * if the budget of a search is spent.
   */
  explain: (seqs: readonly number[]) => Promise<Map<number, { matches: boolean; clause: string }>>;
};

/** How many events `explain` reads at once: as many as take about this long. */
const explained = { targetMs: 20, initial: 1, min: 1, max: 32 };

export function createEventFilter(options: {
  store: SearchStore;
  /** The row number of the endpoint. */
  endpoint: number;
  filter: Filter;
  now: () => number;
  monotonic: () => number;
  readVerdict: ReadVerdict;
  budget: BudgetLimits;
  /** Runs a read of contents when its turn has come. */
  runRead: <T>(work: (read: ContentRead) => Promise<T>) => Promise<T>;
}): EventFilter {
  const { store, endpoint, filter, now, monotonic, readVerdict, budget: limits, runRead } = options;
  const isEmpty = filter.root === undefined;
  return {
    text: filter.text,
    isEmpty,
    filter,
    now: now(),
    readVerdict,
    async select(seqs, { time = now(), undecided = false } = {}) {
      if (isEmpty || seqs.length === 0) return new Set(seqs);
      const condition = filterCondition(filter, { q: '', now: time, indexed: false, readVerdict, undecided });
      const rest = { endpoint, since: Number.MIN_SAFE_INTEGER, after: undefined };
      return runRead(async read => {
        const verifier = createVerifier({ store, rest, condition, newestBlock: 0, monotonic, read });
        return new Set((await verifier.inEvents(seqs)).map(({ seq }) => seq));
      });
    },

    explain: seqs =>
      runRead(async read => {
        const time = now();
        const yieldIfDue = createTimeSlices({ monotonic, signal: read.signal });
        const results = new Map<number, { matches: boolean; clause: string }>();
        const plan = planOf(filter, time).columns;
        const asksForVerdict = termsOf(filter.root).some(term => term.on === 'column' && term.column === 'verdict');
        const verdictOf: ReadVerdict = asksForVerdict ? readVerdict : async () => 'none';
        const batchSize = createBatchSize(explained);
        const budget = createBudget(limits, monotonic);
        // It tests at least one event, even if the budget is spent at once.
        for (let at = 0; at < seqs.length && (at === 0 || !budget.isSpent()); ) {
          const startedAt = monotonic();
          const some = seqs.slice(at, at + batchSize.units());
          const attempts = await store.attemptsOf(endpoint, some);
          await store.bodies({ endpoint, seqs: some, plan, read }, async (row, content) => {
            const facts = await allFacts({ ...row, attempt: attempts.get(row.seq) ?? 1 }, content, verdictOf);
            for (const _ of readInSteps(filter, facts.content)) await yieldIfDue();
            const term = decidingTerm(filter, facts, time);
            results.set(row.seq, {
              matches: evaluate(filter, facts, time) ?? false,
              clause: term ? textOf(filter, term) : '',
            });
            await yieldIfDue();
          });
          at += some.length;
          batchSize.record(some.length, monotonic() - startedAt);
        }
        return results;
      }),
  };
}
