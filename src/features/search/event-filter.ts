/*
 * A filter for events: in searches of the list (`find`), or for events that are known by their row numbers, such as those that a live
 * stream is about to send, a feed has read, or an export is about to write. Columns are looked at first; contents are read, and
 * signatures verified, only when nothing else decides.
 */
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { decidingTerm, evaluate, readInSteps } from '../../core/filter/evaluate.ts';
import { type Filter, textOf } from '../../shared/filter/filter.ts';
import { allFacts, filterCondition, type ReadVerdict } from './condition.ts';
import { planOf } from './plan.ts';
import type { SearchStore } from './store.ts';
import { createVerifier } from './verify.ts';

export type EventFilter = {
  /** As written. */
  text: string;
  /** It matches every event. */
  isEmpty: boolean;
  filter: Filter;
  /** The time from which relative times count. */
  now: number;
  readVerdict: ReadVerdict;
  /**
   * The subset of these row numbers that are events of the endpoint and match. Call it with at most some hundred: all are decided in one
   * go, in time slices. Times such as `received>2h` count from `time`, by default this moment.
   * @param undecided whether a damaged event is selected when its columns leave open whether it matches
   */
  select: (seqs: readonly number[], options?: { time?: number; undecided?: boolean }) => Promise<Set<number>>;
  /** For each of these events that is there: whether it matches, and the text of the term that decided. */
  explain: (seqs: readonly number[]) => Promise<Map<number, { matches: boolean; clause: string }>>;
};

/** Events whose contents are read together. */
const explainedAtOnce = 32;

export function createEventFilter(options: {
  store: SearchStore;
  /** The row number of the endpoint. */
  endpoint: number;
  filter: Filter;
  now: () => number;
  monotonic: () => number;
  readVerdict: ReadVerdict;
}): EventFilter {
  const { store, endpoint, filter, now, monotonic, readVerdict } = options;
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
      const verifier = createVerifier({ store, rest, condition, newestBlock: 0, monotonic });
      return new Set((await verifier.inEvents(seqs)).map(({ seq }) => seq));
    },

    async explain(seqs) {
      const time = now();
      const yieldIfDue = createTimeSlices({ monotonic });
      const results = new Map<number, { matches: boolean; clause: string }>();
      const rest = { endpoint, since: Number.MIN_SAFE_INTEGER, after: undefined };
      for (let at = 0; at < seqs.length; at += explainedAtOnce) {
        const some = seqs.slice(at, at + explainedAtOnce);
        const attempts = await store.attemptsOf(endpoint, some);
        await store.bodies(
          rest,
          some,
          async (row, content) => {
            const facts = await allFacts({ ...row, attempt: attempts.get(row.seq) ?? 1 }, content, readVerdict);
            for (const _ of readInSteps(filter, facts.content)) await yieldIfDue();
            const term = decidingTerm(filter, facts, time);
            results.set(row.seq, {
              matches: evaluate(filter, facts, time) ?? false,
              clause: term ? textOf(filter, term) : '',
            });
            await yieldIfDue();
          },
          planOf(filter, time).columns,
        );
      }
      return results;
    },
  };
}
