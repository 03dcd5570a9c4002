import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import type { NewEvent } from './row-encoder.ts';
import { createCaptureStore, insertStatement, packRows } from './store.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (value: unknown): string => Buffer.from(value as ArrayBuffer).toString('hex');

/** Every field of every event has a different value and length. */
const event = (i: number, given: Partial<NewEvent> = {}): NewEvent => ({
  nonce: new Uint8Array(12).fill(i),
  endpoint: i,
  receivedAt: 1_700_000_000_000 + i,
  size: 100 * i,
  encoding: i % 2,
  method: 'M'.repeat(1 + (i % 3)),
  platform: `platform ${i}`,
  eventType: `type ${i}!`,
  verdict: JSON.stringify({ verdict: i }),
  sourceIp: `10.0.0.${i}`,
  sha256: new Uint8Array(32).fill(128 + i),
  path: bytes(`/path/${i}`),
  query: bytes(`query=${i}`),
  preview: bytes(`preview ${i} of many`),
  content: Uint8Array.from({ length: 50 + i }, (_, at) => at + i),
  ...given,
});

describe('rows', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await openTestServer();
  });
  afterEach(() => server.close());

  const stored = async (events: readonly NewEvent[]): Promise<NewEvent[]> => {
    const { client } = server.services.database;
    await client.batch([insertStatement(packRows(events))], 'write');
    const { rows } = await client.execute('SELECT * FROM events ORDER BY seq');
    return rows.map(row => ({
      nonce: row['nonce'],
      endpoint: row['endpoint'],
      receivedAt: row['received_at'],
      size: row['size'],
      encoding: row['encoding'],
      method: row['method'],
      platform: row['platform'],
      eventType: row['event_type'],
      verdict: row['verdict'],
      sourceIp: row['source_ip'],
      sha256: row['sha256'],
      path: row['path'],
      query: row['query'],
      preview: row['preview'],
      content: row['content'],
    })) as unknown as NewEvent[];
  };
  const readable = (event: NewEvent) =>
    Object.fromEntries(
      Object.entries(event).map(([name, value]) => [
        name,
        value !== null && typeof value === 'object' ? hex(value) : value,
      ]),
    );
  const comesBack = async (events: readonly NewEvent[]) =>
    expect((await stored(events)).map(readable)).toEqual(events.map(readable));

  test.each([1, 2, 32, 128])('%i are read back unchanged and in order', async count => {
    await comesBack(Array.from({ length: count }, (_, i) => event(i % 100)));
  });

  test('rows whose numbers were given out before get these numbers, and later ones follow them', async () => {
    const { client } = server.services.database;
    await client.batch([insertStatement(packRows([event(1), event(2)], 41))], 'write');
    await client.batch([insertStatement(packRows([event(3)]))], 'write');
    const { rows } = await client.execute('SELECT seq, endpoint FROM events ORDER BY seq');
    expect(rows.map(row => [row['seq'], row['endpoint']])).toEqual([
      [41, 1],
      [42, 2],
      [43, 3],
    ]);
  });

  test('null and empty values are kept apart', async () => {
    const none = new Uint8Array(0);
    const nullable = ['query', 'platform', 'eventType', 'verdict'] as const;
    const every = Array.from({ length: 2 ** nullable.length }, (_, bits) =>
      event(bits, Object.fromEntries(nullable.flatMap((name, at) => (bits & (1 << at) ? [[name, null]] : [])))),
    );
    const empty = event(20, {
      query: none,
      platform: '',
      eventType: '',
      verdict: '',
      path: none,
      preview: none,
      content: none,
    });
    await comesBack([...every, empty, event(21)]);
  });

  test('text beyond ASCII is UTF-8, and a lone surrogate does no harm', async () => {
    await comesBack([
      event(1, { eventType: 'zahlung.überfällig', sourceIp: '∞' }),
      event(2, { platform: '🪝'.repeat(50) }),
    ]);
    const [, , third] = await stored([event(3, { eventType: 'half \ud83e' })]);
    expect([third?.eventType, third?.verdict]).toEqual(['half �', '{"verdict":3}']);
  });

  test('any bytes are kept: zeros, invalid UTF-8, and large bodies', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const content = new Uint8Array(3 << 20).fill(0xff, 1 << 20);
    await comesBack([event(1, { path: all, query: all, preview: all }), event(2, { content }), event(3)]);
  });

  test('a row that the database refuses is rejected with its error', async () => {
    const wrong = packRows([event(1), event(2, { size: 1.5 })]);
    const { client } = server.services.database;
    const refusal = await client.batch([insertStatement(wrong)], 'write').catch(error => error);
    expect(refusal.message).toMatch(/INTEGER/);
    expect((await client.execute('SELECT count(*) FROM events')).rows[0]?.[0]).toBe(0);
  });
});

const at = (endpoint: number, receivedAt: number) => event(endpoint, { receivedAt });

test('one statement per batch, its row numbers, and one counter update per endpoint', async () => {
  const written: { sql: string; args: unknown[] }[] = [];
  const store = createCaptureStore(async statements => {
    written.push(...statements);
    return [43n, 45n, 2n, 1n].map(lastInsertRowid => ({ lastInsertRowid }));
  });
  // The clock went back within a group, and from one group to the next.
  const places = await store.insert([packRows([at(1, 30), at(2, 5), at(1, 20)]), packRows([at(1, 10), at(2, 6)])]);
  expect(places).toEqual([
    { first: 41, rows: 3 },
    { first: 44, rows: 2 },
  ]);
  expect(written.map(({ sql }) => sql.slice(0, 6))).toEqual(['INSERT', 'INSERT', 'UPDATE', 'UPDATE']);
  expect(written.slice(2).map(({ args }) => args)).toEqual([
    [3, 30, 30, 1],
    [2, 6, 6, 2],
  ]);
});
