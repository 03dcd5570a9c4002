/* Several filters on the same events: each event is read once, regardless of the number of filters. */
import type { ContentRead } from '../../core/concurrency/content-reads.ts';
import { advance, createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { evaluate, evaluateInSteps, isLongReading } from '../../core/filter/evaluate.ts';
import type { Filter, Verdict } from '../../shared/filter/filter.ts';
import { columnFacts, knownFacts, type ReadVerdict } from './condition.ts';
import { planOf } from './plan.ts';
import type { SearchStore } from './store.ts';

/**
 * For each filter, which of the endpoint's events with these row numbers match it: the same as `select` of each filter finds.
 * Works in time slices.
 */
export async function selectForEach(
  filters: readonly Filter[],
  options: {
    store: SearchStore;
    /** The row number of the endpoint. */
    endpoint: number;
    seqs: readonly number[];
    /** Epoch ms, for times such as `received>2h`. */
    now: number;
    monotonic: () => number;
    readVerdict: ReadVerdict;
    read: ContentRead;
  },
): Promise<Map<Filter, Set<number>>> {
  const { store, endpoint, seqs, now, monotonic, readVerdict, read } = options;
  const yieldIfDue = createTimeSlices({ monotonic, signal: read.signal });
  const matching = new Map(filters.map(filter => [filter, new Set<number>()]));
  // A filter that needs what any of them needs.
  const any: Filter = { text: '', root: { kind: 'or', nodes: filters.flatMap(({ root }) => root ?? []) }, parts: [] };
  const plan = planOf(any, now).columns;
  const attempts = plan?.needs.has('attempt') ? await store.attemptsOf(endpoint, seqs) : undefined;
  await store.bodies({ endpoint, seqs, plan, read }, async (given, content) => {
    const row = { ...given, attempt: attempts?.get(given.seq) ?? given.attempt };
    const known = content && knownFacts(row, content);
    const facts = known?.facts ?? columnFacts(row);
    let verdict: Verdict | undefined;
    for (const [filter, found] of matching) {
      let decided = isLongReading([filter], content?.body.length ?? 0)
        ? await advance(evaluateInSteps(filter, facts, now), yieldIfDue)
        : evaluate(filter, facts, now);
      // A damaged event has no content and no verdict, and does not match.
      if (decided === undefined && known) {
        verdict ??= await readVerdict(known.toVerify());
        decided = evaluate(filter, { ...facts, verdict }, now);
      }
      if (decided) found.add(row.seq);
    }
    await yieldIfDue();
  });
  return matching;
}
