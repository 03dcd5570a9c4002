import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { unknownFacts } from '../core/blocks/block-facts.ts';
import { type ContentRow, createContentReader } from '../db/contents.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import type { NewEvent } from './row-encoder.ts';
import { createCaptureStore, insertStatements, packRows } from './store.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (value: unknown): string => Buffer.from(value as ArrayBuffer).toString('hex');
const latin1 = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString('latin1');

/** Every field of every event has a different value and length. */
const event = (i: number, given: Partial<NewEvent> = {}): NewEvent => ({
  nonce: new Uint8Array(12).fill(i),
  endpoint: 1 + (i % 3),
  receivedAt: 1_700_000_000_000 + i,
  method: 'M'.repeat(1 + (i % 3)),
  platform: `platform ${i}`,
  eventType: `type ${i}!`,
  verdict: JSON.stringify({ verdict: i }),
  sourceIp: `10.0.0.${i}`,
  path: `/path/${i}`,
  query: `query=${i}`,
  delivery: 2 ** 52 + i,
  headersJson: JSON.stringify([['X-Number', String(i)]]),
  body: Uint8Array.from({ length: 50 + i }, (_, at) => at + i),
  ...given,
});

describe('rows', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await openTestServer();
  });
  afterEach(() => server.close());

  const insert = (events: readonly NewEvent[], first?: number) =>
    server.services.database.client.batch(insertStatements(packRows(events, first)), 'write');
  const rowsOf = async (sql: string) => (await server.services.database.client.execute(sql)).rows;

  const stored = async (): Promise<NewEvent[]> => {
    const { client } = server.services.database;
    const rows = await rowsOf('SELECT * FROM events ORDER BY seq');
    const places = rows.map(row => ({ ...row, blockStart: row['block_start'] }) as unknown as ContentRow);
    const contents = await createContentReader(client).readIntact(places);
    return rows.map(row => {
      const content = contents.get(Number(row['seq']));
      if (!content || content instanceof Error) throw new Error(`event ${row['seq']} cannot be read: ${content}`);
      const { path, query, sourceIp, headersJson, body } = content;
      expect(body.length).toBe(row['size'] as number);
      return {
        nonce: row['nonce'],
        endpoint: row['endpoint'],
        receivedAt: row['received_at'],
        method: row['method'],
        platform: row['platform'],
        eventType: row['event_type'],
        verdict: row['verdict'],
        sourceIp,
        path: latin1(path),
        query: latin1(query),
        delivery: row['delivery'],
        headersJson,
        body,
      } as unknown as NewEvent;
    });
  };
  const readable = (event: NewEvent) =>
    Object.fromEntries(
      Object.entries(event).map(([name, value]) => [
        name,
        value !== null && typeof value === 'object' ? hex(value) : value,
      ]),
    );
  const comesBack = async (events: readonly NewEvent[]) => {
    await insert(events);
    expect((await stored()).map(readable)).toEqual(events.map(readable));
  };

  test.each([1, 2, 31, 32, 33, 128, 255, 256, 257, 700])('%i are read back unchanged and in order', async count => {
    await comesBack(Array.from({ length: count }, (_, i) => event(i % 100)));
  });

  test('rows whose numbers were given out before get these numbers, and later ones follow them', async () => {
    const { client } = server.services.database;
    await insert([event(1), event(2), event(4)], 41);
    await insert([event(3)]);
    expect((await rowsOf('SELECT seq, endpoint FROM events ORDER BY seq')).map(row => [row[0], row[1]])).toEqual([
      [41, 2],
      [42, 3],
      [43, 2],
      [44, 1],
    ]);
    const { rows } = await client.execute('SELECT endpoint, first_event, last_event, events FROM blocks ORDER BY seq');
    expect(rows.map(row => [row[0], row[1], row[2], row[3]])).toEqual([
      [2, 41, 43, 2],
      [3, 42, 42, 1],
      [1, 44, 44, 1],
    ]);
    expect(await stored()).toHaveLength(4);
  });

  test('the events of an endpoint are in blocks of 64 KiB, and a larger one in a block of its own', async () => {
    const of = (endpoint: number, size: number) => event(endpoint, { endpoint, body: new Uint8Array(size) });
    await comesBack([of(1, 30_000), of(2, 10), of(1, 200_000), of(1, 30_000), of(1, 30_000), of(2, 10), of(1, 30_000)]);
    const { rows } = await server.services.database.client.execute(
      'SELECT endpoint, first_event, last_event, events, bytes FROM blocks ORDER BY seq',
    );
    expect(rows.map(row => [row[0], row[1], row[2], row[3], Math.round(Number(row[4]) / 10_000)])).toEqual([
      [1, 1, 1, 1, 3],
      [1, 3, 3, 1, 20],
      [1, 4, 5, 2, 6],
      [1, 7, 7, 1, 3],
      [2, 2, 6, 2, 0],
    ]);
  });

  test('what compresses is compressed, and what does not is not', async () => {
    await insert([event(1, { body: new Uint8Array(5000) })]);
    await insert([event(1, { body: crypto.getRandomValues(new Uint8Array(5000)) })]);
    const blocks = await rowsOf(
      'SELECT encoding, length(content) < 200, length(content) > 5000, bytes > 5000 FROM blocks',
    );
    expect(blocks.map(row => [row[0], row[1], row[2], row[3]])).toEqual([
      [1, 1, 0, 1],
      [0, 0, 1, 1],
    ]);
  });

  test('a block has the signature of its events', async () => {
    const seen: unknown[] = [];
    const packed = packRows([event(3), event(4), event(6)], Number.NaN, events => {
      seen.push(events.map(({ eventType, body }) => [eventType, body.length]));
      const filter = seen.length === 1 ? bytes('signed') : new Uint8Array(0);
      return { newest: 9, oldest: 8, facts: unknownFacts(), filter, values: bytes(`values ${seen.length}`) };
    });
    await server.services.database.client.batch(insertStatements(packed), 'write');
    expect(seen).toEqual([
      [
        ['type 3!', 53],
        ['type 6!', 56],
      ],
      [['type 4!', 54]],
    ]);
    const signatures = await rowsOf(
      `SELECT filter, newest, oldest, value_filter, s.endpoint = b.endpoint AND s.last_event = b.last_event AND s.bytes = b.bytes
       FROM blocks AS b JOIN block_signatures AS s ON s.block = b.seq ORDER BY b.seq`,
    );
    expect(signatures.map(row => [hex(row[0]), row[1], row[2], hex(row[3]), row[4]])).toEqual([
      [hex(bytes('signed')), 9, 8, hex(bytes('values 1')), 1],
      ['', 9, 8, hex(bytes('values 2')), 1],
    ]);
    expect(await stored()).toHaveLength(3);
    await server.services.database.client.batch(insertStatements(packRows([event(1)], Number.NaN, null)), 'write');
    const unsigned = await rowsOf('SELECT length(filter) FROM block_signatures ORDER BY block DESC LIMIT 1');
    expect(Number(unsigned[0]?.[0])).toBe(0);
  });

  test('null and empty values are kept apart', async () => {
    const nullable = ['query', 'platform', 'eventType', 'verdict'] as const;
    const every = Array.from({ length: 2 ** nullable.length }, (_, bits) =>
      event(bits, Object.fromEntries(nullable.flatMap((name, at) => (bits & (1 << at) ? [[name, null]] : [])))),
    );
    const empty = event(20, {
      query: '',
      platform: '',
      eventType: '',
      verdict: '',
      path: '',
      headersJson: '[]',
      body: new Uint8Array(0),
    });
    await comesBack([...every, empty, event(21)]);
  });

  test('text beyond ASCII is UTF-8, and a lone surrogate does no harm', async () => {
    await comesBack([
      event(1, { eventType: 'zahlung.überfällig', sourceIp: '∞', headersJson: '[["X-A","ÿ∞"]]' }),
      event(2, { platform: '🪝'.repeat(50) }),
    ]);
    await insert([event(3, { eventType: 'half \ud83e' })]);
    const [, , third] = await stored();
    expect([third?.eventType, third?.verdict]).toEqual(['half �', '{"verdict":3}']);
  });

  test('any bytes are kept: zeros, invalid UTF-8, and large bodies', async () => {
    const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i)).toString('latin1');
    const body = new Uint8Array(3 << 20).fill(0xff, 1 << 20);
    await comesBack([event(1, { path: all, query: all }), event(4, { body }), event(3)]);
  });

  test('a row that the database refuses is rejected with its error, and a text that is too long before', async () => {
    const refusal = await insert([event(1), event(2, { receivedAt: 1.5 })]).catch(error => error);
    expect(refusal.message).toMatch(/INTEGER/);
    expect(() => packRows([event(1, { method: 'M'.repeat(20_000) })])).toThrow('method is too long');
    expect((await rowsOf('SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM blocks)'))[0]?.[0]).toBe(0);
  });
});

