/* Filters read only the blocks that signatures leave, contents only when columns leave it open, and verdicts last. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { backgroundRead } from '../../core/concurrency/content-reads.ts';
import type { Position } from '../../core/ids/cursor.ts';
import type { NewEvent } from '../../ingest/row-encoder.ts';
import { insertStatements, packRows } from '../../ingest/store.ts';
import { parseFilter } from '../../shared/filter/parser.ts';
import { packedEvent } from '../../testing/packing.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createEventFilter } from './event-filter.ts';
import { createFinder } from './finder.ts';
import { planOf } from './plan.ts';
import type { ListRest } from './rows-store.ts';
import { createSearchStore } from './store.ts';

const count = 60;
const rare = 17;
const startedAt = 1_790_000_000_000;
let server: TestServer;

/** Each is in a block of its own; number `rare` differs from all others, and so does its row in the other endpoint. */
const eventOf = (i: number, endpoint: number): NewEvent => {
  const isRare = i === rare;
  const body = JSON.stringify({ n: i, word: isRare ? 'chargeback "a/b"' : 'payment', ...(isRare && { refund: null }) });
  return {
    ...packedEvent({ endpoint, size: 1, compresses: true }),
    receivedAt: startedAt + i,
    eventType: isRare ? 'order.disputed' : 'order.paid',
    platform: isRare ? 'stripe' : 'shopify',
    method: isRare ? 'PUT' : 'POST',
    path: isRare ? '/hooks/rare' : '/hooks/shop',
    query: null,
    sourceIp: isRare ? '10.1.2.3' : '127.0.0.1',
    headersJson: JSON.stringify([['X-Kind', isRare ? 'rare' : 'common']]),
    body: Buffer.from(isRare ? body + ' '.repeat(5000) : body),
  };
};

beforeAll(async () => {
  server = await openTestServer();
  const { client } = server.services.database;
  for (let i = 0; i < count; i++)
    for (const endpoint of [1, 2]) await client.batch(insertStatements(packRows([eventOf(i, endpoint)])), 'write');
});
afterAll(() => server.close());

async function find(where: string, { limit = 100, blocks = 1_000_000, endpoint = 1 } = {}) {
  const read = { blocks: 0, rowsOfBlocks: 0, contents: 0, verdicts: 0 };
  const store = createSearchStore(server.services.database.scanClient, async () => new Map());
  const counting: typeof store = {
    ...store,
    blocks: (numbers, maxBytes) => {
      read.blocks += numbers.length;
      return store.blocks(numbers, maxBytes);
    },
    blockRows: (rest, numbers, plan) => {
      read.rowsOfBlocks += numbers.length;
      return store.blockRows(rest, numbers, plan);
    },
    bodies: (which, use) => {
      read.contents += which.seqs.length;
      return store.bodies(which, use);
    },
  };
  const finder = createFinder({ store: counting, monotonic: () => 0, indexed: true, budget: { ms: 1, blocks } });
  const filter = createEventFilter({
    store: counting,
    endpoint,
    filter: parseFilter(where),
    now: () => startedAt + count,
    monotonic: () => 0,
    budget: { ms: 1, blocks },
    runRead: work => work(backgroundRead),
    readVerdict: async () => {
      read.verdicts++;
      return 'none';
    },
  });
  const { found, next } = await finder.find({
    endpoint,
    q: '',
    filter,
    since: 0,
    after: undefined,
    limit,
    read: backgroundRead,
  });
  return { times: found.map(({ receivedAt }: Position) => receivedAt - startedAt), next, ...read };
}

