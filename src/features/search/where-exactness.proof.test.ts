/*
 * Searches with filters find exactly what a naive evaluation of every event finds, while events are stored, deleted, pinned, moved between
 * blocks, put into runs, left as rows of 1.0, and expired; with budgets that cut a search into many requests.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { githubPayloads } from '../../../scripts/lib/payloads.ts';
import { signBlock } from '../../core/blocks/block-signature.ts';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import { evaluate } from '../../core/filter/evaluate.ts';
import { toFieldLines } from '../../core/headers.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { createFilterSource, type OracleEvent, oracleAttempt, toOracleEvent } from '../../testing/filter-oracle.ts';
import { createOddEvents } from '../../testing/filters/odd-events.ts';
import { createTestPacker, markRowsToPack } from '../../testing/packing.ts';
import { shareOfCases } from '../../testing/remote/databases.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestAccount, type TestServer } from '../../testing/test-server.ts';
import type { EventDetail } from '../events/model.ts';
import type { BudgetLimits } from './budget.ts';
import type { ReadVerdict } from './condition.ts';
import { createEventFilter } from './event-filter.ts';
import { createFinder } from './finder.ts';
import { byListOrder } from './list-order.ts';
import { selectForEach } from './several-filters.ts';
import { createSearchStore } from './store.ts';

let server: TestServer;
let ada: TestAccount;
let endpoint: { id: string; seq: number; token: string };
let other: { id: string; seq: number; token: string };
const ids = new Set<string>();
let events: OracleEvent[] = [];

const secret = 'a secret of the test';
beforeAll(async () => {
  server = await openTestServer({ searchLimits: { runLength: 4 }, env: { HOOKTAPE_REPLAY_ALLOW: '127.0.0.1' } });
  ada = await server.createAccount();
  const owner = await server.services.account.byEmail(ada.email);
  [endpoint, other] = (await Promise.all(
    ['one', 'other'].map(async name => server.services.endpoints.owned(owner, (await ada.createEndpoint(name)).id)),
  )) as unknown as [typeof endpoint, typeof endpoint];
  await ada.json(201, 'POST', `/api/endpoints/${endpoint.id}/secrets`, { platform: 'github', secret });
});
afterAll(() => server.close());

/** The same numbers in every run. */
let drawn = 0;
const random = (below: number): number =>
  Number.parseInt(createHash('sha256').update(`where${drawn++}`).digest('hex').slice(0, 12), 16) % below;
const oneOf = <T>(all: readonly T[]): T => all[random(all.length)] as T;
const hex = (length: number): string => createHash('sha256').update(`hex${drawn++}`).digest('hex').slice(0, length);

const payloads = githubPayloads().filter(({ body }) => body.length < 20_000);
const odd = createOddEvents(31);
const usualFilter = createFilterSource(() => events, random);
const filterOf = (): string => (random(2) ? usualFilter() : odd.filter().text);

type Given = { body: string | Uint8Array; headers: string[] };

function oddDelivery(): Given {
  const { headers, body } = odd.event();
  return { headers: headers.flat(), body };
}

const deliveries: (() => Given)[] = [
  () => {
    const { event, body } = oneOf(payloads);
    const text = new TextDecoder().decode(body).replace(/[0-9a-f]{40}/g, () => hex(40));
    const changed = oneOf([
      text,
      text.replace('{', '{"note":"Caf\\u00e9 \\ud83d\\ude00 a\\/b \\"Q\\"","refund":null,'),
    ]);
    const proof = `sha256=${createHmac('sha256', oneOf([secret, 'another secret']))
      .update(changed)
      .digest('hex')}`;
    const signature = random(3) ? ['X-Hub-Signature-256', proof] : [];
    return { body: changed, headers: ['Content-Type', 'application/json', 'X-GitHub-Event', event, ...signature] };
  },
  () => ({
    body: `From=%2B4912345&Body=${oneOf(['Hello+World', 'caf%C3%A9+%26+cr%c3%a8me', 'plain'])}&MessageSid=SM${hex(20)}`,
    headers: ['Content-Type', 'application/x-www-form-urlencoded', 'X-Twilio-Signature', hex(20)],
  }),
  () => ({
    body: `{"odd":"a+b%20c&d=%7e${hex(4)}}`,
    headers: ['content-type', oneOf(['application/x-www-form-URLENCODED', 'application/json'])],
  }),
  () => {
    const part = `--cut\r\nContent-Disposition: form-data; name="sku"\r\n\r\n${oneOf(['A-1', 'B-2', `C-${hex(8)}`])}\r\n`;
    const file = '--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const bytes = random(2) ? [0xff, 0xfe, 0x00] : [0x41];
    return {
      body: Buffer.concat([Buffer.from(part + file), Buffer.from(bytes), Buffer.from('\r\n--cut--\r\n')]),
      headers: ['Content-Type', 'multipart/form-data; boundary=cut'],
    };
  },
  () => ({ body: Buffer.from([0xff, random(256), 0x00]), headers: ['Content-Type', 'application/octet-stream'] }),
  () => ({ body: '', headers: ['X-Empty', 'yes'] }),
  () => ({
    body: JSON.stringify({
      type: oneOf(['order.paid', 'order.refunded']),
      items: [{ sku: `A-${random(3)}` }, { sku: hex(6) }],
      n: random(5) / 2,
    }),
    headers: ['Content-Type', 'application/json', 'X-Shop-Domain', oneOf(['acme.example', 'Example.com'])],
  }),
  ...Array.from({ length: 9 }, () => oddDelivery),
];

