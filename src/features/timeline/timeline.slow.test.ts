/*
 * The counts of timelines and values are those of the list with the same filter, while events are stored, refused, imported, pinned,
 * deleted, and expire; and the sum over the answers of a search that is cut into many is exact.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { toFieldLines } from '../../core/headers.ts';
import { timeBuckets } from '../../core/time-buckets.ts';
import type { IngestAddress } from '../../ingest/capture.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { holdClock } from '../../testing/clock.ts';
import { createFilterSource, type OracleEvent, toOracleEvent } from '../../testing/filter-oracle.ts';
import { isProof } from '../../testing/proofs.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail, EventPage, EventSummary } from '../events/model.ts';
import { type Cell, createTallies, type GroupBy } from '../search/tallies.ts';
import { createTalliesStore } from '../search/tallies-store.ts';
import type { FieldValues, Timeline } from './model.ts';

const hour = 3_600_000;
const clock = holdClock();
let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; url: string };
let address: IngestAddress;

beforeAll(async () => {
  // A call searches one block at a time.
  server = await openTestServer({
    clock,
    searchLimits: { runLength: 4, budget: { ms: 0, blocks: 1 } },
  });
  ada = await server.createAccount();
  endpoint = await ada.createEndpoint();
  const path = `/api/endpoints/${endpoint.id}`;
  await ada.json(200, 'PATCH', path, { retention: '6h' });
  await ada.json(201, 'POST', `${path}/secrets`, { platform: 'github', secret });
  await ada.json(200, 'PUT', `${path}/answers`, {
    rules: [
      { when: 'type:push', answer: { status: 503 } },
      { when: 'type:ping', answer: { status: 202 } },
      { when: 'type:issues', answer: { fault: 'close' } },
    ],
  });
  const found = await server.services.registry.find(new URL(endpoint.url).pathname.slice('/in/'.length));
  if (!found) throw new Error('the endpoint is not known');
  address = found;
  // A signature is not invalid because of a secret that is newer than the delivery.
  clock.advance(hour);
});
afterAll(() => server.close());

const secret = 'a secret of the test';
/** The same numbers in every run. */
let drawn = 0;
const random = (below: number): number =>
  Number.parseInt(createHash('sha256').update(`timeline${drawn++}`).digest('hex').slice(0, 12), 16) % below;
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;

/** The events whose signature was invalid when they were filed. */
const invalid = new Set<string>();
let listed: EventSummary[] = [];
let oracle: OracleEvent[] = [];
const filterOf = createFilterSource(() => oracle, random);

async function deliver(): Promise<void> {
  const type = oneOf(['push', 'ping', 'issues', 'issue_comment', 'star', 'fork', 'watch', 'release', undefined]);
  const body = JSON.stringify({ id: random(1000), sku: `A-${random(5)}`, note: oneOf(['refund', 'paid']) });
  const signed = oneOf([undefined, secret, 'another secret']);
  const proof = signed && createHmac('sha256', signed).update(body).digest('hex');
  const headers = [
    ...['Content-Type', 'application/json'],
    ...(type ? ['X-GitHub-Event', type] : []),
    ...(proof ? ['X-Hub-Signature-256', `sha256=${proof}`] : []),
  ];
  const { id } = await server.services.capture.record(
    address,
    {
      method: oneOf(['POST', 'PUT']),
      path: oneOf(['', '/a', '/b']),
      query: null,
      fields: toFieldLines(headers),
      body: Buffer.from(body),
      sourceIp: '127.0.0.1',
      receivedAt: clock.now() - random(3) * 1000,
    },
    oneOf([undefined, undefined, undefined, 403]),
  );
  if (proof && signed !== secret) invalid.add(id);
}

/** Imports have no verdict, whatever their signature is. Some have expired and are pinned. */
function importOld(): Promise<unknown> {
  const events = Array.from({ length: 6 }, () => ({
    receivedAt: clock.now() - random(9 * hour),
    method: 'POST',
    path: '',
    query: null,
    rawHeaders: [
      ['x-github-event', oneOf(['push', 'fork'])],
      ['x-hub-signature-256', `sha256=${'ab'.repeat(32)}`],
    ],
    payloadRaw: `{"imported":${random(1e9)}}`,
    payloadEncoding: 'utf8',
    pin: random(2) ? { name: null, note: null, pinnedAt: clock.now() } : null,
    ...(random(2) && { answered: { status: 500, rule: null, delayMs: 0, fault: null, limited: false }, refused: null }),
  }));
  return server.services.imports.add(endpoint.id, events);
}

