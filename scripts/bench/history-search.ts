/*
 * Search latency in a long history, at rest and during full-rate capture, and how much the index slows down capture. The server
 * runs from source in its own process, because the compiled program has no option to turn the index off.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, createApi, ingestAddress } from '../lib/api.ts';
import { openServices } from '../lib/from-source.ts';
import { githubPayloads } from '../lib/payloads.ts';
import type { History } from './history-data.ts';
import { startFromSource } from './processes.ts';
import type { Row } from './report.ts';
import { median, percentile } from './statistics.ts';
import { fullLoad } from './wrk.ts';

export type SearchBench = { requests: number; seconds: number; rounds: number };

const commonTerm = 'repository';

export async function searchRows(
  history: History,
  { requests, seconds, rounds }: SearchBench,
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const queries = {
    'rare term, endpoint with all events': [history.all, history.rare],
    'rare term, endpoint with few events': [history.few, history.rare],
    'common term, endpoint with all events': [history.all, commonTerm],
    'common term, endpoint with few events': [history.few, commonTerm],
  } as const;
  const rows: Row[] = [];
  const details: Record<string, unknown> = {};
  const add = (when: string, times: Record<string, number[]>) => {
    for (const [what, taken] of Object.entries(times)) {
      const sorted = taken.toSorted((a, b) => a - b);
      rows.push({
        what: `search, ${what}${when}, p95`,
        ours: percentile(sorted, 95),
        unit: 'ms',
        goal: { atMost: 50 },
      });
      details[`${what}${when}`] = { p50: percentile(sorted, 50), p99: percentile(sorted, 99), count: sorted.length };
    }
  };

  const server = await startFromSource(history.dataDir);
  try {
    const api = createApi(server.origin, history.key);
    const load = ingestAddress(server, await api.createEndpoint('load'));
    const search = async (endpoint: string, q: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await api.get(`/api/events?${new URLSearchParams({ endpointId: endpoint, q })}`);
      const { events } = (await response.json()) as { events: unknown[] };
      const elapsed = performance.now() - startedAt;
      if (events.length !== (q === commonTerm ? 25 : 1)) throw new Error(`${events.length} events found for ${q}`);
      return elapsed;
    };
    const measure = async (shouldContinue: (done: number) => boolean): Promise<Record<string, number[]>> => {
      const times = Object.fromEntries(Object.keys(queries).map(what => [what, [] as number[]]));
      for (let done = 0; shouldContinue(done); done++)
        for (const [what, [endpoint, q]] of Object.entries(queries)) times[what]?.push(await search(endpoint, q));
      return times;
    };
    await measure(done => done < 10);
    add('', await measure(done => done < requests));
    let running = true;
    const capture = fullLoad(load, githubPayloads(), seconds).finally(() => {
      running = false;
    });
    await Bun.sleep(1000);
    add(' during full-rate capture', await measure(() => running));
    details['capture during searches'] = await capture;
  } finally {
    await server.end();
  }

  const cost = await ingestRates(seconds, rounds);
  rows.push({
    what: 'durable deliveries, GitHub examples, with the index (baseline: without)',
    ours: median(cost.with),
    baseline: median(cost.without),
    unit: '/s',
    goal: { atLeast: 0.85 },
  });
  rows.push({
    what: 'index bytes per byte received',
    ours: history.indexBytes / history.receivedBytes,
    unit: '',
    goal: { atMost: 0.2 },
  });
  rows.push({ what: 'indexing after the last delivery', ours: history.indexSeconds, unit: 's' });
  return { rows, details: { ...details, cost } };
}

/** Measures with and without the index alternately, each time on a new database. */
async function ingestRates(seconds: number, rounds: number): Promise<{ with: number[]; without: number[] }> {
  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 1; round <= rounds; round++)
    for (const side of ['without', 'with'] as const) {
      const dataDir = mkdtempSync(join(tmpdir(), 'hooktape-bench-'));
      try {
        const key = await firstKey(dataDir);
        const server = await startFromSource(dataDir, side === 'with');
        try {
          const api: Api = createApi(server.origin, key);
          const address = ingestAddress(server, await api.createEndpoint('bench'));
          await fullLoad(address, githubPayloads(), 2);
          const { perSecond } = await fullLoad(address, githubPayloads(), seconds);
          rates[side].push(perSecond);
          console.log(`round ${round}  ${side} index  ${perSecond.toFixed(0)}/s`);
        } finally {
          await server.end();
        }
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    }
  return rates;
}

/** Indexes what an earlier run captured, so that it does not disturb this one. */
export async function finishIndexing(dataDir: string): Promise<void> {
  const services = await openServices(dataDir);
  await services.background.idle();
  await services.close();
}

async function firstKey(dataDir: string): Promise<string> {
  const services = await openServices(dataDir, false);
  const { id } = await services.account.create({ email: 'owner@example.com', plan: 'pro' });
  const { key } = await services.keys.create(id, 'bench');
  await services.close();
  return key;
}
