import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../testing/command.ts';
import { eventually } from '../testing/poll.ts';
import { borrowThread } from '../testing/pooled-threads.ts';
import { randomBytes } from '../testing/test-server.ts';
import type { Services } from '../wiring.ts';
import { backUp } from './maintenance.ts';
import { noteUnfinished, partialPath, removeUnfinished } from './unfinished-files.ts';

let directory: string;
let dataDir: string;
let backups: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  dataDir = join(directory, 'data');
  backups = join(directory, 'backups');
  for (const one of [dataDir, backups]) mkdirSync(one);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const touch = (path: string): void => writeFileSync(path, 'half');

test('the partial file of a killed backup is removed when the data directory is opened again', async () => {
  writeFileSync(join(backups, 'other.db.0a1b2c3d.part'), 'of another installation');
  const { promise: never } = Promise.withResolvers<void>();
  const maintenance = {
    copyInto(part: string) {
      for (const file of [part, `${part}-journal`]) touch(file);
      return never;
    },
  };
  const services = {
    config: { dataDir, secret: 'given' },
    database: { maintenance },
    spawn: borrowThread,
    random: randomBytes,
  };
  void backUp(services as unknown as Services, join(backups, 'copy.db'));
  await eventually(() => readdirSync(backups).length === 3);

  const { exitCode } = await hooktape({ HOOKTAPE_DATA_DIR: dataDir }, 'account', 'create', 'a@example.com');
  expect(exitCode).toBe(0);
  expect(readdirSync(backups)).toEqual(['other.db.0a1b2c3d.part']);
  expect(readdirSync(dataDir).filter(name => name.includes('unfinished'))).toEqual([]);
});

test('a finished or refused backup leaves no note', async () => {
  const env = { HOOKTAPE_DATA_DIR: dataDir };
  await hooktape(env, 'account', 'create', 'a@example.com');
  expect((await hooktape(env, 'backup', join(backups, 'copy.db'))).exitCode).toBe(0);
  expect((await hooktape(env, 'backup', join(backups, 'copy.db'))).exitCode).toBe(1);
  expect(readdirSync(dataDir).filter(name => name.includes('unfinished'))).toEqual([]);
});

test('only partial files are removed, whatever a note contains', () => {
  const file = join(backups, 'precious.db');
  touch(file);
  const [note, cutOff] = ['0a1b2c3d', '4e5f6g7h'].map(tag => join(dataDir, `hooktape.unfinished-${tag}`));
  noteUnfinished(dataDir, partialPath(file, '0a1b2c3d'))();
  expect(existsSync(note ?? '')).toBe(false);
  writeFileSync(note ?? '', file);
  writeFileSync(cutOff ?? '', '');
  removeUnfinished(dataDir, Date.now());
  expect([file, note ?? '', cutOff ?? ''].map(one => existsSync(one))).toEqual([true, false, false]);
});

test('a partially extracted database library is removed when no process can still be writing it', () => {
  const name = '.libsql-f62bf34fc664bb18.node';
  const parts = [1, 2].map(i => join(dataDir, `${name}.6b3e7a52-4f0e-4c1b-9a55-00000000000${i}`));
  const now = Date.now();
  for (const file of [join(dataDir, name), ...parts]) touch(file);
  for (const old of [join(dataDir, name), parts[0] ?? '']) utimesSync(old, 1, now / 1000 - 7200);
  removeUnfinished(dataDir, now);
  expect([join(dataDir, name), ...parts].map(file => existsSync(file))).toEqual([true, false, true]);
});

test('interrupted copies next to the database are removed when it is opened', async () => {
  const gone = ['restoring', 'restoring-wal', 'before-upgrade-from-1.part', 'before-upgrade-from-1.part-journal'];
  const kept = ['before-upgrade-from-1', 'mine'];
  for (const name of [...gone, ...kept]) touch(join(dataDir, `hooktape.db.${name}`));
  expect((await hooktape({ HOOKTAPE_DATA_DIR: dataDir }, 'account', 'create', 'a@example.com')).exitCode).toBe(0);
  expect([...gone, ...kept].filter(name => existsSync(join(dataDir, `hooktape.db.${name}`)))).toEqual(kept);
});
