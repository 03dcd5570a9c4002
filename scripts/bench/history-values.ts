/*
 * Latency of searches for whole values in Stripe-like events of which every one is different, and the rate of filters that must look
 * inside of every event. The data set is built once for each size and kept in .bench/.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toFieldLines } from '../../src/core/headers.ts';
import { type Api, createApi } from '../lib/api.ts';
import { ensure } from '../lib/checks.ts';
import { openServices } from '../lib/from-source.ts';
import { stripeEvents } from '../lib/payloads.ts';
import { startFromSource } from './processes.ts';
import type { Row } from './report.ts';
import { percentile } from './statistics.ts';

type Values = {
  dataDir: string;
  key: string;
  endpoint: string;
  /** Each is in one event. */
  email: string;
  customer: string;
  receivedBytes: number;
  indexBytes: number;
  captureSeconds: number;
};

/** No other event has an order number of this size, or of this length. */
const [order, code] = ['9471234', 'Zq7x'];
const concurrentDeliveries = 256;

export async function dataSet(events: number): Promise<Values> {
  const dataDir = join(import.meta.dir, `../../.bench/values-${events}`);
  const about = join(dataDir, 'about.json');
  if (existsSync(about)) return { ...(JSON.parse(readFileSync(about, 'utf8')) as Values), dataDir };
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const { account, keys, endpoints, capture, background, database, search, ...services } = await openServices(dataDir);
  const { id } = await account.create({ email: 'owner@example.com', plan: 'pro' });
  const { key } = await keys.create(id, 'bench');
  const [team] = (await database.client.execute('SELECT id FROM teams')).rows;
  const owner = { teamId: String(team?.[0]), plan: 'pro' as const };
  const endpoint = await endpoints.create(owner, 'values');
  const address = await endpoints.owned(owner, endpoint.id);
  const planted = new Map([
    [Math.floor(events / 3), order],
    [Math.floor(events / 2), code],
  ]);
  const fields = toFieldLines(['Content-Type', 'application/json; charset=utf-8', 'User-Agent', 'Stripe/1.0']);
  let object = { receipt_email: '', customer: '' };
  let receivedBytes = 0;
  let waiting: Promise<unknown>[] = [];
  let number = 0;
  const startedAt = performance.now();
  for (const { body } of stripeEvents(events, at => planted.get(at))) {
    // Events are addressed by unique values of the one in the middle.
    if (number === Math.floor(events / 2))
      object = (JSON.parse(new TextDecoder().decode(body)) as { data: { object: typeof object } }).data.object;
    receivedBytes += body.length;
    waiting.push(
      capture.record(address, {
        method: 'POST',
        path: '',
        query: null,
        fields,
        body,
        sourceIp: '127.0.0.1',
        receivedAt: services.clock.now(),
      }),
    );
    if (++number % concurrentDeliveries === 0) {
      await Promise.all(waiting);
      waiting = [];
    }
    if (number % 100_000 === 0) console.log(`${number} of ${events} events captured`);
  }
  await Promise.all(waiting);
  const captureSeconds = (performance.now() - startedAt) / 1000;
  await background.idle();
  const problems = await search.checkIndex();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const { rows } = await database.scanClient
    .execute(
      `SELECT (SELECT ifnull(sum(bytes), 0) FROM dbstat('main', 1) WHERE name LIKE 'block_signatures%' OR name LIKE 'signature_%')`,
    )
    .catch(() =>
      database.scanClient.execute(
        `SELECT (SELECT ifnull(sum(length(filter) + length(facts) + 60), 0) FROM block_signatures)
       + (SELECT ifnull(sum(length(slices) + 10), 0) FROM signature_slices)
       + (SELECT ifnull(sum(length(blocks) + 40), 0) FROM signature_runs)`,
      ),
    );
  await services.close();
  const built: Values = {
    dataDir,
    key,
    endpoint: endpoint.id,
    email: object.receipt_email,
    customer: object.customer,
    receivedBytes,
    indexBytes: Number(rows[0]?.[0]),
    captureSeconds,
  };
  writeFileSync(about, `${JSON.stringify(built, null, 2)}\n`);
  return built;
}

type Searched = { ms: number; events: number; pages: number };

/** All pages of a search. */
async function searchAll(api: Api, parameters: Record<string, string>): Promise<Searched> {
  const searched: Searched = { ms: 0, events: 0, pages: 0 };
  const startedAt = performance.now();
  for (let cursor: string | null = ''; cursor !== null; searched.pages++) {
    const response = await api.get(`/api/events?${new URLSearchParams({ ...parameters, ...(cursor && { cursor }) })}`);
    const page = (await response.json()) as { events: unknown[]; nextCursor: string | null };
    searched.events += page.events.length;
    cursor = page.nextCursor;
  }
  searched.ms = performance.now() - startedAt;
  return searched;
}

export async function valueRows(
  events: number,
  { requests }: { requests: number },
): Promise<{ rows: Row[]; details: Record<string, unknown> }> {
  const data = await dataSet(events);
  const server = await startFromSource(data.dataDir);
  const rows: Row[] = [];
  const details: Record<string, unknown> = { values: { ...data, key: '' } };
  try {
    const api = createApi(server.origin, data.key);
    const endpointId = data.endpoint;
    const object = 'body.data.object';
    const million = events / 1_000_000;
    const slow = Math.max(60, 30 * million);
    const queries: [what: string, finds: number | undefined, parameters: Record<string, string>, atMost: number][] = [
      ['absent word', 0, { q: 'a-word-that-no-event-has' }, slow],
      ['order number, quoted', 1, { where: `${object}.metadata.order_id:"${order}"` }, slow],
      ['order number, unquoted', 1, { where: `${object}.metadata.order_id:${order}` }, slow],
      ['absent order number', 0, { where: `${object}.metadata.order_id:"9471235"` }, slow],
      ['four characters', 1, { where: `${object}.metadata.order_id:${code}` }, slow],
      ['id of 24 letters', 1, { where: `${object}.customer:"${data.customer}"` }, slow],
      // The digits may be part of other numbers.
      ['order number, q', undefined, { q: order }, 250],
    ];
    for (const [what, finds, parameters, atMost] of queries) {
      const times: number[] = [];
      let pages = 0;
      for (let done = -2; done < requests; done++) {
        const searched = await searchAll(api, { endpointId, ...parameters });
        ensure(
          finds === undefined || searched.events === finds,
          `${searched.events} events found for ${JSON.stringify(parameters)}`,
        );
        pages = Math.max(pages, searched.pages);
        if (done >= 0) times.push(searched.ms);
      }
      times.sort((a, b) => a - b);
      details[`values: ${what}`] = { ...parameters, pages, p50: percentile(times, 50) };
      rows.push({
        what: `values, ${what}, whole search, p95`,
        ours: percentile(times, 95),
        unit: 'ms',
        goal: { atMost },
      });
    }
    for (const where of [`${object}.amount>100500`, `has:${object}.absent`, 'has:header.x-absent']) {
      const { ms, events: found } = await searchAll(api, { endpointId, where });
      ensure(found === 0, `${found} events found for ${where}`);
      rows.push({ what: `values, looking inside for ${where}`, ours: events / (ms / 1000), unit: 'events/s' });
    }
    rows.push({
      what: 'values, index bytes per byte received',
      ours: data.indexBytes / data.receivedBytes,
      unit: '',
    });
    rows.push({ what: 'values, captured in this process', ours: events / data.captureSeconds, unit: 'events/s' });
    return { rows, details };
  } finally {
    await server.end();
  }
}
