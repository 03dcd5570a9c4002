/* A copy that is made only of the pages that were taken has to be the database, whatever happened to it. */

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashPage, xorPage } from '../../core/backup/contents.ts';
import { openThreadConnection, type ThreadConnection } from '../threads/thread-connection.ts';

let directory: string;
let path: string;
let connection: ThreadConnection;
/** The copy, by page. */
let copy: Map<number, Uint8Array>;
let pages: number;
let pageSize: number;

const open = (): void => {
  connection = openThreadConnection({ path, readOnly: false, tracksChanges: true });
};
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  path = join(directory, 'test.db');
  copy = new Map();
  open();
  run('CREATE TABLE t (id INTEGER PRIMARY KEY, text)');
});
afterEach(() => {
  connection.run({ id: 0, kind: 'close' });
  rmSync(directory, { recursive: true, force: true });
});

const run = (sql: string, id = 1): unknown => connection.run({ id, kind: 'script', sql });
const insert = (count: number, bytes = 300): void => {
  run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) INSERT INTO t (text) SELECT hex(randomblob(${bytes})) FROM n`,
  );
};

/** @returns how many pages were taken, and how many of them as changes */
function take(max = 1000): { taken: number; deltas: number; isAll: boolean } {
  const reply = connection.pages({ kind: 'take', max });
  pages = reply.databasePages;
  pageSize = reply.pageSize;
  let deltas = 0;
  for (const [i, page] of reply.pages.entries()) {
    const bytes = reply.bytes.slice(i * pageSize, (i + 1) * pageSize);
    if (reply.deltas[i] === 1) {
      xorPage(bytes, copy.get(page) as Uint8Array);
      deltas++;
    }
    copy.set(page, bytes);
  }
  return { taken: reply.pages.length, deltas, isAll: reply.isAll };
}

/** Compares all pages with the copy, as after a start. @returns how many differ or have changed */
function compare(): number {
  const hashes = BigUint64Array.from({ length: pages }, (_, i) => {
    const page = copy.get(i + 1);
    return page ? hashPage(page) : 0n;
  });
  let state = connection.pages({ kind: 'known', hashes, deltas: new Uint8Array(pages) });
  while (state.left > 0) state = connection.pages({ kind: 'compare', max: 3 });
  expect(state.isKnown).toBe(true);
  return state.changed;
}

/** The rows of the copy, which SQLite accepts as a database without its log. */
function rowsOfCopy(): unknown {
  const file = join(directory, 'copy.db');
  writeFileSync(
    file,
    Buffer.concat(Array.from({ length: pages }, (_, i) => copy.get(i + 1) ?? Buffer.alloc(pageSize))),
  );
  const database = new Database(file);
  try {
    expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
    return database.query('SELECT count(*), sum(length(text)) FROM t').values();
  } finally {
    database.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  }
}
const rows = (): unknown =>
  connection.run({
    id: 1,
    kind: 'execute',
    statement: { sql: 'SELECT count(*), sum(length(text)) FROM t', args: [] },
  })[0]?.rows;

describe('the pages that were taken are the database', () => {
  test('after the first comparison, and after changes', () => {
    take();
    compare();
    take();
    expect(rowsOfCopy()).toEqual(rows());
    insert(100);
    expect(take()).toMatchObject({ isAll: true });
    run('UPDATE t SET text = 1 WHERE id = 50');
    expect(take()).toEqual({ taken: 1, deltas: 1, isAll: true });
    expect(take().taken).toBe(0);
    expect(rowsOfCopy()).toEqual(rows());
    expect(compare()).toBe(0);
  });

  test('taken in pieces while it changes, with checkpoints in between', () => {
    for (let round = 0; round < 12; round++) {
      insert(3000);
      take(20);
      run(`DELETE FROM t WHERE id % 7 = ${round % 7}`);
    }
    expect(connection.pages({ kind: 'state' }).isKnown).toBe(false);
    compare();
    while (!take(50).isAll);
    expect(rowsOfCopy()).toEqual(rows());
    for (let round = 0; round < 12; round++) {
      insert(3000);
      take(20);
      if (round % 3 === 0) connection.run({ id: 1, kind: 'truncate-wal' });
    }
    while (!take(50).isAll);
    expect(connection.pages({ kind: 'state' }).isKnown).toBe(true);
    expect(rowsOfCopy()).toEqual(rows());
    expect(compare()).toBe(0);
  });

  test('after it became smaller, and larger again', () => {
    insert(3000);
    take();
    compare();
    while (!take().isAll);
    run('DELETE FROM t WHERE id > 10');
    run('PRAGMA incremental_vacuum(10000)');
    const before = pages;
    while (!take().isAll);
    expect(pages).toBeLessThan(before / 4);
    expect(rowsOfCopy()).toEqual(rows());
    insert(3000);
    while (!take().isAll);
    run('VACUUM');
    while (!take().isAll);
    expect(rowsOfCopy()).toEqual(rows());
  });

  test('after it became smaller and larger again before pages were taken', () => {
    insert(3000);
    take();
    compare();
    while (!take().isAll);
    run('DELETE FROM t WHERE id > 10');
    run('PRAGMA incremental_vacuum(10000)');
    connection.run({ id: 1, kind: 'truncate-wal' });
    insert(3000);
    while (!take().isAll);
    expect(rowsOfCopy()).toEqual(rows());
    expect(compare()).toBe(0);
  });

  test('a page that often changes is taken in full now and then', () => {
    insert(10);
    take();
    compare();
    while (!take().isAll);
    const deltas = Array.from({ length: 130 }, (_, i) => {
      run(`UPDATE t SET text = ${i} WHERE id = 5`);
      return take().deltas;
    });
    expect(deltas.filter(count => count === 0)).toHaveLength(2);
    connection.pages({ kind: 'mark', pages: Uint32Array.of(2) });
    expect(take()).toMatchObject({ taken: 1, deltas: 0 });
  });
});

describe('the log', () => {
  test('does not grow while nothing is taken', () => {
    for (let round = 0; round < 60; round++) insert(1000);
    expect(statSync(`${path}-wal`).size).toBeLessThan(40 << 20);
    expect(connection.pages({ kind: 'state' }).changed).toBeGreaterThan(1000);
  });

  test('a change that was made behind its back is noticed, and found by comparing', () => {
    take();
    compare();
    while (!take().isAll);
    // Another process, because two copies of SQLite in one process do not see each other's locks.
    const intruder = `import { Database } from 'bun:sqlite'; const d = new Database(${JSON.stringify(path)});
      d.run("INSERT INTO t (text) VALUES ('intruder')"); d.run('PRAGMA wal_checkpoint(TRUNCATE)');`;
    expect(Bun.spawnSync([process.execPath, '-e', intruder]).exitCode).toBe(0);
    insert(1);
    expect(connection.pages({ kind: 'state' }).isKnown).toBe(false);
    compare();
    while (!take().isAll);
    expect(rowsOfCopy()).toEqual(rows());
  });

  test('changes of a process that ended are found by comparing', () => {
    insert(500);
    take();
    compare();
    while (!take().isAll);
    insert(500);
    connection.run({ id: 1, kind: 'close' });
    open();
    expect(compare()).toBeGreaterThan(0);
    while (!take().isAll);
    expect(rowsOfCopy()).toEqual(rows());
  });

  test('rolled back changes do not count', () => {
    take();
    compare();
    while (!take().isAll);
    expect(() => run('BEGIN; INSERT INTO t (text) SELECT hex(randomblob(9000)) FROM t; SELECT no; COMMIT')).toThrow();
    run("INSERT INTO t (text) VALUES ('x')");
    expect(connection.pages({ kind: 'state' }).isKnown).toBe(true);
    while (!take().isAll);
    expect(rowsOfCopy()).toEqual(rows());
  });
});
