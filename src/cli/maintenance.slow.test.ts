/* What a backup or a restore that fails leaves behind: nothing. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../testing/command.ts';
import { openTestServer, randomBytes, type TestServer, testSecret } from '../testing/test-server.ts';
import type { Services } from '../wiring.ts';
import { writeSecretFile } from './data-directory.ts';
import { backUp } from './maintenance.ts';

let directory: string;
let server: TestServer;
const path = (name: string): string => join(directory, name);
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  mkdirSync(path('data'));
  mkdirSync(path('backups'));
  writeFileSync(path('data/secret'), `${testSecret}\n`);
  const env = { HOOKTAPE_DATABASE_URL: `file:${path('data/hooktape.db')}` };
  server = await openTestServer({ directory: path('data'), env });
});
afterEach(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

const left = (): string[] => readdirSync(path('backups')).sort();
const failing = (services: Partial<Services>, file: string): Promise<string> =>
  backUp({ ...server.services, ...services }, file).then(
    () => 'done',
    (error: Error) => error.message,
  );

describe('a backup that fails', () => {
  const copyingFails = (message: string, code: string): Partial<Services> => {
    const { maintenance } = server.services.database;
    if (!maintenance) throw new Error('not a file');
    const copyInto = async (part: string): Promise<void> => {
      writeFileSync(part, 'half');
      throw Object.assign(new Error(message), { code });
    };
    return { database: { ...server.services.database, maintenance: { ...maintenance, copyInto } } };
  };

  test('because the disk is full', async () => {
    const said = await failing(copyingFails('no room', 'SQLITE_FULL'), path('backups/a.db'));
    expect(said).toBe(
      'the backup could not be written: the disk is full: no room\nStored events are safe. Free some space and try again.',
    );
    expect(left()).toEqual([]);
  });

  test('because the directory is not writable, says which process writes', async () => {
    const said = await failing(copyingFails('permission denied', 'EACCES'), path('backups/a.db'));
    expect(said).toContain('could not be written: permission denied\nThe running server writes the file');
    expect(left()).toEqual([]);
  });

  test('because its secret cannot be written', async () => {
    let asked = 0;
    const random = (length: number): Uint8Array => {
      if (++asked === 2) throw new Error('no room');
      return randomBytes(length);
    };
    expect(await failing({ random }, path('backups/a.db'))).toContain('no room');
    expect([asked, left()]).toEqual([2, []]);
  });

  test('because another file gets its name meanwhile, keeps that file and removes its own', async () => {
    const file = path('backups/a.db');
    let asked = 0;
    const random = (length: number): Uint8Array => {
      if (++asked === 2) writeFileSync(file, 'another');
      return randomBytes(length);
    };
    expect(await failing({ random }, file)).toContain('already exists');
    expect(left()).toEqual(['a.db']);
    expect(readFileSync(file, 'utf8')).toBe('another');
  });

  test('because a different secret file exists, keeps that file and writes no backup', async () => {
    writeFileSync(path('backups/a.db.secret'), 'another');
    expect(await failing({}, path('backups/a.db'))).toContain('already exists');
    expect(left()).toEqual(['a.db.secret']);
    expect(readFileSync(path('backups/a.db.secret'), 'utf8')).toBe('another');
  });

  test.each([
    ['is a directory', '', 'is a directory: name a file in it'],
    ['has a name that no file can have', `/${'n'.repeat(300)}`, 'could not be written: '],
    ['is in no directory', '/no/a.db', 'backups/no does not exist; create it first'],
  ])('because the target %s', async (_what, name, said) => {
    expect(await failing({}, path(`backups${name}`))).toContain(said);
    expect(left()).toEqual([]);
  });
});

test('a backup reuses the secret file of an interrupted one, and keeps it when it fails', async () => {
  const secret = path('backups/a.db.secret');
  writeFileSync(secret, `${testSecret}\n`);
  const spawn = (): never => {
    throw new Error('no thread');
  };
  expect(await failing({ spawn }, path('backups/a.db'))).toContain('no thread');
  expect(left()).toEqual(['a.db.secret']);
  expect(await failing({}, path('backups/a.db'))).toBe('done');
  expect(left()).toEqual(['a.db', 'a.db.secret']);
});

describe('a restore', () => {
  const restore = () => hooktape({ HOOKTAPE_DATA_DIR: path('other') }, 'restore', path('backups/a.db'));

  test('that was interrupted after writing the secret can be repeated', async () => {
    await backUp(server.services, path('backups/a.db'));
    mkdirSync(path('other'));
    for (const name of ['secret', 'secret.tmp', 'hooktape.db.restoring'])
      writeFileSync(path(`other/${name}`), `${testSecret}\n`);
    expect((await restore()).exitCode).toBe(0);
    expect(existsSync(path('other/hooktape.db'))).toBe(true);
  });

  test('of something that is not a file is refused, and creates nothing', async () => {
    mkdirSync(path('backups/a.db'));
    expect((await restore()).stderr).toContain('a.db is not a file: name the backup file');
    rmSync(path('backups/a.db'), { recursive: true });
    writeFileSync(path('backups/a.db'), '');
    const below = await hooktape({ HOOKTAPE_DATA_DIR: path('other') }, 'restore', path('backups/a.db/b'));
    expect(below.stderr).toContain('the backup cannot be read: ENOTDIR');
    expect(existsSync(path('other'))).toBe(false);
  });

  test('does not overwrite a different secret', async () => {
    await backUp(server.services, path('backups/a.db'));
    mkdirSync(path('other'));
    writeFileSync(path('other/secret'), 'another');
    expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not empty (secret)') });
    expect(readFileSync(path('other/secret'), 'utf8')).toBe('another');
  });
});

describe('a secret file', () => {
  test('is written atomically and never overwrites a file', () => {
    const file = path('backups/s');
    writeFileSync(`${file}.tmp`, 'cut off');
    writeSecretFile(file, 'one', `${file}.tmp`);
    expect(() => writeSecretFile(file, 'two', `${file}.tmp`)).toThrow('already exists');
    expect([readFileSync(file, 'utf8'), left()]).toEqual(['one', ['s']]);
  });
});
