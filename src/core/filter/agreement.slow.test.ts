/*
 * Filters match what their meaning in plain JavaScript matches: random filters, each on some of GitHub's examples, as JSON and as
 * forms. scripts/filter-proof.ts tries all of them on all, and holds them against jq.
 */
import { describe, expect, test } from 'bun:test';
import { parseFilter } from '../../shared/filter/parser.ts';
import { asForm, factsOf, githubEvents, receivedAround } from '../../testing/filters/events.ts';
import { createFilterGenerator } from '../../testing/filters/generator.ts';
import { cases } from '../../testing/proofs.ts';
import { evaluate } from './evaluate.ts';
import type { EventFacts } from './event-facts.ts';

const json = githubEvents();
const events = [...json, ...json.slice(0, 60).map(asForm)];
const facts = events.map(factsOf);
const columns: (keyof EventFacts)[] = ['type', 'platform', 'method', 'path', 'receivedAt', 'size', 'tags', 'isPinned'];

describe('random filters', () => {
  test('match what a naive reading of them matches', () => {
    const generator = createFilterGenerator(19, events);
    let matching = 0;
    for (let i = 0; i < cases(5000); i++) {
      const { text, matches } = generator.any();
      const filter = parseFilter(text);
      for (let n = i % 17; n < events.length; n += 17 + (i % 5)) {
        const [event, fact] = [events[n], facts[n]];
        if (!event || !fact) throw new Error('no event');
        const expected = matches(event, receivedAround);
        if (expected) matching++;
        if (evaluate(filter, fact, receivedAround) !== expected) expect({ text, n, expected }).toEqual({} as never);
      }
    }
    expect(matching).toBeGreaterThan(cases(10_000));
  });

  test('are decided from some of the facts only as all facts decide them', () => {
    const generator = createFilterGenerator(20, events);
    const counts = { known: 0, unknown: 0 };
    for (let i = 0; i < cases(5000); i++) {
      const filter = parseFilter(generator.any().text);
      const all = facts[i % facts.length] as EventFacts;
      const some = Object.fromEntries(columns.filter((_, n) => (i >> n) % 2 === 0).map(name => [name, all[name]]));
      const result = evaluate(filter, some, receivedAround);
      counts[result === undefined ? 'unknown' : 'known']++;
      if (result !== undefined) expect(evaluate(filter, all, receivedAround)).toBe(result);
    }
    expect(Math.min(counts.known, counts.unknown)).toBeGreaterThan(cases(500));
  });
});
