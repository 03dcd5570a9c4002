/* On the embedded database, and on a libSQL server with HOOKTAPE_TEST_DATABASE=remote. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Client } from '@libsql/client';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { compareAndSetStatements, requireNoRowStatement, writeIfUnchanged } from './compare-and-set.ts';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await openTestServer();
  client = server.services.database.client;
});
afterAll(() => server.close());
beforeEach(async () => {
  await client.batch(
    [
      "DELETE FROM meta WHERE name IN ('one', 'two', 'three')",
      "INSERT INTO meta VALUES ('one', x'31'), ('two', x'32')",
    ],
    'write',
  );
});

const insertThree = "INSERT INTO meta VALUES ('three', x'33')";
const set = (name: string, from: number, to: number) =>
  compareAndSetStatements({
    sql: 'UPDATE meta SET value = ? WHERE name = ? AND value = ?',
    args: [Buffer.from(String(to)), name, Buffer.from(String(from))],
  });
const values = async () => {
  const found = await client.execute(
    "SELECT CAST(value AS INTEGER) FROM meta WHERE name IN ('one', 'two', 'three') ORDER BY value",
  );
  return found.rows.map(row => row[0]);
};

test('rows that are as they were read get their new values, with all other statements', async () => {
  expect(await writeIfUnchanged(client, [...set('one', 1, 5), insertThree, ...set('two', 2, 6)])).toBe(true);
  expect(await values()).toEqual([3, 5, 6]);
});

test('an update that leaves the value as it was counts as a change', async () => {
  expect(await writeIfUnchanged(client, set('one', 1, 1))).toBe(true);
});

test.each([
  ['first', [...set('one', 9, 5), insertThree, ...set('two', 2, 6)]],
  ['last', [...set('one', 1, 5), insertThree, ...set('two', 9, 6)]],
  ['missing', [...set('one', 1, 5), insertThree, ...set('nobody', 1, 6)]],
])('a changed row leaves everything as it is: %s', async (_, statements) => {
  expect(await writeIfUnchanged(client, statements)).toBe(false);
  expect(await values()).toEqual([1, 2]);
});

test('a row that must not exist stops the transaction, before and after the other statements', async () => {
  const noThree = requireNoRowStatement({ sql: 'SELECT 1 FROM meta WHERE name = ?', args: ['three'] });
  expect(await writeIfUnchanged(client, [insertThree, noThree])).toBe(false);
  expect(await values()).toEqual([1, 2]);
  expect(await writeIfUnchanged(client, [noThree, insertThree])).toBe(true);
  expect(await writeIfUnchanged(client, [noThree, ...set('one', 1, 5)])).toBe(false);
  expect(await values()).toEqual([1, 2, 3]);
});

test('of 20 concurrent writes from one value, one succeeds', async () => {
  const written = await Promise.all(
    Array.from({ length: 20 }, (_, n) => writeIfUnchanged(client, set('one', 1, 100 + n))),
  );
  expect(written.filter(Boolean)).toHaveLength(1);
});

test('other errors are thrown', async () => {
  const attempt = writeIfUnchanged(client, [...set('one', 1, 5), 'INSERT INTO meta VALUES (NULL, NULL)']);
  expect(await thrownBy(attempt)).toThrow('NOT NULL');
  expect(await values()).toEqual([1, 2]);
});