async function change(): Promise<void> {
  for (let i = 0; i < 25; i++) await deliver();
  await importOld();
  for (const { id } of listed.filter(() => random(12) === 0))
    await oneOf([
      () => ada.call('DELETE', `/api/events/${id}`),
      () => ada.call('PUT', `/api/events/${id}/pin`, {}),
      () => ada.call('DELETE', `/api/events/${id}/pin`),
      () => ada.call('PUT', `/api/events/${id}/tags`, { tags: oneOf([['golden'], ['golden', 'new']]) }),
    ])();
  clock.advance(random(hour));
  if (random(3) > 0) return;
  server.services.retention.wake();
  await server.services.background.idle();
}

async function list(query: Record<string, string>): Promise<EventSummary[]> {
  const events: EventSummary[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const given = { endpointId: endpoint.id, limit: '100', ...query, ...(cursor && { cursor }) };
    const page: EventPage = await ada.json<EventPage>(200, 'GET', `/api/events?${new URLSearchParams(given)}`);
    events.push(...page.events);
    cursor = page.nextCursor;
  }
  return events;
}

/** All answers to a request, which must agree about everything but the counts, added up. */
async function timeline(query: Record<string, string>): Promise<{ sum: Timeline; answers: number }> {
  const path = `/api/endpoints/${endpoint.id}/timeline?${new URLSearchParams(query)}`;
  const sum = await ada.json<Timeline>(200, 'GET', path);
  let answers = 1;
  for (let { nextCursor } = sum; nextCursor !== null; answers++) {
    const one = await ada.json<Timeline>(200, 'GET', `${path}&cursor=${nextCursor}`);
    const { from, to, bucketMs } = one;
    expect({ from, to, bucketMs }).toEqual({ from: sum.from, to: sum.to, bucketMs: sum.bucketMs });
    expect(one.buckets.map(({ at }) => at)).toEqual(sum.buckets.map(({ at }) => at));
    expect(one.series.map(({ value }) => value)).toEqual(sum.series.map(({ value }) => value));
    for (const [i, bucket] of one.buckets.entries())
      for (const name of ['count', 'accepted', 'failed', 'invalid'] as const)
        (sum.buckets[i] ?? bucket)[name] += bucket[name];
    for (const [i, { counts }] of one.series.entries())
      for (const [at, count] of counts.entries())
        (sum.series[i]?.counts ?? [])[at] = (sum.series[i]?.counts[at] ?? 0) + count;
    expect(one.complete).toBe(one.nextCursor === null);
    nextCursor = one.nextCursor;
  }
  return { sum, answers };
}

const valueOfEvent = (by: string, { eventType, platform, answered }: EventSummary): string | null => {
  if (by === 'type') return eventType;
  return by === 'platform' ? platform : answered.status === null ? null : String(answered.status);
};

function counted(values: readonly (string | null)[]): { value: string | null; count: number }[] {
  const counts = Map.groupBy(values, value => value);
  return [...counts]
    .map(([value, all]) => ({ value, count: all.length }))
    .sort((a, b) => b.count - a.count || (a.value === null ? 1 : b.value === null ? -1 : a.value < b.value ? -1 : 1));
}

async function expectTimeline(query: Record<string, string>, isSearch: boolean): Promise<void> {
  const { sum, answers } = await timeline(query);
  const { from: _, to: __, buckets: ___, by, ...filter } = query;
  const events = (await list(filter)).filter(({ receivedAt }) => receivedAt >= sum.from && receivedAt <= sum.to);
  const buckets = timeBuckets(sum.from, sum.to, Number(query['buckets'] ?? 60));
  const expected = Array.from({ length: buckets.count }, (_, i) => {
    const at = (buckets.first + i) * buckets.bucketMs;
    const own = events.filter(({ receivedAt }) => receivedAt >= at && receivedAt < at + buckets.bucketMs);
    const hasFailed = ({ refused, answered }: EventSummary): boolean =>
      refused !== null || answered.status === null || answered.status < 200 || answered.status > 299;
    return {
      at,
      count: own.length,
      accepted: own.filter(one => !hasFailed(one) && !invalid.has(one.id)).length,
      failed: own.filter(hasFailed).length,
      invalid: own.filter(({ id }) => invalid.has(id)).length,
    };
  });
  expect({ query, bucketMs: sum.bucketMs, buckets: sum.buckets }).toEqual({
    query,
    bucketMs: buckets.bucketMs,
    buckets: expected,
  });
  if (!isSearch) expect(answers).toBe(1);
  if (by === 'none') return expect(sum.series).toEqual([]);
  const totals = sum.series.map(({ value, counts }) => ({ value, count: counts.reduce((a, b) => a + b, 0) }));
  const values = counted(events.map(event => valueOfEvent(by ?? '', event)));
  const top = values.filter(({ value }) => value !== null).slice(0, 6);
  const own = answers === 1 ? top.map(({ value }) => value) : totals.map(({ value }) => value).filter(Boolean);
  const restCount = values
    .filter(({ value }) => value === null || !own.includes(value))
    .reduce((a, b) => a + b.count, 0);
  expect({ query, totals }).toEqual({
    query,
    totals: [
      ...own.map(value => ({ value, count: values.find(one => one.value === value)?.count ?? 0 })),
      ...(restCount > 0 || answers > 1 ? [{ value: null, count: restCount }] : []),
    ],
  });
  for (const [i, { count }] of sum.buckets.entries())
    expect(sum.series.reduce((all, { counts }) => all + (counts[i] ?? 0), 0)).toBe(count);
}

