import { expect, test } from 'bun:test';
import type { NewEvent } from './preparer.ts';
import { createCaptureStore, toRows } from './store.ts';

const none = new Uint8Array(0);
const event = (endpoint: number, receivedAt: number): NewEvent => ({
  nonce: none,
  endpoint,
  receivedAt,
  size: 0,
  encoding: 0,
  method: 'POST',
  platform: null,
  eventType: null,
  verdict: null,
  sourceIp: '',
  sha256: none,
  path: none,
  query: null,
  preview: none,
  content: none,
});

test.each(['one', 'all'] as const)(
  'rows in order, and what each endpoint gains, once for all groups: %s',
  async how => {
    const written: { sql: string; args: unknown[] }[] = [];
    const store = createCaptureStore(async statements => {
      written.push(...statements);
      return statements.map(() => ({ lastInsertRowid: 45n }));
    }, how);
    // The clock went back within a group, and from one group to the next.
    const places = await store.insert([
      toRows([event(1, 30), event(2, 5), event(1, 20)]),
      toRows([event(1, 10), event(2, 6)]),
    ]);
    expect(places).toEqual([
      { first: 41, rows: 3 },
      { first: 44, rows: 2 },
    ]);
    const inserts = written.filter(({ sql }) => sql.startsWith('INSERT'));
    expect(inserts).toHaveLength(how === 'one' ? 5 : 1);
    const values = inserts.flatMap(({ args }) => args);
    expect(values.filter((_, i) => i % 15 === 2)).toEqual([30, 5, 20, 10, 6]);
    expect(written.filter(({ sql }) => sql.startsWith('UPDATE')).map(({ args }) => args)).toEqual([
      [3, 30, 30, 1],
      [2, 6, 6, 2],
    ]);
  },
);
