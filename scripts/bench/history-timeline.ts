/*
 * Latency of timelines, at rest and while 10,000 deliveries a second arrive at another endpoint. The server runs from source in its own
 * process.
 */
import { createApi, ingestAddress } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { constantRate } from './generators.ts';
import type { History } from './history-data.ts';
import { startFromSource } from './processes.ts';
import type { Row } from './report.ts';
import { percentile } from './statistics.ts';

const deliveriesPerSecond = 10_000;
const queries = {
  all: '',
  'by type': 'by=type',
  'of a common type': 'where=type:push',
  'of a method': 'where=method:POST',
};

export async function timelineRows(
  history: History,
  { requests, seconds }: { requests: number; seconds: number },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const server = await startFromSource(history.dataDir);
  const rows: Row[] = [];
  const details: Record<string, unknown> = {};
  try {
    const api = createApi(server.origin, history.key);
    const load = ingestAddress(server, await api.createEndpoint('load'));
    const read = async (query: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await api.get(`/api/endpoints/${history.all}/timeline?${query}`);
      const { complete } = (await response.json()) as { complete: boolean };
      ensure(complete, `the timeline with ${query} is incomplete`);
      return performance.now() - startedAt;
    };
    const measure = async (when: string, atMost: number, shouldContinue: (done: number) => boolean): Promise<void> => {
      const times = Object.fromEntries(Object.keys(queries).map(what => [what, [] as number[]]));
      for (let done = 0; shouldContinue(done); done++)
        for (const [what, query] of Object.entries(queries)) times[what]?.push(await read(query));
      for (const [what, taken] of Object.entries(times)) {
        const sorted = taken.toSorted((a, b) => a - b);
        rows.push({
          what: `timeline, ${what}${when}, p95`,
          ours: percentile(sorted, 95),
          unit: 'ms',
          goal: { atMost },
        });
        details[`timeline, ${what}${when}`] = { first: taken[0], p50: percentile(sorted, 50), count: sorted.length };
      }
    };
    await measure('', 100, done => done < requests);
    let running = true;
    const capture = constantRate(load, deliveriesPerSecond, seconds, { connections: 64, payload: 'orders' }).finally(
      () => {
        running = false;
      },
    );
    await measure(' during 10,000 deliveries/s', 300, () => running);
    details['capture during timelines'] = await capture;
  } finally {
    await server.end();
  }
  return { rows, details };
}