describe('a filter that matches one event of many', () => {
  test.each([
    'type:order.disputed',
    'type:order.disp*',
    'platform:STRIPE',
    'method:put',
    'size>4k',
    'size>1k size<8k method:PUT',
    'type:order.disputed OR type:absent',
  ])('%s: reads the rows of few blocks, and no content', async where => {
    const found = await find(where);
    expect(found).toMatchObject({ times: [rare], next: undefined, blocks: 0, contents: 0, verdicts: 0 });
    expect(found.rowsOfBlocks).toBeLessThan(count / 4);
  });

  test.each([
    'path:/hooks/rare',
    'path:/hooks/ra*',
    'body.word:"chargeback \\"a/b\\""',
    'body.word:charge*',
    'has:body.refund',
    'chargeback',
  ])('%s: reads few blocks', async where => {
    const found = await find(where);
    expect(found).toMatchObject({ times: [rare], next: undefined, rowsOfBlocks: 0, contents: 0, verdicts: 0 });
    expect(found.blocks).toBeLessThan(count / 4);
  });

  test.each(['ip:10.0.0.0/8', 'header.x-kind:rare', 'body.n:17', 'NOT body.word:payment'])(
    '%s: reads all blocks',
    async where => {
      expect(await find(where)).toMatchObject({ times: [rare], blocks: count, contents: 0, verdicts: 0 });
    },
  );

  test('terms about columns decide before contents, and contents before verdicts', async () => {
    const body = await find('type:order.disputed body.n:17 verdict:none');
    expect(body).toMatchObject({ times: [rare], contents: 0, verdicts: 1 });
    expect(body.blocks).toBeLessThan(count / 4);
    expect(await find('-platform:shopify header.x-kind:rare')).toMatchObject({
      times: [rare],
      contents: 1,
      verdicts: 0,
    });
    expect(await find('-platform:shopify header.x-kind:common verdict:none')).toMatchObject({ times: [], verdicts: 0 });
    expect(await find('verdict:none size>4k')).toMatchObject({ times: [rare], verdicts: 1 });
  });

  test('times narrow the part of the list that is read', async () => {
    const from = new Date(startedAt + 20).toISOString();
    const to = new Date(startedAt + 23).toISOString();
    expect((await find(`received>=${from} received<${to}`)).times).toEqual([22, 21, 20]);
    expect(await find(`received<=${from} header.x-kind:common`, { limit: 2 })).toMatchObject({ times: [20, 19] });
    expect(await find(`received>${to} header.x-kind:absent`)).toMatchObject({ times: [], contents: count - 24 });
  });
});

test('fields of forms and of multipart bodies with a file are found, and forms are narrowed by their decoded text', async () => {
  const insert = (endpoint: number, type: string, body: string | Uint8Array) =>
    server.services.database.client.batch(
      insertStatements(
        packRows([
          { ...eventOf(0, endpoint), headersJson: JSON.stringify([['Content-Type', type]]), body: Buffer.from(body) },
        ]),
      ),
      'write',
    );
  await insert(3, 'application/x-www-form-urlencoded', 'Body=Hello+World%21&From=%2B49123');
  expect(await find('body.Body:"Hello World!" body.From:"+49123"', { endpoint: 3 })).toMatchObject({ times: [0] });
  expect(await find('body.Body:"Hello Brave World"', { endpoint: 3 })).toMatchObject({ times: [], blocks: 0 });
  const part = '--cut\r\nContent-Disposition: form-data; name="sku"\r\n\r\nA-12345\r\n--cut\r\n\r\n';
  await insert(4, 'multipart/form-data; boundary=cut', Buffer.concat([Buffer.from(part), Buffer.of(0xff, 0xfe)]));
  expect(await find('body.sku:"A-12345"', { endpoint: 4 })).toMatchObject({ times: [0], blocks: 1 });
});

