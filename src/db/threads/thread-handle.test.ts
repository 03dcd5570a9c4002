import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { thrownBy } from '../../testing/thrown-by.ts';
import type { ReplyMessage, RequestMessage } from './messages.ts';
import { startThread } from './thread-handle.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'thread.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const spawn = () => new Worker(new URL('./reader-thread.ts', import.meta.url).href);

function startWriter(onBusy = () => {}) {
  return startThread({ spawn, open: { path: file, readOnly: false }, onBusy, onThreadFailure: () => {} });
}

const execute = (sql: string, args: (string | number)[] = []) =>
  ({ kind: 'execute', statement: { sql, args } }) as const;

/** A thread whose replies the test writes. */
async function startFakeThread() {
  const failures: Error[] = [];
  const received: RequestMessage[] = [];
  let terminations = 0;
  const worker = {
    onmessage: null as ((event: { data: ReplyMessage }) => void) | null,
    onerror: null as ((event: { message: string }) => void) | null,
    addEventListener: () => {},
    terminate: () => void terminations++,
    postMessage(message: RequestMessage) {
      if ('id' in message) received.push(message);
      else queueMicrotask(() => this.onmessage?.({ data: { kind: 'ready' } }));
    },
  };
  const thread = await startThread({
    spawn: () => worker as unknown as Worker,
    open: { path: '', readOnly: false },
    onBusy: () => {},
    onThreadFailure: error => failures.push(error),
  });
  return { thread, worker, failures, received, terminations: () => terminations };
}

