import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client/sqlite3';
import { thrownBy } from '../testing/thrown-by.ts';
import { migrate, readVersion, SchemaError } from './migrate.ts';
import { createDatabase, openDatabaseEarly } from './open-database.ts';

let directory: string;
let file: string;
let client: Client;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'hooktape.db');
  client = createClient({ url: `file:${file}`, concurrency: 1 });
});
afterEach(() => {
  client.close();
  rmSync(directory, { recursive: true, force: true });
});

const first = 'CREATE TABLE a (x);\n--> statement-breakpoint\nINSERT INTO a VALUES (1);';
const second = 'ALTER TABLE a ADD COLUMN y';
const noCopy = async (): Promise<void> => {
  throw new Error('no copy was expected');
};
const tables = async () =>
  (await client.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")).rows.map(row => row[0]);

describe('migrate', () => {
  test('gives an empty database the whole schema without a copy, and changes nothing the next time', async () => {
    expect(await migrate(client, [first, second], noCopy)).toEqual({ from: 0, to: 2 });
    expect((await client.execute('SELECT * FROM a')).columns).toEqual(['x', 'y']);
    expect(await migrate(client, [first, second], noCopy)).toEqual({ from: 2, to: 2 });
  });

  test('copies an older database once, before the first change', async () => {
    await migrate(client, [first], noCopy);
    const copied: unknown[] = [];
    await migrate(client, [first, second, 'CREATE TABLE b (x)'], async from => {
      copied.push(from, (await client.execute('SELECT * FROM a')).columns);
    });
    expect(copied).toEqual([1, ['x']]);
    expect(await readVersion(client)).toBe(3);
  });

  test('refuses a database that a newer version wrote, and leaves it unchanged', async () => {
    await migrate(client, [first, second], noCopy);
    const refused = await migrate(client, [first], noCopy).catch(error => error);
    expect(refused).toBeInstanceOf(SchemaError);
    expect(refused.message).toMatch(/version 2.* up to 1.*newer Hooktape/);
    expect(await readVersion(client)).toBe(2);
  });

  test('rolls back a migration that fails, together with its version, and keeps the ones before it', async () => {
    const broken = 'CREATE TABLE b (x)\n--> statement-breakpoint\nINSERT INTO nowhere VALUES (1)';
    const upgraded = [first, 'CREATE TABLE c (x)'];
    await migrate(client, [first], noCopy);
    const failed = migrate(client, [...upgraded, broken], async () => {});
    expect(await failed.catch(error => error.message)).toContain('nowhere');
    expect([await readVersion(client), await tables()]).toEqual([2, ['a', 'c']]);
    await migrate(client, [...upgraded, 'CREATE TABLE b (x)'], async () => {});
    expect(await tables()).toEqual(['a', 'b', 'c']);
  });

  test('leaves an empty database empty when a migration fails', async () => {
    const failed = migrate(client, [first, 'INSERT INTO nowhere VALUES (1)'], noCopy);
    expect(await failed.catch(error => error.message)).toContain('nowhere');
    expect([await readVersion(client), await tables()]).toEqual([0, []]);
  });

  test.each([
    ['', [first]],
    [', and runs the remaining ones', [first, second]],
  ])('accepts a migration that another process has just run%s', async (_, migrations) => {
    const other = createClient({ url: `file:${file}`, concurrency: 1 });
    const racing: Client = {
      ...client,
      execute: client.execute.bind(client),
      migrate: async statements => {
        await migrate(other, [first], noCopy);
        return client.migrate(statements);
      },
    };
    expect(await migrate(racing, migrations, noCopy)).toEqual({ from: 0, to: migrations.length });
    expect(await readVersion(client)).toBe(migrations.length);
    expect((await client.execute('SELECT count(*) FROM a')).rows[0]?.[0]).toBe(1);
    other.close();
  });

  test('refuses an empty database that a newer process has migrated meanwhile', async () => {
    const other = createClient({ url: `file:${file}`, concurrency: 1 });
    const racing: Client = {
      ...client,
      execute: client.execute.bind(client),
      migrate: async statements => {
        await migrate(other, [first, second], noCopy);
        return client.migrate(statements);
      },
    };
    expect(await thrownBy(migrate(racing, [first], noCopy))).toThrow('newer Hooktape');
    other.close();
  });
});

describe('createDatabase', () => {
  const open = async (migrations?: string[]) => {
    const database = createDatabase({
      url: `file:${file}`,
      authToken: undefined,
      spawn: () => new Worker(new URL('./threads/reader-thread.ts', import.meta.url).href),
      onBusy: () => {},
      onThreadFailure: () => {},
      ...(migrations && { migrations }),
    });
    await database.open();
    return database;
  };
  const modes = () =>
    Object.fromEntries(
      readdirSync(directory).map(name => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
    );

  test('creates files that only their owner can read, the log included', async () => {
    const database = await open();
    expect(modes()).toEqual({ 'hooktape.db': '600', 'hooktape.db-shm': '600', 'hooktape.db-wal': '600' });
    await database.close();
  });

  test('makes a complete copy before an upgrade, even when an earlier copy was interrupted', async () => {
    await (await open([first])).close();
    const copy = `${file}.before-upgrade-from-1`;
    writeFileSync(`${copy}.part`, 'half a copy');
    await (await open([first, second])).close();
    expect(modes()['hooktape.db.before-upgrade-from-1']).toBe('600');
    expect(modes()['hooktape.db.before-upgrade-from-1.part']).toBeUndefined();
    const copied = createClient({ url: `file:${copy}` });
    expect([await readVersion(copied), (await copied.execute('SELECT * FROM a')).columns]).toEqual([1, ['x']]);
    copied.close();
  });

  test.each([
    ['that is in the log alone because another program reads it', true],
    ['that is in the log after a crash', false],
  ])('the copy contains what was written last, also %s', async (_, isRead) => {
    await (await open([first])).close();
    const other = createClient({ url: `file:${file}`, concurrency: 1 });
    await other.execute('PRAGMA wal_autocheckpoint = 0');
    await other.execute('INSERT INTO a VALUES (2)');
    const reading = isRead ? await other.transaction('read') : undefined;
    await reading?.execute('SELECT * FROM a');
    await (await open([first, second])).close();
    reading?.close();
    other.close();
    const copied = createClient({ url: `file:${file}.before-upgrade-from-1` });
    expect((await copied.execute('SELECT x FROM a')).rows.map(row => row[0])).toEqual([1, 2]);
    expect(statSync(`${file}.before-upgrade-from-1`).mode & 0o777).toBe(0o600);
    copied.close();
  });
});

describe('openDatabaseEarly', () => {
  const workers: Worker[] = [];
  const open = (path: string) =>
    openDatabaseEarly({
      url: `file:${path}`,
      authToken: undefined,
      spawn: () => {
        const worker = new Worker(new URL('./threads/reader-thread.ts', import.meta.url).href);
        workers.push(worker);
        return worker;
      },
    });

  test('reports a thread that died before anybody listened', async () => {
    const { database, connect } = open(file);
    await database.open();
    const ended = Promise.all(workers.map(worker => new Promise(resolve => worker.addEventListener('close', resolve))));
    for (const worker of workers.splice(0)) worker.terminate();
    await ended;
    const failures: Error[] = [];
    connect({ onBusy: () => {}, onThreadFailure: error => failures.push(error) });
    expect(failures.map(error => (error as Error & { code?: string }).code)).toEqual(['THREAD_DIED']);
  });

  test('reports at `open` that the file cannot be opened', async () => {
    const { database } = open(directory);
    expect(await thrownBy(database.open())).toThrow();
    await database.close();
  });
});
