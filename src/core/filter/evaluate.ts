/*
 * Decides whether an event matches a filter. The logic has three values: undefined means that the given facts do not decide, so
 * that callers read an event's content, and verify its signature, only if they must. A term about a field that the event lacks is
 * false. Cheap terms are tried first. A filter is prepared once, at its first use.
 */

import { type Filter, type Node, type Term, termsOf } from '../../shared/filter/filter.ts';
import type { EventContent } from './event-content.ts';
import type { EventFacts } from './event-facts.ts';
import { stepBytes } from './steps.ts';
import { costOf, createTermTests, type TermTests, type Test } from './term-tests.ts';

/** @param now epoch ms, for times such as `received>2h` */
export function evaluate(filter: Filter, facts: Partial<EventFacts>, now: number): boolean | undefined {
  return prepare(filter).test(facts, now);
}

/** Like `evaluate`, in steps of about a millisecond. It does not read the body if the other facts decide. */
export function* evaluateInSteps(
  filter: Filter,
  facts: Partial<EventFacts>,
  now: number,
): Generator<undefined, boolean | undefined> {
  const { content, ...others } = facts;
  const decided = evaluate(filter, others, now);
  if (decided !== undefined || content === undefined) return decided;
  yield* readInSteps(filter, content);
  return evaluate(filter, facts, now);
}

/** Reads a large body for a filter and remembers the results, also for `decidingTerm`. */
export function* readInSteps(filter: Filter, content: EventContent): Generator<undefined, void> {
  if (isLongReading([filter], content.body.length)) yield* prepare(filter).prepare(content);
}

/** Whether reading a body of this size for these filters takes more than about one step. */
export function isLongReading(filters: readonly Filter[], bodyBytes: number): boolean {
  let readings = 0;
  for (const filter of filters) readings += prepare(filter).readings;
  // Terms about lists take longer than reading.
  return readings * bodyBytes > (readings > 1 ? stepBytes / 4 : stepBytes);
}

/** The term that decided whether the event matches; of several, the first in the text. Undefined for an empty filter. */
export function decidingTerm(filter: Filter, facts: EventFacts, now: number): Term | undefined {
  const { tests } = prepare(filter);
  const deciding = (node: Node): { term: Term; result: boolean } => {
    if (node.kind === 'term') return { term: node, result: tests.get(node)?.(facts, now) ?? false };
    if (node.kind === 'not') {
      const { term, result } = deciding(node.node);
      return { term, result: !result };
    }
    const all = node.nodes.map(deciding);
    const decides = node.kind === 'or';
    return all.find(({ result }) => result === decides) ?? (all.at(-1) as (typeof all)[number]);
  };
  return filter.root && deciding(filter.root).term;
}

const known = new WeakMap<Filter, TermTests & { test: Test }>();

function prepare(filter: Filter) {
  const before = known.get(filter);
  if (before) return before;
  const terms = createTermTests(termsOf(filter.root));
  const prepared = { ...terms, test: filter.root ? combine(filter.root, terms.tests) : () => true };
  known.set(filter, prepared);
  return prepared;
}

function combine(node: Node, tests: ReadonlyMap<Term, Test>): Test {
  if (node.kind === 'term') return tests.get(node) as Test;
  if (node.kind === 'not') {
    const inner = combine(node.node, tests);
    return (facts, now) => {
      const result = inner(facts, now);
      return result === undefined ? undefined : !result;
    };
  }
  const decides = node.kind === 'or';
  const parts = node.nodes.toSorted((a, b) => cost(a) - cost(b)).map(part => combine(part, tests));
  return (facts, now) => {
    let result: boolean | undefined = !decides;
    for (const part of parts) {
      const one = part(facts, now);
      if (one === decides) return decides;
      if (one === undefined) result = undefined;
    }
    return result;
  };
}

const cost = (node: Node): number => Math.max(...termsOf(node).map(costOf));
