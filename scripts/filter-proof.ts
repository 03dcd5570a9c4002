/*
 * `bun run filter-proof [--filters N]`: compares 5,000 random filters on all of GitHub's examples with a naive evaluation, 5,000 filters
 * about the body with jq, which must be installed, and 5,000 filters with a naive evaluation of events that are hard to read by their
 * bytes, after they were excluded by their bytes as in a search. Needs two minutes of CPU time. Ends with the line
 * `N passed, N failed`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { evaluate } from '../src/core/filter/evaluate.ts';
import type { EventFacts } from '../src/core/filter/event-facts.ts';
import { parseFilter } from '../src/shared/filter/parser.ts';
import { asForm, factsOf, githubEvents, receivedAround } from '../src/testing/filters/events.ts';
import { createFilterGenerator } from '../src/testing/filters/generator.ts';
import type { PlainEvent } from '../src/testing/filters/meaning.ts';
import { keptIn, oddBlockOf, oddFactsOf } from '../src/testing/filters/odd-blocks.ts';
import { createOddEvents } from '../src/testing/filters/odd-events.ts';

const { values } = parseArgs({ options: { filters: { type: 'string', default: '5000' } } });
const filters = Number(values.filters);
if (!Number.isInteger(filters) || filters < 50) throw new Error('--filters takes an integer of at least 50');
/** The number of programs for one run of jq, which compiles many programs slowly. */
const programsPerRun = 250;
const runsAtOnce = 2;

const json = githubEvents();
let failed = 0;
let comparisons = 0;
let matching = 0;

function expectSame(
  text: string,
  event: Pick<PlainEvent, 'body'>,
  found: boolean | undefined,
  expected: boolean | undefined,
): void {
  comparisons++;
  if (expected) matching++;
  if (found === expected) return;
  failed++;
  if (failed <= 10) console.error(`${text}\n  gives ${found}, not ${expected}, on ${event.body.slice(0, 200)}`);
}

function holdAgainstNaiveReading(): void {
  const events = [...json, ...json.slice(0, 60).map(asForm)];
  const facts = events.map(factsOf);
  const generator = createFilterGenerator(41, events);
  for (let i = 0; i < filters; i++) {
    const { text, matches } = generator.any();
    const filter = parseFilter(text);
    for (const [n, event] of events.entries())
      expectSame(text, event, evaluate(filter, facts[n] as EventFacts, receivedAround), matches(event, receivedAround));
  }
}

/** New events for each group of filters. */
const oddRounds = 50;
const oddEventsAtOnce = 80;

function holdOddEvents(): void {
  const { event, filter } = createOddEvents(43);
  for (let round = 0; round < oddRounds; round++) {
    const events = Array.from({ length: oddEventsAtOnce }, event);
    const block = oddBlockOf(events);
    const facts = events.map(oddFactsOf);
    for (let i = 0; i < Math.ceil(filters / oddRounds); i++) {
      const { text, matches } = filter();
      const parsed = parseFilter(text);
      const kept = keptIn(block, parsed);
      for (const [n, one] of events.entries()) {
        const found = evaluate(parsed, facts[n] as Partial<EventFacts>, receivedAround);
        const shown = { body: one.body.toString() };
        expectSame(text, shown, found, matches(one) ?? found);
        if (found) expectSame(`${text} (excluded)`, shown, kept.has(n), true);
      }
    }
  }
}

/** For each example, the results of all programs. */
async function runJq(folder: string, examples: string, programs: readonly string[], run: number): Promise<boolean[][]> {
  const program = join(folder, `${run}.jq`);
  writeFileSync(program, `[${programs.map(one => `(${one})`).join(',\n')}]`);
  const jq = Bun.spawn(['jq', '-c', '-f', program, examples], { stdout: 'pipe', stderr: 'inherit' });
  const output = await new Response(jq.stdout).text();
  if ((await jq.exited) !== 0) throw new Error('jq failed');
  return output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as boolean[]);
}

async function holdAgainstJq(): Promise<void> {
  const generator = createFilterGenerator(42, json);
  const generated = Array.from({ length: filters }, () => generator.body());
  const facts = json.map(factsOf);
  const folder = mkdtempSync(join(tmpdir(), 'hooktape-filters-'));
  try {
    const examples = join(folder, 'examples.json');
    writeFileSync(examples, json.map(({ body }) => body).join('\n'));
    const runs = Array.from({ length: Math.ceil(filters / programsPerRun) }, (_, run) => run);
    const work = async (): Promise<void> => {
      for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
        const some = generated.slice(run * programsPerRun, (run + 1) * programsPerRun);
        const results = await runJq(
          folder,
          examples,
          some.map(({ jq }) => jq ?? 'error'),
          run,
        );
        if (results.length !== json.length) throw new Error(`jq read ${results.length} of ${json.length} examples`);
        for (const [i, { text }] of some.entries()) {
          const filter = parseFilter(text);
          for (const [n, event] of json.entries())
            expectSame(text, event, evaluate(filter, facts[n] as EventFacts, receivedAround), results[n]?.[i]);
        }
      }
    };
    await Promise.all(Array.from({ length: runsAtOnce }, work));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let passed = 0;
for (const [name, hold] of [
  ['a naive reading', holdAgainstNaiveReading],
  ['jq', holdAgainstJq],
  ['odd events', holdOddEvents],
] as const) {
  const before = { failed, comparisons, matching };
  await hold();
  const isSame = failed === before.failed;
  if (isSame) passed++;
  console.log(
    `${filters} filters against ${name}: ${comparisons - before.comparisons} comparisons, ` +
      `${matching - before.matching} of them matches, ${failed - before.failed} differ`,
  );
}
console.log(`${passed} passed, ${3 - passed} failed`);
process.exit(passed === 3 ? 0 : 1);
