import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { spawnAhead } from '../database.ts';
import type { ReplyMessage, RequestMessage } from './messages.ts';
import { createLazyThread, startThread } from './thread-handle.ts';

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

/** A thread that does only what the test says. */
async function startPuppet() {
  const deaths: Error[] = [];
  const got: RequestMessage[] = [];
  let ended = 0;
  const worker = {
    onmessage: null as ((event: { data: ReplyMessage }) => void) | null,
    onerror: null as ((event: { message: string }) => void) | null,
    addEventListener: () => {},
    terminate: () => void ended++,
    postMessage(message: RequestMessage) {
      if ('id' in message) got.push(message);
      else queueMicrotask(() => this.onmessage?.({ data: { kind: 'ready' } }));
    },
  };
  const thread = await startThread({
    spawn: () => worker as unknown as Worker,
    open: { path: '', readOnly: false },
    onBusy: () => {},
    onThreadFailure: error => deaths.push(error),
  });
  return { thread, worker, deaths, got, ended: () => ended };
}

describe('a database thread', () => {
  test('carries errors over with their codes', async () => {
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

  test('keeps to the order in which it was asked', async () => {
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

  test('that cannot open its file says why', async () => {
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

  test('replaces a connection that was refused for being busy, settings included, and loses nothing after it', async () => {
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

  test('writes with the settings that the promises rest on', async () => {
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

describe('when the thread dies', () => {
  test.each([
    ['by an error', 'error'],
    ['because it cannot go on', 'failed'],
  ])('%s, everything that waits fails, the owner is told once, and nothing more is taken', async (_name, how) => {
    const { thread, worker, deaths } = await startPuppet();
    const waiting = [thread.send(execute('SELECT 1')), thread.send(execute('SELECT 2'))];
    const settled = Promise.allSettled(waiting);
    if (how === 'failed')
      worker.onmessage?.({ data: { kind: 'failed', error: { message: 'gone', code: 'SQLITE_CANTOPEN' } } });
    else worker.onerror?.({ message: 'gone' });
    expect(deaths).toHaveLength(1);
    worker.onerror?.({ message: 'gone again' });
    expect((await settled).map(one => one.status)).toEqual(['rejected', 'rejected']);
    expect(deaths).toHaveLength(1);
    expect(deaths[0]?.message).toContain('gone');
    expect(await thread.send(execute('SELECT 3')).catch(error => error)).toBe(deaths[0]);
    await thread.close();
  });
});

describe('the queue', () => {
  test('is bounded; what does not fit is refused at once, and closing still gets through', async () => {
    const { thread, worker, got, ended } = await startPuppet();
    const sent = Array.from({ length: 4096 }, () => thread.send(execute('SELECT 1')).catch(() => {}));
    expect(await thread.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'QUEUE_FULL' });
    expect(got).toHaveLength(4096);
    const closing = thread.close();
    const last = got.at(-1);
    expect(last?.kind).toBe('close');
    for (const { id } of got) worker.onmessage?.({ data: { id, results: [], ms: 0 } });
    await Promise.all([...sent, closing]);
    expect(ended()).toBe(1);
  });

  test('holds nothing for a statement that cannot be sent', async () => {
    const { thread, got } = await startPuppet();
    expect(thread.send(execute('SELECT ?', [Number.NaN]))).rejects.toBeInstanceOf(TypeError);
    expect([thread.queueDepth(), got.length]).toEqual([0, 0]);
  });

  test('fails as a whole when it is given up', async () => {
    const { thread, worker, got, ended } = await startPuppet();
    const waiting = thread.send(execute('SELECT 1'));
    thread.terminate();
    expect(await waiting.catch(error => error)).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(ended()).toBe(0);
    worker.onmessage?.({ data: { id: got.at(-1)?.id ?? 0, results: [], ms: 0 } });
    await Promise.resolve();
    expect(ended()).toBe(1);
  });
});

describe('a late thread', () => {
  test('is started once, by its first request', async () => {
    let starts = 0;
    const late = createLazyThread(() => {
      starts++;
      return startWriter();
    });
    expect([starts, late.queueDepth()]).toEqual([0, 0]);
    const answers = await Promise.all([late.send(execute('SELECT 1')), late.send(execute('SELECT 2'))]);
    expect(answers.map(({ results }) => results[0]?.rows[0]?.[0])).toEqual([1, 2]);
    expect(starts).toBe(1);
    await late.close();
    expect(late.send(execute('SELECT 1'))).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('that nobody asked is not started to be closed, nor afterwards', async () => {
    const late = createLazyThread(() => Promise.reject(new Error('started')));
    await late.close();
    expect(late.send(execute('SELECT 1'))).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  test('whose program fails before it is open fails the request, and not the process', async () => {
    const deaths: Error[] = [];
    const late = createLazyThread(() =>
      startThread({
        spawn: () => new Worker(URL.createObjectURL(new Blob(['throw new Error("broken")']))),
        open: { path: file, readOnly: true },
        onBusy: () => {},
        onThreadFailure: error => deaths.push(error),
      }),
    );
    expect(await late.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'THREAD_DIED' });
    expect(deaths).toEqual([]);
  });

  test('that fails to start while it is closed is closed all the same', async () => {
    const start = Promise.withResolvers<never>();
    const late = createLazyThread(() => start.promise);
    const asked = late.send(execute('SELECT 1')).catch(error => error.message);
    const closing = late.close();
    start.reject(new Error('no room'));
    await closing;
    expect(await asked).toBe('no room');
  });

  test('that could not start is tried again', async () => {
    let fail = true;
    const late = createLazyThread(() => (fail ? Promise.reject(new Error('no room')) : startWriter()));
    expect(await late.send(execute('SELECT 1')).catch(error => error.message)).toBe('no room');
    fail = false;
    expect((await late.send(execute('SELECT 1'))).results).toHaveLength(1);
    await late.close();
  });
});

describe('threads started ahead', () => {
  const setUp = () => {
    const spawned: (EventTarget & { name: string })[] = [];
    const ahead = spawnAhead(
      name => {
        const worker = Object.assign(new EventTarget(), { name: `${name} ${spawned.length + 1}` });
        spawned.push(worker);
        return worker as unknown as Worker;
      },
      ['writer', 'reader'],
    );
    return { spawned, handedOut: (name: 'writer' | 'reader') => (ahead(name) as unknown as { name: string }).name };
  };

  test('are handed out once each, by name', () => {
    const { handedOut } = setUp();
    expect([handedOut('reader'), handedOut('reader'), handedOut('writer')]).toEqual([
      'reader 2',
      'reader 3',
      'writer 1',
    ]);
  });

  test.each(['error', 'close'])('are not handed out after their %s', end => {
    const { spawned, handedOut } = setUp();
    spawned[0]?.dispatchEvent(new Event(end));
    expect([handedOut('writer'), handedOut('reader')]).toEqual(['writer 3', 'reader 2']);
  });

  test('that cannot be loaded fail the opening instead of holding it up', async () => {
    const broken = URL.createObjectURL(new Blob(['throw new Error("broken")'], { type: 'text/javascript' }));
    let ended = Promise.resolve();
    const ahead = spawnAhead(() => {
      const worker = new Worker(broken);
      ended = new Promise(resolve => worker.addEventListener('close', () => resolve()));
      return worker;
    }, ['writer']);
    await ended;
    const starting = startThread({
      spawn: () => ahead('writer'),
      open: { path: file, readOnly: false },
      onBusy: () => {},
      onThreadFailure: () => {},
    });
    expect(await starting.catch(error => error)).toMatchObject({ code: 'THREAD_DIED' });
  });
});
