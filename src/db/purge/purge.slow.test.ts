/* After a purge no file has what was deleted, also from parts of pages that SQLite leaves as they were. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowThread } from '../../testing/pooled-threads.ts';
import { createBackground } from '../background.ts';
import { structureProblems } from '../checks/database-checks.ts';
import type { Database } from '../database.ts';
import { createDatabase } from '../open-database.ts';
import { createPurge } from './purge.ts';

let directory: string;
let database: Database;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  database = createDatabase({
    url: `file:${join(directory, 'hooktape.db')}`,
    authToken: undefined,
    spawn: borrowThread,
    onBusy: () => {},
    onThreadFailure: error => {
      throw error;
    },
  });
  await database.open();
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const filesWith = (text: string): string[] =>
  readdirSync(directory)
    .filter(name => readFileSync(join(directory, name)).includes(text))
    .sort();

function purge() {
  const { maintenance } = database;
  if (!maintenance) throw new Error('not embedded');
  const background = createBackground({
    isBusy: () => false,
    monotonic: () => performance.now(),
    onError: (_, error) => {
      throw error;
    },
  });
  return createPurge({ maintenance, file: join(directory, 'hooktape.db'), background, renewJournal: async () => {} });
}

test('deleted rows of every kind are gone, and the others are as they were', async () => {
  const { client, maintenance } = database;
  await client.batch([
    'CREATE TABLE t (seq INTEGER PRIMARY KEY, kept INTEGER, v BLOB)',
    'CREATE TABLE w (k TEXT PRIMARY KEY, kept INTEGER, v BLOB) WITHOUT ROWID',
    'CREATE INDEX t_by_v ON t (v)',
  ]);
  // Sizes around the limits of cells, and long ones; inserted in an order that moves cells between pages.
  const rows = Array.from({ length: 3000 }, (_, i) => ({
    i: (i * 7919) % 3000,
    text: `${i % 3 === 0 ? 'GONE-SECRET' : 'kept'}-${i}-`.padEnd(
      [40, 300, 5000, 16000, 16384, 70_000][i % 6] ?? 0,
      `${i} `,
    ),
  }));
  for (let at = 0; at < rows.length; at += 100)
    await client.batch(
      rows.slice(at, at + 100).flatMap(({ i, text }) => [
        { sql: 'INSERT INTO t VALUES (?, ?, ?)', args: [i, Number(!text.startsWith('GONE')), Buffer.from(text)] },
        {
          sql: 'INSERT INTO w VALUES (?, ?, ?)',
          args: [`${text.slice(0, 60)}${i}`, Number(!text.startsWith('GONE')), Buffer.from(text.slice(0, 3000))],
        },
      ]),
      'write',
    );
  const checksum = async (): Promise<string> => {
    const all = await client.batch(
      ['SELECT seq, v FROM t WHERE kept', 'SELECT k, v FROM w WHERE kept ORDER BY k'],
      'read',
    );
    return String(
      Bun.hash(Buffer.concat(all.flatMap(({ rows }) => rows.map(row => Buffer.from(row[1] as ArrayBuffer))))),
    );
  };
  const before = await checksum();
  await maintenance?.truncateWal();
  await client.batch(['DELETE FROM t WHERE NOT kept', 'DELETE FROM w WHERE NOT kept'], 'write');
  await maintenance?.truncateWal();
  writeFileSync(join(directory, 'hooktape.db.before-upgrade-from-7'), 'GONE-SECRET');
  // The control: without a purge the texts are there.
  expect(filesWith('GONE-SECRET')).toEqual(['hooktape.db', 'hooktape.db.before-upgrade-from-7']);
  await purge().run();
  expect(filesWith('GONE-SECRET')).toEqual([]);
  expect(await checksum()).toBe(before);
  await database.withReader(async reader => expect(await structureProblems(reader, 'integrity_check')).toEqual([]));
}, 120_000);

test('a text is gone although rows are written and deleted meanwhile', async () => {
  const { client, maintenance } = database;
  await client.execute('CREATE TABLE t (seq INTEGER PRIMARY KEY, v BLOB)');
  const insert = (n: number, text: string) =>
    client.batch(
      Array.from({ length: n }, (_, i) => ({
        sql: 'INSERT INTO t (v) VALUES (?)',
        args: [Buffer.from(`${text}-${i}`.padEnd(200 + ((i * 37) % 3000)))],
      })),
      'write',
    );
  for (let n = 0; n < 20; n++) {
    await insert(200, 'GONE-SECRET');
    await insert(200, 'kept');
  }
  await client.execute("DELETE FROM t WHERE substr(v, 1, 4) = CAST('GONE' AS BLOB)");
  expect(filesWith('GONE-SECRET')).not.toEqual([]);
  const { run, isRunning } = purge();
  const done = run();
  let rounds = 0;
  do {
    await insert(50, 'more');
    await client.execute(`DELETE FROM t WHERE seq % 11 = ${rounds++ % 11}`);
  } while (isRunning());
  await done;
  expect(rounds).toBeGreaterThan(1);
  expect(filesWith('GONE-SECRET')).toEqual([]);
  await maintenance?.truncateWal();
  expect(filesWith('GONE-SECRET')).toEqual([]);
  await database.withReader(async reader => expect(await structureProblems(reader, 'integrity_check')).toEqual([]));
}, 120_000);