const at = (endpoint: number, receivedAt: number) => event(endpoint, { endpoint, receivedAt });

test('a statement each for the blocks, signatures, rows and attempts of a batch, its row numbers, and one counter update per endpoint', async () => {
  const written: { sql: string; args: unknown[] }[] = [];
  const store = createCaptureStore(async statements => {
    written.push(...statements);
    return [9n, 9n, 43n, 43n, 11n, 11n, 45n, 45n, 2n, 1n].map(lastInsertRowid => ({ lastInsertRowid }));
  });
  // The clock went back within a group, and from one group to the next.
  const places = await store.insert([packRows([at(1, 30), at(2, 5), at(1, 20)]), packRows([at(1, 10), at(2, 6)])]);
  expect(places).toEqual([
    { first: 41, rows: 3 },
    { first: 44, rows: 2 },
  ]);
  expect(written.map(({ sql }) => sql.replace(/ \(.*/s, '').slice(0, 18))).toEqual([
    'INSERT INTO blocks',
    'INSERT INTO block_',
    'INSERT INTO events',
    'INSERT OR IGNORE I',
    'INSERT INTO blocks',
    'INSERT INTO block_',
    'INSERT INTO events',
    'INSERT OR IGNORE I',
    'UPDATE endpoints S',
    'UPDATE endpoints S',
  ]);
  expect(written.slice(8).map(({ args }) => args)).toEqual([
    [3, 30, 30, 1],
    [2, 6, 6, 2],
  ]);
});