let now = 1_790_000_000_000;
/** The clock goes back, stands still, and jumps ahead. */
const nextTime = (i: number): number => {
  now += oneOf([1, 1, 1, 5, 0, 0, -3, i === 7 ? -5000 : 1, i === 3 ? 9000 : 2]);
  return now;
};

/** Stores several deliveries at once, so that blocks have several events. */
async function store(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { body, headers } = (random(2) ? deliveries[0] : oneOf(deliveries))?.() ?? { body: '', headers: [] };
      const isOther = random(6) === 0;
      const { id } = await server.services.capture.record(isOther ? other : endpoint, {
        method: oneOf(['POST', 'POST', 'PUT', 'GET', 'DELETE']),
        path: oneOf(['', '/orders/1', `/orders/${random(4)}`, '/Orders', '/a%20b']),
        query: oneOf([null, null, 'page=2&q=a+b', 'page=%32']),
        fields: toFieldLines(headers),
        body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
        sourceIp: oneOf(['127.0.0.1', '10.1.2.3', '2001:db8::7']),
        receivedAt: nextTime(i),
      });
      if (!isOther) ids.add(id);
    }),
  );
}

/** What people do with events. */
async function mark(): Promise<void> {
  for (const id of ids) {
    const kind = random(12);
    if (kind === 0) await ada.json(200, 'PUT', `/api/events/${id}/pin`, {});
    if (kind === 1)
      await ada.json(200, 'PUT', `/api/events/${id}/tags`, { tags: [oneOf(['golden', 'two words', 'a*b'])] });
    if (kind === 2) await ada.json(200, 'DELETE', `/api/events/${id}`).then(() => ids.delete(id));
    if (kind === 3) {
      const seq = events.find(one => one.detail.id === id)?.seq ?? 0;
      await server.services.database.client.execute({
        sql: `INSERT INTO replays (event, destination, status, ok, duration_ms, created_at)
              SELECT seq, 'http://127.0.0.1/', 200, 1, 1, 1 FROM events WHERE seq = ?`,
        args: [seq],
      });
    }
  }
}

/** Reads every event as the API shows it. */
async function readAll(): Promise<void> {
  events = [];
  for (const id of ids) events.push(toOracleEvent(await ada.json<EventDetail>(200, 'GET', `/api/events/${id}`)));
}

const attemptsOf = async (_: number, seqs: readonly number[]) => new Map(seqs.map(seq => [seq, oracleAttempt(seq)]));
const readVerdict: ReadVerdict = async event =>
  (await server.services.verdicts.verify(endpoint, [event]))[0]?.verdict ?? 'none';

async function searchAll(
  where: string,
  { q, since, budget, limit }: { q: string; since: number; budget: BudgetLimits; limit: number },
): Promise<number[]> {
  const searchStore = createSearchStore(server.services.database.scanClient, attemptsOf);
  const finder = createFinder({ store: searchStore, monotonic: () => 0, indexed: true, budget });
  const filter = createEventFilter({
    store: searchStore,
    endpoint: endpoint.seq,
    filter: parseFilter(where),
    now: () => now,
    monotonic: () => 0,
    budget,
    runRead: work => work(backgroundRead),
    readVerdict,
  });
  const seqs: number[] = [];
  let after: Position | undefined;
  for (let requests = 0; requests < 2000; requests++) {
    const { found, next } = await finder.find({
      endpoint: endpoint.seq,
      q,
      filter,
      since,
      after,
      limit,
      read: backgroundRead,
    });
    seqs.push(...found.map(({ seq }) => seq));
    after = found.length === limit ? found.at(-1) : next;
    if (!after) return seqs;
  }
  throw new Error('the search does not end');
}