const columnFilters = [
  '',
  'type:push',
  'type:p*',
  'type:*s*e*',
  '-type:push',
  'platform:github (type:ping OR type:fork)',
  'method:PUT',
  'method:POST type:push OR size>60',
  'is:pinned',
  '-is:refused answered:503',
  'tag:golden',
  'answered>=400',
  'attempt>1',
  'is:refused OR type:push',
];

/** Cells whose value is not one of these are added up. */
function folded(cells: readonly Cell[], values: ReadonlySet<string | null>): Record<string, number[]> {
  const counts: Record<string, number[]> = {};
  for (const { bucket, value, count, accepted, failed, invalid } of cells) {
    const key = `${bucket} ${values.has(value) ? value : null}`;
    counts[key] = [count, accepted, failed, invalid].map((one, i) => one + (counts[key]?.[i] ?? 0));
  }
  return counts;
}

/** Endpoints with too many kinds of events are counted row by row, with the same result. */
async function expectSameByRows(filter: string, by: GroupBy): Promise<void> {
  const store = createTalliesStore(server.services.database.scanClient);
  const request = {
    endpoint: address.seq,
    filter: parseFilter(filter),
    since: clock.now() - 6 * hour,
    range: [clock.now() - 10 * hour, clock.now()] as const,
    bucketMs: 10 * 60_000,
    by,
    maxValues: 3,
  };
  const byRanges = await createTallies({ store, now: clock.now }).whole(request);
  const byRows = await createTallies({ store, now: clock.now, maxKinds: 1 }).whole(request);
  if (!byRanges || !byRows) return;
  const values = new Set(byRows.map(({ value }) => value));
  const all = counted(byRanges.flatMap(({ value, count }) => Array.from({ length: count }, () => value)));
  const most = all.flatMap(({ value }) => value ?? []).slice(0, request.maxValues);
  expect(new Set([...most, null])).toEqual(new Set([...values, null]));
  expect({ filter, by, cells: folded(byRows, values) }).toEqual({ filter, by, cells: folded(byRanges, values) });
}

const rounds = isProof ? 10 : 3;

test('timelines and values are those of the list', async () => {
  let searches = 0;
  for (let round = 0; round < rounds; round++) {
    await change();
    listed = await list({});
    oracle = [];
    for (const { id } of listed.slice(0, 12))
      oracle.push(toOracleEvent(await ada.json<EventDetail>(200, 'GET', `/api/events/${id}`)));
    for (let i = 0; i < 14; i++) {
      const kind = i % 7;
      const received = `received>${new Date(clock.now() - random(5 * hour)).toISOString()}`;
      const where = kind < 4 ? oneOf([oneOf(columnFilters), `${received} ${oneOf(columnFilters)}`]) : filterOf();
      const q = kind === 6 ? 'refund' : '';
      const [to, back] = [clock.now() - random(2) * random(hour), random(8 * hour)];
      const query = {
        by: oneOf(['none', 'type', 'platform', 'answered']),
        ...(where && { where }),
        ...(q && { q }),
        ...(random(2) && { to: String(to), from: String(to - back) }),
        ...(random(2) && { buckets: String(1 + random(200)) }),
      };
      if (kind > 3) searches++;
      await expectTimeline(query, kind > 3);
    }
    for (const filter of columnFilters) await expectSameByRows(filter, oneOf(['type', 'platform']));
    const field = oneOf(['type', 'platform', 'method', 'path', 'answered', 'tag']);
    const where = oneOf(['', 'type:push', 'method:PUT']);
    const found = await ada.json<FieldValues>(
      200,
      'GET',
      `/api/endpoints/${endpoint.id}/values?${new URLSearchParams({ field, where, limit: '50' })}`,
    );
    if (!found.complete) continue;
    const events = await list({ where });
    const of = (event: EventSummary): (string | null)[] => {
      if (field === 'tag') return event.tags;
      return [field === 'method' ? event.method : field === 'path' ? event.path : valueOfEvent(field, event)];
    };
    expect({ field, where, ...found }).toEqual({
      field,
      where,
      values: counted(events.flatMap(of)),
      events: events.length,
      complete: true,
    });
  }
  expect(searches).toBeGreaterThan(0);
  expect(listed.some(({ id }) => invalid.has(id))).toBe(true);
  expect(listed.some(({ receivedAt, pin }) => pin !== null && receivedAt < clock.now() - 6 * hour)).toBe(true);
});
