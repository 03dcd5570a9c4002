/* Another connection holds the write lock, as an operator's own tools may. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { startThread } from './thread-handle.ts';

test('after one wait in vain for a lock, statements wait shorter until a write succeeds', async () => {
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
  const busyTimeoutMs = async () =>
    (await thread.send({ kind: 'execute', statement: { sql: 'PRAGMA busy_timeout', args: [] } })).results[0]
      ?.rows[0]?.[0];
  try {
    // So that the test does not wait for the first timeout.
    await thread.send({ kind: 'script', sql: 'CREATE TABLE t (a); PRAGMA busy_timeout = 0' });
    const intruder = createClient({ url: `file:${file}`, concurrency: 1 });
    const held = await intruder.transaction('write');
    for (const { status } of await Promise.allSettled([insert(), insert()])) expect(status).toBe('rejected');
    expect(await busyTimeoutMs()).toBe(250);
    await thread.send({ kind: 'truncate-wal' });
    expect(await busyTimeoutMs()).toBe(250);

    await held.rollback();
    intruder.close();
    await insert();
    expect(await busyTimeoutMs()).toBe(5000);
  } finally {
    await thread.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
