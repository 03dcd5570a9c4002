import { describe, expect, test } from 'bun:test';
import { createClient } from '@libsql/client/sqlite3';
import { packError, packStatement, toStatement, unpackResult, unpackStatement } from './messages.ts';
import { openNativeConnection } from './native-connection.ts';

describe('results', () => {
  test('can be read like those of the client library: by position, by name, with types and counts', async () => {
    const sql = "SELECT 1 AS a, 'text' AS b, x'00ff' AS c, NULL AS d, 1.5 AS e UNION ALL SELECT 2, '', x'', 3, 4";
    const connection = openNativeConnection(':memory:', 0);
    const crossed = unpackResult(structuredClone(connection.execute({ sql, args: [] })));
    connection.close();
    const client = createClient({ url: ':memory:', intMode: 'number' });
    const theirs = await client.execute(sql);
    client.close();
    expect([crossed.columns, crossed.columnTypes]).toEqual([theirs.columns, theirs.columnTypes]);
    expect(crossed.rows.map(row => Array.from(row))).toEqual(theirs.rows.map(row => Array.from(row)));
    const [row] = crossed.rows;
    expect([row?.['a'], row?.['b'], row?.['d'], row?.['e'], row?.length]).toEqual([1, 'text', null, 1.5, 5]);
    expect(new Uint8Array(row?.['c'] as ArrayBuffer)).toEqual(Uint8Array.of(0, 255));
  });

  test('of a write keep their counts and the last row id', () => {
    const connection = openNativeConnection(':memory:', 0);
    connection.script('CREATE TABLE t (a INTEGER PRIMARY KEY)');
    const written = connection.execute({ sql: 'INSERT INTO t VALUES (7), (8)', args: [] });
    connection.close();
    const crossed = unpackResult(structuredClone(written));
    expect([crossed.rowsAffected, crossed.lastInsertRowid]).toEqual([2, 8n]);
    expect(JSON.stringify(crossed)).toContain('"lastInsertRowid":"8"');
  });
});

describe('statements', () => {
  test.each([
    ['SELECT 1', { sql: 'SELECT 1', args: [] }],
    [['SELECT ?', [1]], { sql: 'SELECT ?', args: [1] }],
    [['SELECT 1'], { sql: 'SELECT 1', args: [] }],
    [
      { sql: 'SELECT ?', args: ['x'] },
      { sql: 'SELECT ?', args: ['x'] },
    ],
    [{ sql: 'SELECT 1' }, { sql: 'SELECT 1', args: [] }],
    [
      { sql: 'SELECT :a', args: { a: null } },
      { sql: 'SELECT :a', args: { a: null } },
    ],
  ])('%j is a statement', (given, expected) => {
    const statement = toStatement(given as Parameters<typeof toStatement>[0]);
    expect(statement).toEqual(expected);
    const transfer: ArrayBuffer[] = [];
    expect(unpackStatement(packStatement(statement, transfer))).toEqual(expected);
    expect(transfer.length).toBe(Array.isArray(expected.args) && expected.args.length > 0 ? 1 : 0);
  });
});

describe('errors', () => {
  const coded = { code: 'SQLITE_FULL', extendedCode: 'SQLITE_FULL', rawCode: 13 };
  test.each([
    ['a database error', Object.assign(new Error('no'), coded), { message: 'no', ...coded }],
    [
      'a batch error',
      Object.assign(new Error('no'), { code: 'SQLITE_ERROR', statementIndex: 0 }),
      { message: 'no', code: 'SQLITE_ERROR', statementIndex: 0 },
    ],
    ['another error', new TypeError('odd'), { message: 'odd', code: 'UNKNOWN' }],
    ['a thrown string', 'a string', { message: 'a string', code: 'UNKNOWN' }],
  ])('%s is packed with its message and codes', (_name, error, packed) =>
    expect<unknown>(structuredClone(packError(error))).toEqual(packed),
  );
});