describe('a database thread', () => {
  test('creates the tables of a new file when it opens it, and of no other', async () => {
    const open = (schema: string[]) =>
      startThread({
        spawn,
        open: { path: file, readOnly: false, schema },
        onBusy: () => {},
        onThreadFailure: () => {},
      });
    const created = await open(['CREATE TABLE t (a INTEGER) STRICT', 'PRAGMA user_version = 7']);
    expect((await created.send(execute('SELECT user_version FROM pragma_user_version, t'))).results[0]?.rows).toEqual(
      [],
    );
    await created.close();
    const again = await open(['CREATE TABLE other (a INTEGER) STRICT', 'PRAGMA user_version = 8']);
    const { results } = await again.send(execute('SELECT name FROM sqlite_schema'));
    expect(results[0]?.rows.map(row => row[0])).toEqual(['t']);
    expect((await again.send(execute('PRAGMA user_version'))).results[0]?.rows[0]?.[0]).toBe(7);
    await again.close();
  });

  test('an error of the database keeps its codes', async () => {
    const thread = await startWriter();
    await thread.send({ kind: 'script', sql: 'CREATE TABLE t (a TEXT UNIQUE) STRICT' });
    await thread.send(execute('INSERT INTO t VALUES (?)', ['x']));
    expect(await thread.send(execute('INSERT INTO t VALUES (?)', ['x'])).catch(error => error)).toMatchObject({
      name: 'LibsqlError',
      code: 'SQLITE_CONSTRAINT',
      extendedCode: 'SQLITE_CONSTRAINT_UNIQUE',
    });
    const statements = ['a', 'x'].map(one => ({ sql: 'INSERT INTO t VALUES (?)', args: [one] }));
    expect(await thread.send({ kind: 'batch', statements, mode: 'write' }).catch(error => error)).toMatchObject({
      code: 'SQLITE_CONSTRAINT',
      statementIndex: 1,
    });
    const [result] = (await thread.send(execute('SELECT count(*) FROM t'))).results;
    expect(result?.rows[0]?.[0]).toBe(1);
    await thread.close();
  });

  test('requests are answered in the order in which they were sent', async () => {
    const thread = await startWriter();
    const sent = [
      thread.send({ kind: 'script', sql: 'CREATE TABLE t (a)' }),
      ...[1, 2, 3].map(n => thread.send(execute('INSERT INTO t VALUES (?)', [n]))),
      thread.send(execute('SELECT group_concat(CAST(a AS INTEGER)) FROM t')),
    ];
    expect(thread.queueDepth()).toBe(5);
    expect((await Promise.all(sent)).at(-1)?.results[0]?.rows[0]?.[0]).toBe('1,2,3');
    expect(thread.queueDepth()).toBe(0);
    await thread.close();
    expect(await thread.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('opening a file that cannot be opened fails with the reason', async () => {
    const failed = startThread({
      spawn,
      open: { path: directory, readOnly: false },
      onBusy: () => {},
      onThreadFailure: () => {},
    });
    expect(await failed.catch(error => error)).toMatchObject({
      message: expect.stringContaining('Unable to open'),
    });
  });

  test('after SQLITE_BUSY the connection is replaced with the same settings, and later writes are stored', async () => {
    let busy = 0;
    const thread = await startWriter(() => busy++);
    await thread.send({ kind: 'script', sql: 'CREATE TABLE t (a); PRAGMA busy_timeout = 0' });
    const intruder = createClient({ url: `file:${file}`, concurrency: 1 });
    const held = await intruder.transaction('write');
    expect(await thread.send(execute('INSERT INTO t VALUES (1)')).catch(error => error)).toMatchObject({
      code: 'SQLITE_BUSY',
    });
    await held.rollback();
    intruder.close();

    const value = async (sql: string) => (await thread.send(execute(sql))).results[0]?.rows[0]?.[0];
    expect(await value('PRAGMA synchronous')).toBe(2);
    expect(await value('PRAGMA foreign_keys')).toBe(1);
    expect(busy).toBe(1);
    await thread.send(execute('INSERT INTO t VALUES (2)'));
    await thread.close();
    const after = createClient({ url: `file:${file}` });
    expect((await after.execute('SELECT a FROM t')).rows.map(row => row[0])).toEqual([2]);
    after.close();
  });

  test('a new database is written with the settings that durability depends on', async () => {
    const thread = await startWriter();
    const value = async (name: string) => (await thread.send(execute(`PRAGMA ${name}`))).results[0]?.rows[0]?.[0];
    expect([await value('journal_mode'), await value('synchronous'), await value('page_size')]).toEqual([
      'wal',
      2,
      16384,
    ]);
    expect([await value('auto_vacuum'), await value('foreign_keys')]).toEqual([2, 1]);
    await thread.close();
    expect(statSync(file).size % 16384).toBe(0);
  });
});

describe('a thread that dies', () => {
  test.each([
    ['with an error', 'error'],
    ['after losing its connection', 'failed'],
  ])('%s fails all pending and later requests, and is reported once', async (_name, how) => {
    const { thread, worker, failures } = await startFakeThread();
    const pending = [thread.send(execute('SELECT 1')), thread.send(execute('SELECT 2'))];
    const settled = Promise.allSettled(pending);
    if (how === 'failed')
      worker.onmessage?.({ data: { kind: 'failed', error: { message: 'gone', code: 'SQLITE_CANTOPEN' } } });
    else worker.onerror?.({ message: 'gone' });
    expect(failures).toHaveLength(1);
    worker.onerror?.({ message: 'gone again' });
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toContain('gone');
    expect(await thread.send(execute('SELECT 3')).catch(error => error)).toBe(failures[0]);
    await thread.close();
  });
});

describe('a thread that is being closed', () => {
  test('refuses further requests', async () => {
    const { thread, worker, received } = await startFakeThread();
    const closing = thread.close();
    expect(await thread.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(received.map(({ kind }) => kind)).toEqual(['close']);
    worker.onmessage?.({ data: { id: received[0]?.id ?? 0, results: [], ms: 0 } });
    await closing;
  });

  test('fails to close when it dies meanwhile', async () => {
    const { thread, worker, failures } = await startFakeThread();
    const closing = thread.close();
    worker.onerror?.({ message: 'gone' });
    expect(await thrownBy(closing)).toThrow('gone');
    expect(failures).toHaveLength(1);
  });
});

describe('the queue', () => {
  test('refuses requests when it is full, except the one that closes the thread', async () => {
    const { thread, worker, received, terminations } = await startFakeThread();
    const sent = Array.from({ length: 4096 }, () => thread.send(execute('SELECT 1')).catch(() => {}));
    expect(await thread.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'QUEUE_FULL' });
    expect(received).toHaveLength(4096);
    const closing = thread.close();
    const last = received.at(-1);
    expect(last?.kind).toBe('close');
    for (const { id } of received) worker.onmessage?.({ data: { id, results: [], ms: 0 } });
    await Promise.all([...sent, closing]);
    expect(terminations()).toBe(1);
  });

  test('does not count a statement that cannot be packed', async () => {
    const { thread, received } = await startFakeThread();
    expect(await thrownBy(thread.send(execute('SELECT ?', [Number.NaN])))).toThrow(TypeError);
    expect([thread.queueDepth(), received.length]).toEqual([0, 0]);
  });

  test('fails as a whole when the thread is terminated, which ends after its current statement', async () => {
    const { thread, worker, received, terminations } = await startFakeThread();
    const pending = thread.send(execute('SELECT 1'));
    thread.terminate();
    expect(await pending.catch(error => error)).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(terminations()).toBe(0);
    worker.onmessage?.({ data: { id: received.at(-1)?.id ?? 0, results: [], ms: 0 } });
    await Promise.resolve();
    expect(terminations()).toBe(1);
  });
});
