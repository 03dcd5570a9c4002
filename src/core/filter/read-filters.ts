/* Reads one event's content for many filters, with a time limit. */
import type { Filter } from '../../shared/filter/filter.ts';
import type { YieldIfDue } from '../concurrency/time-slices.ts';
import { evaluateInSteps } from './evaluate.ts';
import type { EventContent } from './event-content.ts';
import type { EventFacts } from './event-facts.ts';

/** Evaluating the filters takes no time afterwards. @param limitMs without the pauses @returns `leftOut`: not read to the end */
export async function readFilters(
  filters: readonly Filter[],
  facts: Partial<EventFacts> & { content: EventContent },
  now: number,
  { monotonic, yieldIfDue, limitMs }: { monotonic: () => number; yieldIfDue: YieldIfDue; limitMs: number },
): Promise<{ leftOut: Set<Filter>; spentMs: number }> {
  const leftOut = new Set<Filter>();
  let spentMs = 0;
  for (const filter of filters) {
    const steps = evaluateInSteps(filter, facts, now);
    for (let isDone = false; !isDone; await yieldIfDue()) {
      if (spentMs >= limitMs) {
        leftOut.add(filter);
        break;
      }
      const startedAt = monotonic();
      isDone = steps.next().done === true;
      spentMs += monotonic() - startedAt;
    }
  }
  return { leftOut, spentMs };
}
