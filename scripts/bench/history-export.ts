/*
 * Exports a complete history as JSON and as NDJSON to a local client, and measures the speed, the memory compared with a short
 * export, and how much it slows down capture.
 */
import { type Api, createApi, ingestAddress } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { githubPayloads } from '../lib/payloads.ts';
import { residentMegabytes } from '../lib/process.ts';
import { seed } from '../lib/seed.ts';
import type { History } from './history-data.ts';
import { startOnDataSet } from './processes.ts';
import type { Row } from './report.ts';
import { median } from './statistics.ts';
import { fullLoad } from './wrk.ts';

const shortName = 'ten megabytes';
const shortEvents = 1000;
/** The memory of a long export is compared with the highest of this many short ones. */
const warmUpExports = 5;
const sampleEveryMs = 20;

type Export = { bytes: number; perSecond: number; highestMegabytes: number };

export async function exportRows(
  history: History,
  { seconds, rounds, settled }: { seconds: number; rounds: number; settled: () => Promise<void> },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const short = await shortHistory(history);
  await settled();
  // A new process, so that the memory of deliveries is not counted.
  const server = await startOnDataSet(history.dataDir);
  try {
    const api = createApi(server.origin, history.key);
    let before = 0;
    for (let count = 0; count < warmUpExports; count++)
      before = Math.max(before, (await download(api, short, server.pid)).highestMegabytes);
    const long: Export[] = [];
    const lines: Export[] = [];
    for (let round = 0; round < rounds; round++) {
      long.push(await download(api, history.all, server.pid));
      lines.push(await download(api, history.all, server.pid, { format: 'ndjson' }));
    }
    const highest = Math.max(...[...long, ...lines].map(({ highestMegabytes }) => highestMegabytes));
    const megabytes = ((long[0]?.bytes ?? 0) / 1e6).toFixed(0);

    const address = ingestAddress(server, await api.createEndpoint('load'));
    const rates = { without: [] as number[], during: [] as number[] };
    const load = async () => (await fullLoad(address, githubPayloads(), seconds)).perSecond;
    for (let round = 1; round <= rounds; round++) {
      rates.without.push(await load());
      const stop = new AbortController();
      const exporting = exportUntil(api, history.all, server.pid, stop.signal);
      rates.during.push(await load().finally(() => stop.abort()));
      await exporting;
      console.log(
        `round ${round}  ${rates.without.at(-1)?.toFixed(0)}/s, ${rates.during.at(-1)?.toFixed(0)}/s exporting`,
      );
    }
    const rows: Row[] = [
      {
        what: `export of ${megabytes} MB of JSON to a local client`,
        ours: median(long.map(({ perSecond }) => perSecond / 1e6)),
        unit: 'MB/s',
        goal: { atLeast: 150 },
      },
      {
        what: 'the same as NDJSON (baseline: as JSON)',
        ours: median(lines.map(({ perSecond }) => perSecond / 1e6)),
        baseline: median(long.map(({ perSecond }) => perSecond / 1e6)),
        unit: 'MB/s',
        goal: { atLeast: 0.95 },
      },
      {
        what: `  RSS growth from exports of 10 MB to one of ${megabytes} MB`,
        ours: highest - before,
        unit: 'MB',
        goal: { atMost: 64 },
      },
      {
        what: 'durable deliveries, GitHub examples, during an export (baseline: without)',
        ours: median(rates.during),
        baseline: median(rates.without),
        unit: '/s',
        goal: { atLeast: 0.7 },
      },
    ];
    return { rows, details: { export: { long, lines, shortHighestMegabytes: before, rates } } };
  } finally {
    await server.end();
  }
}

/** The endpoint with the short history, created by the first run. */
async function shortHistory(history: History): Promise<string> {
  const server = await startOnDataSet(history.dataDir);
  try {
    const api = createApi(server.origin, history.key);
    const found = (await api.endpoints()).find(
      ({ name, eventCount }) => name === shortName && eventCount === shortEvents,
    );
    if (found) return found.id;
    const created = await api.createEndpoint(shortName);
    await seed(ingestAddress(server, created), githubPayloads(), shortEvents);
    return created.id;
  } finally {
    await server.end();
  }
}

/** @throws if the transfer fails or is truncated */
async function download(
  api: Api,
  endpoint: string,
  pid: number,
  { signal, format = 'json' }: { signal?: AbortSignal; format?: 'json' | 'ndjson' } = {},
): Promise<Export> {
  let highestMegabytes = residentMegabytes(pid);
  const sample = () => {
    highestMegabytes = Math.max(highestMegabytes, residentMegabytes(pid));
  };
  const timer = setInterval(sample, sampleEveryMs);
  try {
    const startedAt = performance.now();
    const { body } = await api.get(`/api/endpoints/${endpoint}/export?format=${format}`);
    let bytes = 0;
    let last = new Uint8Array();
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      last = chunk;
      if (signal?.aborted) break;
    }
    if (!signal?.aborted) ensure(new TextDecoder().decode(last).trimEnd().endsWith('}'), 'the export is truncated');
    return { bytes, perSecond: bytes / ((performance.now() - startedAt) / 1000), highestMegabytes };
  } finally {
    clearInterval(timer);
  }
}

async function exportUntil(api: Api, endpoint: string, pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await download(api, endpoint, pid, { signal });
}
