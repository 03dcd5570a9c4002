/* What could go wrong with kept prepared statements, and that errors are those of the client library. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InValue } from '@libsql/client';
import { createClient, LibsqlBatchError, LibsqlError } from '@libsql/client/sqlite3';
import { type NativeConnection, openNativeConnection } from './native-connection.ts';

let directory: string;
let file: string;
let connection: NativeConnection;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'local.db');
  connection = openNativeConnection(file, 0);
  connection.script('CREATE TABLE t (a, b TEXT)');
});
afterEach(() => {
  connection.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (sql: string, args: InValue[] | Record<string, InValue> = []) => connection.execute({ sql, args });
const rows = (sql: string, args: InValue[] = []) => run(sql, args).rows;
const caught = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('a cached statement', () => {
  test('uses its new arguments, null included', () => {
    const insert = 'INSERT INTO t VALUES (?, ?)';
    for (const args of [
      [1, 'one'],
      [null, 'two'],
      [Uint8Array.of(3), null],
    ] as InValue[][])
      run(insert, args);
    expect(rows('SELECT a, b FROM t ORDER BY rowid')).toEqual([
      [1, 'one'],
      [null, 'two'],
      [Uint8Array.of(3).buffer, null],
    ]);
  });

  test('does not use its previous arguments in place of missing ones', () => {
    run('INSERT INTO t VALUES (?, ?)', ['secret', 'secret']);
    caught(() => run('INSERT INTO t VALUES (?, ?)', ['other']));
    expect(rows("SELECT count(*) FROM t WHERE b = 'secret'")).toEqual([[1]]);
  });

  test('can run again after it failed', () => {
    connection.script('CREATE UNIQUE INDEX only ON t (a)');
    const insert = 'INSERT INTO t VALUES (?, ?)';
    run(insert, [1, 'kept']);
    expect(caught(() => run(insert, [1, 'refused']))).toMatchObject({ code: 'SQLITE_CONSTRAINT' });
    run(insert, [2, 'after']);
    expect(rows('SELECT b FROM t ORDER BY a')).toEqual([['kept'], ['after']]);
  });

  test('a PRAGMA takes effect each time', () => {
    const value = () => rows('PRAGMA query_only')[0]?.[0];
    for (const on of [1, 0, 1, 0]) {
      run(`PRAGMA query_only = ${on}`);
      expect(value()).toBe(on);
    }
  });

  test('returns the current columns after a schema change', () => {
    run('INSERT INTO t VALUES (1, ?)', ['x']);
    expect(run('SELECT * FROM t').columns).toEqual(['a', 'b']);
    run('ALTER TABLE t ADD COLUMN c');
    expect(run('SELECT * FROM t')).toMatchObject({ columns: ['a', 'b', 'c'], rows: [[1, 'x', null]] });
  });
});

describe('a batch', () => {
  test('is stored completely or not at all, and leaves no open transaction', () => {
    const statements = ['INSERT INTO t VALUES (?, ?)', 'INSERT INTO nowhere VALUES (?, ?)'];
    const failed = caught(() =>
      connection.batch(
        statements.map(sql => ({ sql, args: [1, 'x'] })),
        'write',
      ),
    );
    expect(failed).toBeInstanceOf(LibsqlBatchError);
    expect(failed).toMatchObject({ code: 'SQLITE_ERROR', statementIndex: 1 });
    expect(rows('SELECT count(*) FROM t')).toEqual([[0]]);
    const results = connection.batch(
      [1, 2].map(a => ({ sql: 'INSERT INTO t VALUES (?, ?)', args: [a, 'x'] })),
      'write',
    );
    expect(results.map(({ rowsAffected, lastInsertRowid }) => [rowsAffected, lastInsertRowid])).toEqual([
      [1, 1n],
      [1, 2n],
    ]);
  });

  test('of a migration runs without foreign keys, which are on again afterwards', () => {
    run('PRAGMA foreign_keys = ON');
    connection.migrate([
      { sql: 'CREATE TABLE child (a REFERENCES t (rowid))', args: [] },
      { sql: 'INSERT INTO child VALUES (99)', args: [] },
    ]);
    expect(rows('PRAGMA foreign_keys')).toEqual([[1]]);
  });
});

describe('a transaction that is left open', () => {
  test.each([
    ['by a script that failed', () => connection.script("BEGIN; INSERT INTO t VALUES (1, 'x'); SELECT nothing")],
    ['by a script', () => connection.script("BEGIN; INSERT INTO t VALUES (1, 'x')")],
    ['by a statement', () => run('BEGIN')],
  ])('%s is rolled back, and later writes are stored', (_name, leave) => {
    caught(leave);
    expect(connection.isStuck()).toBe(false);
    run('INSERT INTO t VALUES (?, ?)', [2, 'after']);
    connection.batch([{ sql: 'INSERT INTO t VALUES (?, ?)', args: [3, 'after'] }], 'write');
    connection.close();
    connection = openNativeConnection(file, 0);
    expect(rows('SELECT a FROM t')).toEqual([[2], [3]]);
  });
});

test('a closed connection refuses statements', () => {
  connection.close();
  expect(() => run('SELECT 1')).toThrow();
  expect(() => connection.script('SELECT 1')).toThrow();
  expect(connection.isStuck()).toBe(false);
  connection = openNativeConnection(file, 0);
});

describe('values', () => {
  test.each([
    [true, 1],
    [false, 0],
    [12n, 12],
    [-(2n ** 53n) + 1n, -Number.MAX_SAFE_INTEGER],
    [new Date(1700000000000), 1700000000000],
    [1.5, 1.5],
  ] as [InValue, number][])('%p is read as %p', (given, read) => expect(rows('SELECT ?', [given])).toEqual([[read]]));

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [2n ** 63n], [undefined]] as unknown as [InValue][])(
    '%p is refused',
    given => expect(() => rows('SELECT ?', [given])).toThrow(),
  );

  test('an integer that a number cannot hold is refused when it is read', () =>
    expect(() => rows('SELECT ?', [2n ** 60n])).toThrow(RangeError));

  test('can be passed by name', () => expect(run('SELECT :a, @b', { a: 1, '@b': 'x' }).rows).toEqual([[1, 'x']]));
});

test.each([
  ['SELECT nothing', []],
  ['INSERT INTO u VALUES (?)', [1]],
  ["INSERT INTO s VALUES ('no number')", []],
  ['no sql', []],
] as [string, InValue[]][])('%s fails as in the client library', async (sql, args) => {
  connection.script('CREATE TABLE u (a UNIQUE); INSERT INTO u VALUES (1); CREATE TABLE s (a INTEGER) STRICT');
  const client = createClient({ url: `file:${file}` });
  const theirs = (await client.execute({ sql, args }).catch(error => error)) as LibsqlError;
  client.close();
  const ours = caught(() => run(sql, args)) as LibsqlError;
  expect(ours).toBeInstanceOf(LibsqlError);
  expect([ours.message, ours.code, ours.extendedCode, ours.rawCode]).toEqual([
    theirs.message,
    theirs.code,
    theirs.extendedCode,
    theirs.rawCode,
  ]);
});
