/* `hooktape expect`: waits until the events after a mark are certain to be as expected or not, and explains why not. */
import {
  countedThings,
  countOf,
  describe,
  type Expectation,
  type Outcome,
  readExpectation,
} from '../expect/expectation.ts';
import type { Arrivals, Explanation } from '../expect/explain.ts';
import type { Failure } from '../expect/report.ts';
import { type Watched, watch } from '../expect/watch.ts';
import { type Arguments, exitCodes, type Io, type Run, UnreachableError, UsageError } from '../io.ts';
import { type Api, connect } from './api.ts';
import { rowOf } from './events.ts';
import { findEndpointId } from './find.ts';
import { printJson, printTable, safeLine, safeText } from './output.ts';

const exitCodeOf: Record<Outcome, number> = { met: exitCodes.done, 'not met': exitCodes.failed, 'too many': 3 };

export const runExpect: Run = async (given, io) => {
  const expectation = readExpectation(given);
  const startedAt = io.clock.monotonic();
  const report = await openReport(io, given, expectation);
  try {
    const api = connect(io, given);
    const endpointId = await findEndpointId(api, given.argument(0));
    const after = given.option('after') ?? '';
    announce(io, given, expectation);
    const watched = await watch({ io, api, endpointId, after, expectation });
    const result = await conclude(io, given, { api, endpointId, expectation, watched });
    await report(io.clock.monotonic() - startedAt, result.failure && { outcome: watched.outcome, ...result.failure });
    return exitCodeOf[watched.outcome];
  } catch (error) {
    // Only the first error is reported.
    await report(io.clock.monotonic() - startedAt, error as Error).catch(() => {});
    throw error;
  }
};

function announce(io: Io, given: Arguments, expectation: Expectation): void {
  if (!io.isTerminal || given.json) return;
  io.stderr(safeText(`Waiting up to ${withinText(given)} for ${describe(expectation)}.\n`));
}

const withinText = (given: Arguments): string => given.option('within') ?? '30s';

type Found = { api: Api; endpointId: string; expectation: Expectation; watched: Watched };

/** Explains a failure, saves the events, prints. */
async function conclude(io: Io, given: Arguments, found: Found): Promise<{ failure: Failure | undefined }> {
  const { api, endpointId, expectation, watched } = found;
  const { outcome, events } = watched;
  const explained = outcome === 'met' ? undefined : await explain(io, given, found);
  const file = given.option('save');
  if (file !== undefined) {
    const { saveEvents } = await import('../expect/save.ts');
    // The events that did arrive explain what is missing.
    const saved = outcome === 'not met' && explained ? explained.arrivals.events : events;
    const saving = saveEvents(io, api, { endpointId, file, events: saved });
    if (outcome === 'met') await saving;
    else await saving.catch(error => io.stderr(`Not saved: ${safeLine((error as Error).message)}\n`));
  }
  const failure = explained?.failure;
  if (given.json) {
    const unmatched = (explained?.nearest ?? []).map(({ event, clause }) => ({ event, clause }));
    const { cursor, isTruncated: truncated } = watched;
    printJson(io, {
      met: outcome === 'met',
      count: countOf(expectation, events),
      events,
      unmatched,
      cursor,
      truncated,
    });
  } else if (!failure) printTable(io, events.map(rowOf));
  if (failure) sayFailure(io, given, failure, exitCodeOf[outcome]);
  else if (io.isTerminal && !given.json)
    io.stderr(`Met: ${countedThings(countOf(expectation, events), expectation.per)}.\n`);
  return { failure };
}

async function explain(io: Io, given: Arguments, { api, endpointId, expectation, watched }: Found) {
  const { explainFilter, readArrivals } = await import('../expect/explain.ts');
  const { explainFailure } = await import('../expect/report.ts');
  const isMissing = watched.outcome === 'not met';
  const known: Arrivals = { events: watched.events, hasMore: false };
  // The outcome is final, even if the server can no longer be asked.
  const arrivals = isMissing ? await readArrivals({ api, endpointId }, watched.origin).catch(() => known) : known;
  const { where } = expectation;
  const unexplained: Explanation = { nearest: [], hint: null };
  const explanation = isMissing
    ? await explainFilter({ api, endpointId }, { arrivals: arrivals.events, where, now: io.clock.now() }).catch(
        () => unexplained,
      )
    : unexplained;
  const failure = explainFailure(expectation, watched, { arrivals, ...explanation, withinText: withinText(given) });
  return { failure, arrivals, nearest: explanation.nearest };
}

function sayFailure(io: Io, { json }: Arguments, { sentence, details }: Failure, exitCode: number): void {
  if (json) io.stderr(`${safeLine(JSON.stringify({ error: sentence, details, exitCode }))}\n`);
  else io.stderr(safeText(`hooktape: ${[sentence, ...details].join('\n')}\n`));
}

type Problem = Error | (Failure & { outcome: Outcome });

/** @returns a function that writes the JUnit file, if requested @throws UsageError if the files cannot be created */
async function openReport(io: Io, given: Arguments, expectation: Expectation) {
  const [save, junit] = [given.option('save'), given.option('junit')];
  if (save === undefined && junit === undefined) return async (): Promise<void> => {};
  const { checkFile, readable, writeFile } = await import('../expect/files.ts');
  checkFile('--save', save);
  checkFile('--junit', junit);
  return async (durationMs: number, problem: Problem | undefined): Promise<void> => {
    if (junit === undefined) return;
    const { toJunit } = await import('../expect/junit.ts');
    const name = `${given.argument(0)}: ${describe(expectation)}`;
    const xml = toJunit({ name, durationMs, ...(problem && { problem: toProblem(problem) }) });
    await writeFile(io, { file: junit, mode: readable }, [Buffer.from(xml)]);
  };
}

function toProblem(problem: Problem) {
  if (!(problem instanceof Error)) {
    const { outcome, sentence, details } = problem;
    return {
      kind: 'failure',
      type: outcome.replace(' ', '-'),
      message: sentence,
      text: [sentence, ...details].join('\n'),
    } as const;
  }
  const type = problem instanceof UnreachableError ? 'unreachable' : problem instanceof UsageError ? 'usage' : 'failed';
  return { kind: 'error', type, message: problem.message, text: problem.message } as const;
}