describe('a required pin, tag or replay', () => {
  test('is looked up in its table: no other row is read', async () => {
    const { client } = server.services.database;
    const seqs = (await client.execute('SELECT seq FROM events WHERE endpoint = 1 ORDER BY seq LIMIT 3')).rows.map(
      row => Number(row[0]),
    );
    for (const [i, seq] of seqs.entries()) {
      const of = (sql: string) => client.execute({ sql: `${sql} FROM events WHERE seq = ?`, args: [seq] });
      await of('INSERT INTO pins (event, endpoint, received_at, pinned_at) SELECT seq, endpoint, received_at, 1');
      await of(
        `INSERT INTO tags (event, tag, position, endpoint, received_at) SELECT seq, 'golden', 0, endpoint, received_at`,
      );
      if (i < 2)
        await of(
          `INSERT INTO replays (event, destination, status, ok, duration_ms, created_at) SELECT seq, '', 200, 1, 1, 1`,
        );
    }
    for (const [where, times] of [
      ['is:pinned', [2, 1, 0]],
      ['tag:golden', [2, 1, 0]],
      ['is:replayed', [1, 0]],
      ['is:pinned tag:golden is:replayed', [1, 0]],
      ['is:pinned body.n:1', [1]],
      ['tag:gold* is:pinned', [2, 1, 0]],
      ['NOT is:pinned received<2026-09-21T14:13:20.005Z', [4, 3]],
      ['tag:absent OR is:replayed', [1, 0]],
    ] as const) {
      const found = await find(where);
      expect([where, found.times]).toEqual([where, [...times]]);
      expect([where, found.contents <= 3, found.blocks]).toEqual([where, true, 0]);
    }
    expect(planOf(parseFilter('is:pinned OR tag:a'), 0).required).toBeUndefined();
    expect(planOf(parseFilter('NOT tag:a'), 0).required).toBeUndefined();
  });
});

test('a search that cannot be narrowed stops within its budget, and the next continues there', async () => {
  const { times, next } = await find('header.x-kind:absent', { blocks: 1 });
  expect([times, next !== undefined]).toEqual([[], true]);
});

test('no query returns rows of another endpoint', async () => {
  const { client, scanClient } = server.services.database;
  const store = createSearchStore(scanClient, async () => new Map());
  const rest: ListRest = { endpoint: 1, since: 0, after: undefined };
  const { rows } = await client.execute('SELECT seq, endpoint, block FROM events ORDER BY seq LIMIT 6');
  const own = rows.filter(row => Number(row[1]) === 1).map(row => Number(row[0]));
  const { columns } = planOf(parseFilter('method:POST'), 0);
  if (!columns) throw new Error('it has a term about a column');
  const seqsOf = (found: Iterable<{ seq: number }>) => [...found].map(({ seq }) => seq).sort((a, b) => a - b);
  const blocks = rows.map(row => Number(row[2]));
  expect(seqsOf((await store.blockRows(rest, blocks, columns)).rows)).toEqual(own);
  expect(seqsOf((await store.list(rest, columns, 1000)).rows).slice(0, 3)).toEqual(own);
  await storeAsRows(client, own);
  expect(
    seqsOf(
      (
        await store.events(
          rest,
          rows.map(row => Number(row[0])),
          columns,
        )
      ).values(),
    ),
  ).toEqual(own);
  for (const table of ['pins', 'tags', 'replays'] as const) {
    const { rows: before } = await client.execute(`SELECT count(*) FROM ${table}`);
    const foreign = 'FROM events WHERE endpoint = 2 LIMIT 2';
    await client.execute(
      {
        pins: `INSERT INTO pins (event, endpoint, received_at, pinned_at) SELECT seq, endpoint, received_at, 1 ${foreign}`,
        tags: `INSERT INTO tags (event, tag, position, endpoint, received_at) SELECT seq, 'golden', 0, endpoint, received_at ${foreign}`,
        replays: `INSERT INTO replays (event, destination, ok, duration_ms, created_at) SELECT seq, '', 1, 1, 1 ${foreign}`,
      }[table],
    );
    const found = await store.required(rest, { of: table, tag: 'golden' }, 100);
    expect([table, found?.length]).toEqual([table, Number(before[0]?.[0])]);
  }
});
