import { beforeEach, describe, expect, test } from 'bun:test';
import type { ThreadRequest } from './messages.ts';
import type { DatabaseThread } from './thread-handle.ts';
import { createThreadedClient } from './threaded-client.ts';

const result = {
  columns: [],
  columnTypes: [],
  rows: [],
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON: () => ({}),
};
let sent: [thread: string, request: ThreadRequest][] = [];
beforeEach(() => {
  sent = [];
});

const fake = (name: string): DatabaseThread => ({
  send: async request => {
    sent.push([name, request]);
    return { results: [result], ms: 0 };
  },
  queueDepth: () => 0,
  close: async () => {},
  terminate: () => {},
});
const client = createThreadedClient(fake('writer'), fake('reader'));
const where = (): string[] => sent.map(([thread]) => thread);

describe('execute', () => {
  test.each([
    ['SELECT 1', 'reader'],
    ['\n  select 1', 'reader'],
    ['EXPLAIN QUERY PLAN SELECT 1', 'reader'],
    ['VALUES (1)', 'reader'],
    ['INSERT INTO t VALUES (1)', 'writer'],
    ['UPDATE t SET a = 1 RETURNING a', 'writer'],
    ['DELETE FROM t', 'writer'],
    ['WITH x AS (SELECT 1) DELETE FROM t', 'writer'],
    ['PRAGMA user_version', 'writer'],
    ['VACUUM INTO ?', 'writer'],
    ['SELECTED', 'writer'],
  ])('%j goes to the %s', async (sql, thread) => {
    await client.execute(sql);
    expect(where()).toEqual([thread]);
  });

  test('accepts every form of a statement', async () => {
    await client.execute('SELECT ?', [1]);
    await client.execute({ sql: 'SELECT ?', args: [2] });
    await client.execute({ sql: 'SELECT :a', args: { a: 3 } });
    await client.execute('SELECT 4');
    expect(sent.map(([, request]) => ('statement' in request ? request.statement.args : undefined))).toEqual([
      [1],
      [2],
      { a: 3 },
      [],
    ]);
  });
});

describe('batch', () => {
  test('goes to the writer unless its mode is read', async () => {
    await client.batch(['SELECT 1']);
    await client.batch(['SELECT 1'], 'deferred');
    await client.batch([{ sql: 'SELECT ?', args: [1] }, ['SELECT ?', [2]]], 'write');
    await client.batch(['SELECT 1'], 'read');
    expect(where()).toEqual(['writer', 'writer', 'writer', 'reader']);
    expect(sent.map(([, request]) => ('mode' in request ? request.mode : ''))).toEqual([
      'write',
      'write',
      'write',
      'read',
    ]);
  });
});

test('scripts and migrations go to the writer', async () => {
  await client.executeMultiple('SELECT 1');
  await client.migrate(['SELECT 1']);
  expect(where()).toEqual(['writer', 'writer']);
});

test('an interactive transaction is refused', async () => {
  expect(await client.transaction('write').catch(error => error)).toMatchObject({ code: 'UNSUPPORTED' });
  expect(sent).toEqual([]);
});
