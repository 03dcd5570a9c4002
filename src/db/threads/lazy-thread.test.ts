import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createLazyThread } from './lazy-thread.ts';
import type { ThreadRequest } from './messages.ts';
import { startThread } from './thread-handle.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'thread.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const execute = (sql: string): ThreadRequest => ({ kind: 'execute', statement: { sql, args: [] } });

const startWriter = () =>
  startThread({
    spawn: () => new Worker(new URL('./reader-thread.ts', import.meta.url).href),
    open: { path: file, readOnly: false },
    onBusy: () => {},
    onThreadFailure: () => {},
  });

describe('a lazy thread', () => {
  test('is started once, by its first request, and takes none after it is closed', async () => {
    let starts = 0;
    const lazy = createLazyThread(() => {
      starts++;
      return startWriter();
    });
    expect([starts, lazy.queueDepth()]).toEqual([0, 0]);
    const answers = await Promise.all([lazy.send(execute('SELECT 1')), lazy.send(execute('SELECT 2'))]);
    expect(answers.map(({ results }) => results[0]?.rows[0]?.[0])).toEqual([1, 2]);
    expect(starts).toBe(1);
    await lazy.close();
    expect(await thrownBy(lazy.send(execute('SELECT 1')))).toThrow(expect.objectContaining({ code: 'CLIENT_CLOSED' }));
  });

  test('that got no request is not started by closing it, nor afterwards', async () => {
    const lazy = createLazyThread(() => Promise.reject(new Error('started')));
    await lazy.close();
    expect(await thrownBy(lazy.send(execute('SELECT 1')))).toThrow(expect.objectContaining({ code: 'CLIENT_CLOSED' }));
  });

  test('whose program fails to load fails the request, but does not report a thread failure', async () => {
    const failures: Error[] = [];
    const lazy = createLazyThread(() =>
      startThread({
        spawn: () => new Worker(URL.createObjectURL(new Blob(['throw new Error("broken")']))),
        open: { path: file, readOnly: true },
        onBusy: () => {},
        onThreadFailure: error => failures.push(error),
      }),
    );
    expect(await lazy.send(execute('SELECT 1')).catch(error => error)).toMatchObject({ code: 'THREAD_DIED' });
    expect(failures).toEqual([]);
  });

  test('that fails to start while it is being closed still closes', async () => {
    const start = Promise.withResolvers<never>();
    const lazy = createLazyThread(() => start.promise);
    const request = lazy.send(execute('SELECT 1')).catch(error => error.message);
    const closing = lazy.close();
    start.reject(new Error('cannot start'));
    await closing;
    expect(await request).toBe('cannot start');
  });

  test('that failed to start is started again by the next request', async () => {
    let fail = true;
    const lazy = createLazyThread(() => (fail ? Promise.reject(new Error('cannot start')) : startWriter()));
    expect(await lazy.send(execute('SELECT 1')).catch(error => error.message)).toBe('cannot start');
    fail = false;
    expect((await lazy.send(execute('SELECT 1'))).results).toHaveLength(1);
    await lazy.close();
  });
});
