/*
 * Search latency at rest and during full-rate capture, and the cost of building and storing the index. The server runs from source
 * in its own process.
 */
import { signBlock } from '../../src/core/blocks/block-signature.ts';
import { maxBlockBytes } from '../../src/core/blocks/event-block.ts';
import { createApi, ingestAddress } from '../lib/api.ts';
import { openServices } from '../lib/from-source.ts';
import { githubPayloads, type Payload, stripePayloads } from '../lib/payloads.ts';
import type { History } from './history-data.ts';
import { startFromSource } from './processes.ts';
import type { Row } from './report.ts';
import { percentile } from './statistics.ts';
import { fullLoad } from './wrk.ts';

export type SearchBench = { requests: number; seconds: number };

const commonTerm = 'repository';
/** An id that no event contains. */
const absentId = '5d41402abc4b2a76b9719d91';

export async function searchRows(
  history: History,
  { requests, seconds }: SearchBench,
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const queries = {
    'rare term, endpoint with all events': [history.all, history.rare],
    'rare term, endpoint with few events': [history.few, history.rare],
    'absent id, endpoint with all events': [history.all, absentId],
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
      const wanted = q === commonTerm ? 25 : q === absentId ? 0 : 1;
      const events: unknown[] = [];
      // A long search returns its results in several pages.
      for (let cursor: string | null = ''; cursor !== null && (events.length < wanted || wanted === 0); ) {
        const query = new URLSearchParams({ endpointId: endpoint, q, ...(cursor !== '' && { cursor }) });
        const response = await api.get(`/api/events?${query}`);
        const page = (await response.json()) as { events: unknown[]; nextCursor: string | null };
        events.push(...page.events);
        cursor = page.nextCursor;
      }
      const elapsed = performance.now() - startedAt;
      if (events.length !== wanted) throw new Error(`${events.length} events found for ${q}`);
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

  for (const [name, payloads] of [
    ['GitHub examples', githubPayloads()],
    ['1 KB events', stripePayloads(2000)],
  ] as const) {
    const { microseconds, bytesPerByte } = signingCost(payloads);
    rows.push({ what: `signatures, ${name}: build time per event`, ours: microseconds, unit: 'µs' });
    rows.push({ what: `signatures, ${name}: bytes per byte`, ours: bytesPerByte, unit: '' });
  }
  rows.push({
    what: 'index bytes per byte received',
    ours: history.indexBytes / history.receivedBytes,
    unit: '',
    goal: { atMost: 0.07 },
  });
  rows.push({ what: 'putting signatures into runs after the last delivery', ours: history.indexSeconds, unit: 's' });
  return { rows, details };
}

/** Measures blocks of the size that load produces. Takes the best of several rounds, because other processes only add time. */
function signingCost(payloads: readonly Payload[]): { microseconds: number; bytesPerByte: number } {
  const blocks: { receivedAt: number; eventType: string; body: Uint8Array }[][] = [[]];
  let filled = 0;
  let bytes = 0;
  for (const { event, body } of payloads) {
    if (filled + body.length > maxBlockBytes) filled = 0 * blocks.push([]);
    filled += body.length;
    bytes += body.length;
    blocks.at(-1)?.push({ receivedAt: 0, eventType: event, body });
  }
  const full = blocks.filter(block => block.length > 0);
  let microseconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 20; round++) {
    const startedAt = performance.now();
    for (const block of full) signBlock(block);
    microseconds = Math.min(microseconds, ((performance.now() - startedAt) * 1000) / payloads.length);
  }
  return { microseconds, bytesPerByte: full.reduce((sum, block) => sum + signBlock(block).filter.length, 0) / bytes };
}

/** Indexes the events of an earlier run, so that indexing does not disturb this one. */
export async function finishIndexing(dataDir: string): Promise<void> {
  const services = await openServices(dataDir);
  await services.background.idle();
  await services.close();
}
