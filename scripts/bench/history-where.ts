/*
 * Latency of filters: for terms about columns, the time until the first page of the list is complete; for terms about bodies,
 * which may need several pages, the time of one page. The server runs from source in its own process.
 */
import { type Api, createApi } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import type { History } from './history-data.ts';
import { startFromSource } from './processes.ts';
import type { Row } from './report.ts';
import { percentile } from './statistics.ts';

const pageSize = 25;
/** A page that uses up its budget ends after the current step. */
const wholeBudgetMs = 300;

/** `finds`: the number of events on the complete first page; undefined if unknown. */
type Query = { what: string; where: string; finds: number | undefined };

const columnQueries = ({ middleAt }: History): Query[] => [
  { what: 'rare type', where: 'type:rare.thing', finds: 1 },
  { what: 'common type', where: 'type:push', finds: pageSize },
  { what: 'rare method', where: 'method:DELETE', finds: 1 },
  { what: 'common method', where: 'method:POST', finds: pageSize },
  { what: 'rare platform', where: 'platform:stripe', finds: 1 },
  { what: 'common platform', where: 'platform:github', finds: pageSize },
  { what: 'absent platform', where: 'platform:shopify', finds: 0 },
  { what: 'older half', where: `received<${new Date(middleAt).toISOString()}`, finds: pageSize },
  { what: 'rare size', where: 'size>68k', finds: 1 },
  { what: 'common size', where: 'size>1k', finds: pageSize },
  { what: 'absent tag', where: 'tag:golden', finds: 0 },
  { what: 'two terms, rare together', where: 'type:rare.thing method:POST', finds: 1 },
];

const bodyQueries = ({ rare }: History): Query[] => [
  { what: 'rare value', where: `body.rare:"${rare}"`, finds: 1 },
  { what: 'absent value', where: 'body.sender.login:"nobody-of-that-name"', finds: 0 },
  { what: 'common value', where: 'body.sender.type:User', finds: pageSize },
];

/** Signatures and columns do not narrow these enough, because `rare` is in many words. Their pages use up the whole budget. */
const scans: Query[] = [
  { what: 'rare field', where: 'has:body.rare', finds: undefined },
  { what: 'rare number', where: 'body.number>99999999999', finds: undefined },
  { what: 'absent header', where: 'has:header.x-absent', finds: undefined },
  { what: 'absent address', where: 'ip:192.0.2.0/24', finds: undefined },
  { what: 'all but a common platform', where: 'NOT platform:github', finds: undefined },
];

type Timed = { totalMs: number; pageMs: number[]; events: number };

async function firstPage(api: Api, endpoint: string, where: string, maxPages: number): Promise<Timed> {
  const timed: Timed = { totalMs: 0, pageMs: [], events: 0 };
  for (let cursor: string | null = ''; cursor !== null && timed.events < pageSize && timed.pageMs.length < maxPages; ) {
    const query = new URLSearchParams({ endpointId: endpoint, where, ...(cursor !== '' && { cursor }) });
    const startedAt = performance.now();
    const page = (await (await api.get(`/api/events?${query}`)).json()) as {
      events: unknown[];
      nextCursor: string | null;
    };
    const ms = performance.now() - startedAt;
    timed.pageMs.push(ms);
    timed.totalMs += ms;
    timed.events += page.events.length;
    cursor = page.nextCursor;
  }
  return timed;
}

export async function whereRows(
  history: History,
  { requests }: { requests: number },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const server = await startFromSource(history.dataDir);
  const rows: Row[] = [];
  const details: Record<string, unknown> = {};
  try {
    const api = createApi(server.origin, history.key);
    const measure = async ({ what, where, finds }: Query, count: number, maxPages = 1000): Promise<Timed[]> => {
      const times: Timed[] = [];
      for (let done = -3; done < count; done++) {
        const timed = await firstPage(api, history.all, where, maxPages);
        ensure(finds === undefined || timed.events === finds, `${timed.events} events found for ${where}`);
        if (done >= 0) times.push(timed);
      }
      details[`where: ${what}`] = { where, pages: times[0]?.pageMs.length, events: times[0]?.events };
      return times;
    };
    const p95 = (times: number[]): number =>
      percentile(
        times.toSorted((a, b) => a - b),
        95,
      );
    const endpoint = 'endpoint with all events';
    for (const query of columnQueries(history)) {
      const times = await measure(query, requests);
      const ours = p95(times.map(({ totalMs }) => totalMs));
      rows.push({ what: `where, ${query.what}, ${endpoint}, p95`, ours, unit: 'ms', goal: { atMost: 50 } });
    }
    for (const query of bodyQueries(history)) {
      const times = await measure(query, requests);
      const ours = p95(times.flatMap(({ pageMs }) => pageMs));
      rows.push({ what: `where, body, ${query.what}, a page, p95`, ours, unit: 'ms', goal: { atMost: 250 } });
    }
    for (const query of scans) {
      const times = await measure(query, Math.ceil(requests / 20), 5);
      const ours = p95(times.flatMap(({ pageMs }) => pageMs));
      const goal = { atMost: wholeBudgetMs };
      rows.push({ what: `where, not narrowed, ${query.what}, a page, p95`, ours, unit: 'ms', goal });
    }
    return { rows, details };
  } finally {
    await server.end();
  }
}
