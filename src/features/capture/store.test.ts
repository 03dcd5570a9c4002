import { expect, test } from 'bun:test';
import type { NewEvent } from './preparer.ts';
import { packRows } from './rows.ts';
import { createCaptureStore } from './store.ts';

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

test('one statement for each group, its place, and what each endpoint gains, once for all', async () => {
  const written: { sql: string; args: unknown[] }[] = [];
  const store = createCaptureStore(async statements => {
    written.push(...statements);
    return [43n, 45n, 2n, 1n].map(lastInsertRowid => ({ lastInsertRowid }));
  });
  // The clock went back within a group, and from one group to the next.
  const places = await store.insert([
    packRows([event(1, 30), event(2, 5), event(1, 20)]),
    packRows([event(1, 10), event(2, 6)]),
  ]);
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
