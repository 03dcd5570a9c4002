import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { createSealer } from '../core/secrets/seal.ts';
import { borrowThread } from '../testing/pooled-threads.ts';
import { randomBytes } from '../testing/test-server.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { writeBackup } from './backup.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { createDatabase } from './open-database.ts';
import { checkSecret } from './secret-check.ts';

let directory: string;
let database: Database;
const file = (name: string): string => join(directory, name);

async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const created = createDatabase(options);
  await created.open();
  return created;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  database = await openDatabase({
    url: `file:${file('hooktape.db')}`,
    authToken: undefined,
    spawn: borrowThread,
    onBusy: () => {},
    onThreadFailure: error => {
      throw error;
    },
  });
  await checkSecret(database.client, createSealer('secret', randomBytes));
});
afterEach(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const write = (value: Uint8Array) =>
  database.client.execute({ sql: 'INSERT OR REPLACE INTO meta VALUES (?, ?)', args: [crypto.randomUUID(), value] });

test('closing the database writes the log into the file', async () => {
  await write(randomBytes(100_000));
  expect(statSync(file('hooktape.db-wal')).size).toBeGreaterThan(100_000);
  await database.close();
  expect(statSync(file('hooktape.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

test('a timed batch returns how long the writer worked on it', async () => {
  const { results, writerMs } = await database.timedBatch([
    "INSERT INTO meta VALUES ('one', x'01')",
    "INSERT INTO meta VALUES ('two', x'02')",
  ]);
  expect(results.map(({ rowsAffected }) => rowsAffected)).toEqual([1, 1]);
  expect(writerMs).toBeGreaterThan(0);
});

describe('vacuum', () => {
  test('cuts the requested number of pages off the file', async () => {
    for (let i = 0; i < 20; i++) await write(randomBytes(200_000));
    await database.client.execute("DELETE FROM meta WHERE name <> 'secret-check'");
    const before = await database.maintenance?.pages();
    await database.maintenance?.vacuum(50);
    const after = await database.maintenance?.pages();
    expect([(before?.total ?? 0) - (after?.total ?? 0), (before?.free ?? 0) - (after?.free ?? 0)]).toEqual([50, 50]);
    await database.maintenance?.vacuum(100_000);
    expect((await database.maintenance?.pages())?.free).toBe(0);
    // No statement was left open: it would pin the log.
    await write(randomBytes(10));
    await database.maintenance?.truncateWal();
    expect(statSync(file('hooktape.db-wal')).size).toBe(0);
    expect(statSync(file('hooktape.db')).size).toBeLessThan(150 * 16384);
  });
});

test('a file without incremental vacuum has no pages to cut off', async () => {
  const url = `file:${file('other.db')}`;
  const client = createClient({ url });
  await client.executeMultiple(`PRAGMA auto_vacuum = NONE; CREATE TABLE other (text);
    INSERT INTO other VALUES (zeroblob(500000)); DELETE FROM other`);
  client.close();
  const other = await openDatabase({
    url,
    authToken: undefined,
    spawn: borrowThread,
    onBusy: () => {},
    onThreadFailure: () => {},
  });
  expect((await other.maintenance?.pages())?.free).toBe(0);
  await other.close();
});

describe('withReader', () => {
  test('delays neither the writer nor the other readers, and cannot write', async () => {
    const order: string[] = [];
    const long = database
      .withReader(client =>
        client.execute(
          'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n',
        ),
      )
      .then(() => order.push('long'));
    const short = Promise.all([
      write(randomBytes(10)),
      database.client.execute('SELECT 1'),
      database.scanClient.execute('SELECT 1'),
    ]).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
    expect(await thrownBy(database.withReader(client => client.execute('DELETE FROM meta')))).toThrow('readonly');
  });

  test('fails when the database is closed', async () => {
    const started = Promise.withResolvers<void>();
    const long = database.withReader(client => {
      started.resolve();
      return client.execute(
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000000) SELECT max(i) FROM n',
      );
    });
    const failed = long.then(
      () => undefined,
      error => error.code,
    );
    await started.promise;
    await database.close();
    expect(await failed).toBe('CLIENT_CLOSED');
  });
});

describe('writeBackup', () => {
  const copy = (name: string) => {
    if (!database.maintenance) throw new Error('not a file');
    return writeBackup({
      maintenance: database.maintenance,
      spawn: borrowThread,
      file: file(name),
      partialFile: file(`${name}.part`),
    });
  };

  test('leaves no file when the copy fails', async () => {
    const { maintenance } = database;
    if (!maintenance) throw new Error('not a file');
    const full = { ...maintenance, copyInto: () => Promise.reject(new Error('SQLITE_FULL: disk is full')) };
    const written = writeBackup({
      maintenance: full,
      spawn: borrowThread,
      file: file('copy'),
      partialFile: file('copy.part'),
    });
    expect(await thrownBy(written)).toThrow('disk is full');
    const damaging = { ...maintenance, copyInto: async (path: string) => writeFileSync(path, 'x'.repeat(40_000)) };
    const damaged = writeBackup({
      maintenance: damaging,
      spawn: borrowThread,
      file: file('copy'),
      partialFile: file('copy.part2'),
    });
    expect(await thrownBy(damaged)).toThrow();
    for (const name of ['copy', 'copy.part', 'copy.part2']) expect(existsSync(file(name))).toBe(false);
  });

  test('keeps page size and vacuum mode, so that a restored database can be vacuumed', async () => {
    await copy('copy');
    const { size } = statSync(file('copy'));
    expect(size % 16384).toBe(0);
    await database.close();
    database = await openDatabase({
      url: `file:${file('copy')}`,
      authToken: undefined,
      spawn: borrowThread,
      onBusy: () => {},
      onThreadFailure: () => {},
    });
    const modes = await database.client.execute(
      'SELECT page_size, auto_vacuum FROM pragma_page_size, pragma_auto_vacuum',
    );
    expect([modes.rows[0]?.[0], modes.rows[0]?.[1]]).toEqual([16384, 2]);
  });

  test('succeeds only once when two backups write the same file', async () => {
    const { maintenance } = database;
    if (!maintenance) throw new Error('not a file');
    const both = await Promise.allSettled(
      ['a', 'b'].map(part =>
        writeBackup({ maintenance: maintenance, spawn: borrowThread, file: file('copy'), partialFile: file(part) }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
