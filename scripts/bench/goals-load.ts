/*
 * The state after several minutes of full-rate load: the number of events not indexed yet, the latency of searches, pages and
 * details right afterwards, and the start-up time after a kill under the same load. The baseline program is measured in the same
 * way. A search that times out counts with the time until then.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { orderPayloads } from '../lib/payloads.ts';
import { seed } from '../lib/seed.ts';
import type { GoalOptions, Part } from './goal-part.ts';
import { getMs, type Haystack, rareOrder, searchMs, type Term, terms } from './queries.ts';
import { metric, type Program, programs, type Recorder, type Side, startRecorder, storedEvents } from './recorder.ts';
import type { Row } from './report.ts';
import { median, percentile } from './statistics.ts';
import { fullLoad } from './wrk.ts';

type Figures = {
  events: number;
  perSecond: number;
  uncovered: number;
  /** p95, ms */
  page: number;
  detail: number;
  search: Record<Term, number>;
  startMs: number[];
};

/** The time limit for all searches of one program; each term is searched at least once. */
const allSearchesMs = 60_000;
/** The time limit of one search. */
const searchTimeoutMs = 240_000;
const killAfterSeconds = 2;

type Used = 'loadSeconds' | 'requests' | 'rounds' | 'baselineBinary';

export const loadRows: Part<Used> = async options => {
  const taken: Partial<Record<Side, Figures>> = {};
  for (const program of programs(options.baselineBinary)) taken[program.side] = await measure(program, options);
  const { ours, baseline } = taken;
  if (!ours) throw new Error('the program was not measured');
  const events = ours.events.toLocaleString('en-US');
  const row = (what: string, figure: (figures: Figures) => number, unit: string, atMost: number): Row => ({
    what,
    ours: figure(ours),
    ...(baseline && { baseline: figure(baseline) }),
    unit,
    goal: { atMost },
    isGoalAbsolute: true,
  });
  return {
    rows: [
      row(
        `events not indexed yet after ${options.loadSeconds} s at full rate (${events} events)`,
        ({ uncovered }) => uncovered,
        '',
        0,
      ),
      ...terms.map(term =>
        row(`  search for ${article(term)} ${term} term right after it, p95`, ({ search }) => search[term], 'ms', 50),
      ),
      row('  page of 25 right after it, p95', ({ page }) => page, 'ms', 15),
      row('  event detail right after it, p95', ({ detail }) => detail, 'ms', 15),
      row(
        `  start to ready after kill -9 under full load, median of ${options.rounds}`,
        ({ startMs }) => median(startMs),
        'ms',
        500,
      ),
    ],
    details: { load: taken },
  };
};

const article = (term: Term): string => (term === 'absent' ? 'an' : 'a');

async function measure(
  { binary, side }: Program,
  { loadSeconds, requests, rounds }: Pick<GoalOptions, Used>,
): Promise<Figures> {
  const recorder = await startRecorder(binary);
  try {
    const { api, address, endpoint } = recorder;
    const orders = orderPayloads(1000);
    const { rare, payload } = rareOrder();
    // The oldest event, so that a search for it passes all others.
    await seed(address, [payload], 1);
    const { perSecond } = await fullLoad(address, orders, loadSeconds);
    const uncovered = await uncoveredEvents(recorder);
    const print = (what: string) => console.log(`${side.padEnd(8)}  ${what}`);
    print(`${loadSeconds} s at ${perSecond.toFixed(0)}/s, ${uncovered} events are not indexed yet`);

    const list = `/api/events?endpointId=${endpoint.id}&limit=25`;
    const { events: newest } = (await (await api.get(list)).json()) as { events: { id: string }[] };
    const [pages, details]: number[][] = [[], []];
    for (let number = 0; number < requests; number++) {
      pages?.push(await getMs(api, list));
      details?.push(await getMs(api, `/api/events/${newest[number % newest.length]?.id}`));
    }
    const searches = Object.fromEntries(terms.map(term => [term, [] as number[]])) as Record<Term, number[]>;
    const until = performance.now() + allSearchesMs;
    for (let number = 0; number < requests && (number === 0 || performance.now() < until); number++)
      for (const term of terms)
        searches[term].push(await searchMsOrTimeout({ api, endpointId: endpoint.id, rare }, term));
    const search = Object.fromEntries(terms.map(term => [term, p95(searches[term])])) as Record<Term, number>;
    print(`searches, p95 ms: ${terms.map(term => `${term} ${search[term].toFixed(0)}`).join(', ')}`);

    const events = await storedEvents(recorder);
    const startMs: number[] = [];
    for (let round = 0; round < rounds; round++) startMs.push(await startAfterKill(recorder));
    print(`ready after kill -9, ms: ${startMs.map(ms => ms.toFixed(0)).join(', ')}`);
    return { events, perSecond, uncovered, page: p95(pages ?? []), detail: p95(details ?? []), search, startMs };
  } finally {
    await recorder.remove();
  }
}

async function searchMsOrTimeout(haystack: Haystack, term: Term): Promise<number> {
  const signal = AbortSignal.timeout(searchTimeoutMs);
  try {
    return await searchMs(haystack, term, signal);
  } catch (error) {
    if (signal.aborted) return searchTimeoutMs;
    throw error;
  }
}

const p95 = (times: readonly number[]): number =>
  percentile(
    times.toSorted((a, b) => a - b),
    95,
  );

/** Reads the program's metric. Without that metric, counts the events of blocks without a signature. */
async function uncoveredEvents(recorder: Recorder): Promise<number> {
  const lag = await metric(recorder, 'hooktape_index_lag_events');
  if (lag !== undefined) return lag;
  const database = new Database(join(recorder.installation.dataDir, 'hooktape.db'), { readonly: true });
  try {
    const query = database.query<{ events: number }, []>(
      'SELECT coalesce(sum(events), 0) AS events FROM blocks WHERE signature IS NULL',
    );
    return query.get()?.events ?? Number.NaN;
  } finally {
    database.close();
  }
}

/** Kills the server under load, and starts it again on the same data. @returns ms until it is ready */
async function startAfterKill(recorder: Recorder): Promise<number> {
  const loading = fullLoad(recorder.address, orderPayloads(1000), killAfterSeconds + 1).then(
    () => true,
    () => false,
  );
  await Bun.sleep(killAfterSeconds * 1000);
  await recorder.server.end('SIGKILL');
  if (await loading) throw new Error('the load ended before the server was killed');
  recorder.server = await recorder.installation.start(recorder.server.port);
  return recorder.server.startupMs;
}
