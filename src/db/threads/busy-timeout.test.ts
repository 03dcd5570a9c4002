/* Another connection holds the write lock, which nobody but an operator's own tools can do. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { startThread } from './thread-handle.ts';

test('a lock is waited for long once; those behind are refused sooner, until something can be written again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  const file = join(directory, 'test.db');
  const thread = await startThread({
    spawn: () => new Worker(new URL('./reader-thread.ts', import.meta.url).href),
    open: { path: file, readOnly: false },
    onBusy: () => {},
    onThreadFailure: () => {},
  });
  const insert = () =>
    thread.send({ kind: 'batch', statements: [{ sql: 'INSERT INTO t VALUES (1)', args: [] }], mode: 'write' });
  const patienceMs = async () =>
    (await thread.send({ kind: 'execute', statement: { sql: 'PRAGMA busy_timeout', args: [] } })).results[0]
      ?.rows[0]?.[0];
  try {
    // The first one does not have to wait in a test.
    await thread.send({ kind: 'script', sql: 'CREATE TABLE t (a); PRAGMA busy_timeout = 0' });
    const intruder = createClient({ url: `file:${file}`, concurrency: 1 });
    const held = await intruder.transaction('write');
    for (const { status } of await Promise.allSettled([insert(), insert()])) expect(status).toBe('rejected');
    expect(await patienceMs()).toBe(250);
    await thread.send({ kind: 'truncate-wal' });
    expect(await patienceMs()).toBe(250);

    await held.rollback();
    intruder.close();
    await insert();
    expect(await patienceMs()).toBe(5000);
  } finally {
    await thread.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
