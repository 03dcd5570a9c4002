/* The scanner finds a text in every form in which it can be on the disk. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { describeHits, scanCells, scanFiles } from './disk-scan.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-scan-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const text = 'ada"lovelace+1@example.org';
const noise = Buffer.from('{"some":"noise"}'.repeat(50));

test.each([
  ['plain', Buffer.from(text)],
  ['another case', Buffer.from(text.toUpperCase())],
  ...[0, 1, 2].map(
    shift =>
      [
        `base64 after ${shift} bytes`,
        Buffer.from(Buffer.from(`${'#'.repeat(shift)}${text}?`).toString('base64')),
      ] as const,
  ),
  ['base64url', Buffer.from(Buffer.from(text).toString('base64url'))],
  ['hex', Buffer.from(Buffer.from(text).toString('hex'))],
  ['UTF-16LE', Buffer.from(text, 'utf16le')],
  ['UTF-16BE', Buffer.from(text, 'utf16le').swap16()],
  ['percent-encoded', Buffer.from(encodeURIComponent(text))],
  ['escaped as JSON', Buffer.from(JSON.stringify(text))],
  ['escaped completely', Buffer.from([...text].map(c => `\\u00${c.charCodeAt(0).toString(16)}`).join(''))],
  ['in a zstd frame', Bun.zstdCompressSync(Buffer.concat([noise, Buffer.from(text), noise]))],
])('finds a text %s in a file', (_, bytes) => {
  mkdirSync(join(directory, 'sub'));
  expect(scanFiles(directory, [text])).toEqual([]);
  writeFileSync(join(directory, 'sub', 'file'), Buffer.concat([noise, bytes, noise]));
  expect(scanFiles(directory, [text])).not.toEqual([]);
  expect(scanFiles(directory, ['another text'])).toEqual([]);
});

test('finds a text in compressed cells that go over several pages, also after they were deleted', () => {
  const path = join(directory, 'hooktape.db');
  const database = new Database(path);
  database.exec('PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; CREATE TABLE t (v BLOB)');
  const words = Array.from({ length: 30_000 }, (_, i) => String(Bun.hash(String(i)))).join(' ');
  database
    .prepare('INSERT INTO t VALUES (?)')
    .run([Bun.zstdCompressSync(Buffer.from(`${words} ${words.slice(0, 500)}${text}${words.slice(0, 500)}`))]);
  expect(describeHits(scanFiles(directory, [text]))).toContain(`hooktape.db-wal: ${text} as plain in zstd over pages`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(describeHits(scanFiles(directory, [text]))).toContain(`hooktape.db: ${text} as plain in zstd over pages`);
  const gone = 'deleted long ago';
  database.prepare('INSERT INTO t VALUES (?)').run([Bun.zstdCompressSync(Buffer.from(`${noise}${gone}${noise}`))]);
  database.exec('DELETE FROM t; PRAGMA wal_checkpoint(TRUNCATE)');
  expect(describeHits(scanFiles(directory, [gone]))).toContain(`hooktape.db: ${gone} as plain in zstd`);
  database.close();
  expect(scanCells(directory, [text, gone])).toEqual([]);
});