/** Tries all filters at once on the same events, as live streams do. */
async function compareTogether(filters: readonly Filter[]): Promise<void> {
  const some = events.filter(() => random(3) > 0);
  const found = await selectForEach(filters, {
    store: createSearchStore(server.services.database.scanClient, attemptsOf),
    endpoint: endpoint.seq,
    seqs: some.map(({ seq }) => seq),
    now,
    monotonic: () => 0,
    readVerdict,
    read: backgroundRead,
  });
  for (const filter of filters) {
    const expected = some.filter(({ facts }) => evaluate(filter, facts, now)).map(({ seq }) => seq);
    const where = filter.text;
    expect({ where, found: new Set(found.get(filter)) }).toEqual({ where, found: new Set(expected) });
  }
}

let matched = 0;

async function compare(count: number, since = 0): Promise<void> {
  const inList = (visible: boolean) =>
    events
      .filter(({ facts }) => (visible ? facts.receivedAt >= since : facts.receivedAt < since && facts.isPinned))
      .sort(byListOrder);
  const listed = [...inList(true), ...inList(false)];
  const filters: Filter[] = [];
  for (let i = 0; i < count * shareOfCases; i++) {
    const where = filterOf();
    const filter = parseFilter(where);
    filters.push(filter);
    const q = random(8) === 0 ? oneOf(['repository', 'caf', 'A-1', 'zz']) : '';
    const text = parseFilter(q && JSON.stringify(q));
    const expected = listed
      .filter(({ facts }) => evaluate(filter, facts, now) && evaluate(text, facts, now))
      .map(({ seq }) => seq);
    matched += expected.length;
    const budget = oneOf<BudgetLimits>([
      { ms: 1, blocks: 1 },
      { ms: 1, blocks: 7 },
      { ms: 1, blocks: 10_000 },
      { ms: 0, blocks: 10_000 },
    ]);
    const found = await searchAll(where, { q, since, budget, limit: 1 + random(30) });
    expect({ where, q, since, budget, found }).toEqual({ where, q, since, budget, found: expected });
  }
  await compareTogether(filters);
}

describe('searches with filters agree with a naive evaluation', () => {
  test('while events are stored, deleted, pinned, tagged and replayed', async () => {
    for (let round = 0; round < 4; round++) {
      await store(30);
      await readAll();
      await mark();
      await readAll();
      await compare(100);
    }
    expect(matched).toBeGreaterThan(2000 * shareOfCases);
  }, 240_000);

  test('while signatures are put into runs', async () => {
    const { client } = server.services.database;
    server.services.search.wake();
    const packer = createTestPacker(server, undefined, signBlock);
    await packer.run();
    await server.services.background.idle();
    await compare(150);
    await store(60);
    await packer.run();
    server.services.search.wake();
    await server.services.background.idle();
    await readAll();
    const { rows } = await client.execute('SELECT count(*) FROM signature_runs WHERE state = 2');
    expect(Number(rows[0]?.[0])).toBeGreaterThan(0);
    await compare(250);
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 240_000);

  test('with rows of 1.0 among them, and while these are packed', async () => {
    const seqs = events.filter((_, i) => i % 3 === 0).map(({ seq }) => seq);
    await storeAsRows(server.services.database.client, seqs);
    await markRowsToPack(server);
    await readAll();
    await compare(150);
    const packer = createTestPacker(server, undefined, signBlock);
    let isDone = false;
    const packed = packer.run().then(() => {
      isDone = true;
    });
    while (!isDone) await compare(5);
    await packed;
    await compare(100);
    expect(await server.services.search.checkIndex()).toEqual([]);
  }, 240_000);

  test('when some are past the retention window, of which pinned ones are listed last', async () => {
    const times = events.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
    for (const share of [0.2, 0.5, 0.9]) await compare(60, times[Math.floor(times.length * share)]);
  }, 240_000);

  test('when signatures are not used', async () => {
    const { database } = server.services;
    await database.client.execute("UPDATE block_signatures SET facts = x'', filter = x''");
    await compare(60);
    await server.services.search.reindex();
    await compare(60);
  }, 240_000);
});
