import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskModel, type DiskModel } from './disk-model.ts';
import { onlySynced, type Survival } from './disk-nodes.ts';
import type { Call } from './trace.ts';

let base: string;
let disk: DiskModel;
let written = 0;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hooktape-disk-'));
  disk = createDiskModel('/srv/data', '/srv');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const everything: Survival = { data: change => change, names: true };

/** The files of the directory after a power cut, with their text. */
function after(survival: Survival): Record<string, string> {
  const path = join(base, String(written++));
  disk.write(path, survival, /^$/);
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).slice(path.length + 1),
      readFileSync(join(parentPath, name), 'latin1'),
    ]),
  );
}

const call = (name: string, text: string, result: number, ...strings: string[]): Call => ({
  name,
  text,
  strings: strings.map(string => Buffer.from(string)),
  result,
  startedAt: 0,
});
const begin = (one: Call): Call => {
  disk.step({ kind: 'begin', call: one });
  return one;
};
const end = (one: Call): void => disk.step({ kind: 'end', call: one });
const run = (name: string, text: string, result: number, ...strings: string[]): void =>
  end(begin(call(name, text, result, ...strings)));

const create = (descriptor: number, path: string, flags = ''): void =>
  run('openat', `AT_FDCWD, ", O_RDWR|O_CREAT${flags}, 0600`, descriptor, path);
const pwrite = (descriptor: number, text: string, offset: number): void =>
  run('pwrite64', `${descriptor}, ", ${text.length}, ${offset}`, text.length, text);
const fsync = (descriptor: number): void => run('fsync', String(descriptor), 0);
/** Puts the names in the root on disk. */
const syncRoot = (): void => {
  run('openat', 'AT_FDCWD, ", O_RDONLY', 99, '/srv/data');
  fsync(99);
};

describe('the data of a file', () => {
  beforeEach(() => {
    create(5, 'data/file');
    syncRoot();
  });

  test('is on disk after a sync', () => {
    pwrite(5, 'abc', 0);
    expect(after(onlySynced)).toEqual({ file: '' });
    expect(after(everything)).toEqual({ file: 'abc' });
    fsync(5);
    expect(after(onlySynced)).toEqual({ file: 'abc' });
  });

  test('is not covered by a sync that began before the write had returned', () => {
    const write = begin(call('pwrite64', '5, ", 3, 0', 3, 'abc'));
    const sync = begin(call('fsync', '5', 0));
    end(write);
    end(sync);
    expect(after(onlySynced)).toEqual({ file: '' });
  });

  test('is not covered by a sync that has not ended or has failed', () => {
    pwrite(5, 'abc', 0);
    begin(call('fsync', '5', 0));
    expect(after(onlySynced)).toEqual({ file: '' });
    run('fsync', '5', -1);
    expect(after(onlySynced)).toEqual({ file: '' });
  });

  test('of a file opened with O_DSYNC is on disk once the write has returned', () => {
    run('openat', 'AT_FDCWD, ", O_WRONLY|O_DSYNC', 6, '/srv/data/file');
    const write = begin(call('pwrite64', '6, ", 3, 2', 3, 'abc'));
    expect(after(onlySynced)).toEqual({ file: '' });
    expect(after(everything)).toEqual({ file: '\0\0abc' });
    end(write);
    expect(after(onlySynced)).toEqual({ file: '\0\0abc' });
  });

  test('may survive in part, and overlapping writes keep their order', () => {
    pwrite(5, 'aaaa', 0);
    fsync(5);
    pwrite(5, 'bbbb', 0);
    pwrite(5, 'cc', 1);
    expect(after(everything)).toEqual({ file: 'bccb' });
    const onlyLast: Survival = {
      ...everything,
      data: change => (change.kind === 'data' && change.offset === 1 ? change : undefined),
    };
    expect(after(onlyLast)).toEqual({ file: 'acca' });
  });

  test('written without an offset goes to the position, or to the end', () => {
    run('write', '5, ", 2', 2, 'ab');
    run('write', '5, ", 2', 1, 'cd');
    create(7, '/srv/data/file', '|O_APPEND');
    run('write', '7, ", 1', 1, 'e');
    expect(after(everything)).toEqual({ file: 'abce' });
  });

  test('is cut by a truncation that was synced', () => {
    pwrite(5, 'abcdef', 0);
    fsync(5);
    run('ftruncate', '5, 2', 0);
    expect(after(onlySynced)).toEqual({ file: 'abcdef' });
    fsync(5);
    expect(after(onlySynced)).toEqual({ file: 'ab' });
    pwrite(5, 'z', 3);
    expect(after(everything)).toEqual({ file: 'ab\0z' });
  });

  test('is not synced when the process exits', () => {
    pwrite(5, 'abc', 0);
    disk.endProcess();
    fsync(5);
    expect(after(onlySynced)).toEqual({ file: '' });
  });
});

describe('names', () => {
  test('are on disk once their directory was synced; syncing the file is not enough', () => {
    create(5, 'data/file');
    pwrite(5, 'abc', 0);
    fsync(5);
    expect(after(onlySynced)).toEqual({});
    expect(after({ ...onlySynced, names: true })).toEqual({ file: 'abc' });
    syncRoot();
    expect(after(onlySynced)).toEqual({ file: 'abc' });
  });

  test('in a new directory survive only if the name of the directory does', () => {
    run('mkdir', '", 0700', 0, './data/new');
    create(5, 'data/new/file');
    run('openat', 'AT_FDCWD, ", O_RDONLY', 6, './data/new');
    fsync(6);
    expect(after(onlySynced)).toEqual({});
    syncRoot();
    expect(after(onlySynced)).toEqual({ 'new/file': '' });
  });

  test('that were removed or moved come back unless the directory was synced', () => {
    create(5, 'data/old');
    create(6, 'data/other');
    syncRoot();
    run('unlink', '"', 0, 'data/old');
    run('rename', '", "', 0, 'data/other', 'data/moved');
    expect(Object.keys(after(onlySynced)).sort()).toEqual(['old', 'other']);
    expect(Object.keys(after(everything))).toEqual(['moved']);
    syncRoot();
    expect(Object.keys(after(onlySynced))).toEqual(['moved']);
  });

  test('outside the root are not modelled', () => {
    create(5, '/srv/database');
    create(6, 'elsewhere');
    pwrite(5, 'abc', 0);
    syncRoot();
    expect(after(everything)).toEqual({});
    expect(existsSync('/srv/database')).toBe(false);
  });
});

test('a call whose effect is not modelled is rejected', () => {
  create(5, 'data/file');
  expect(() => run('sync', '', 0)).toThrow('not modelled');
  expect(() => run('copy_file_range', '5, NULL, 6, NULL, 10, 0', 10)).toThrow('not modelled');
  expect(() => run('mmap', 'NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5, 0', 1)).toThrow('through memory');
  run('mmap', 'NULL, 4096, PROT_READ, MAP_SHARED, 5, 0', 1);
});
