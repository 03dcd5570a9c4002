import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { LockedError, lockDataDirectory } from '../db/files/lock.ts';
import { eventually } from '../testing/poll.ts';
import { randomBytes } from '../testing/test-server.ts';
import { thrownBy } from '../testing/thrown-by.ts';
import { openDataDirectory, readOrCreateSecret } from './data-directory.ts';
import type { Io } from './io.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const configFor = (dataDir: string, secret?: string) =>
  ({ dataDir, databaseUrl: `file:${dataDir}/hooktape.db`, secret }) as Config;
/** `monotonic` is asked once for the deadline, and once after each refusal. */
const ioWith = (monotonic: () => number) =>
  ({ clock: { now: Date.now, monotonic }, random: randomBytes, pid: 7, useDataDirectory: () => {} }) as unknown as Io;

const io = () => ioWith(() => 0);

describe('a data directory that is locked', () => {
  test('by a command is waited for', async () => {
    const lock = await lockDataDirectory(directory, 'hooktape key list (pid 5)');
    let asked = 0;
    const io = ioWith(() => {
      asked++;
      return 0;
    });
    const opening = openDataDirectory(io, configFor(directory), 'hooktape serve', 1000);
    await eventually(() => asked >= 2);
    await lock.release();
    await (await opening).release();
  });

  test.each([
    ['by a server is refused at once', 'hooktape serve (pid 5)', 1000],
    ['by a command is refused when the patience is over', 'hooktape check (pid 5)', 0],
  ])('%s', async (_name, holder, patienceMs) => {
    const lock = await lockDataDirectory(directory, holder);
    const refused = openDataDirectory(
      ioWith(() => 0),
      configFor(directory),
      'hooktape serve',
      patienceMs,
    );
    expect(await refused.catch(error => error)).toMatchObject({ holder });
    expect(await refused.catch(error => error)).toBeInstanceOf(LockedError);
    await lock.release();
  });
});

describe('its mode', () => {
  test.each([
    ['made by us', undefined, 0o700],
    ['open to everybody', 0o777, 0o770],
    ['readable by everybody', 0o755, 0o750],
    ['the owner’s own', 0o700, 0o700],
  ])('%s', async (_name, before, after) => {
    const dataDir = before === undefined ? join(directory, 'a/b') : directory;
    if (before !== undefined) chmodSync(dataDir, before);
    await (
      await openDataDirectory(
        ioWith(() => 0),
        configFor(dataDir),
        'test',
      )
    ).release();
    expect(statSync(dataDir).mode & 0o777).toBe(after);
  });
});

test('a directory with other files, such as /tmp, keeps its mode', async () => {
  writeFileSync(join(directory, 'somebody’s'), '');
  chmodSync(directory, 0o1777);
  for (let start = 0; start < 2; start++) await (await openDataDirectory(io(), configFor(directory), 'test')).release();
  expect(statSync(directory).mode & 0o7777).toBe(0o1777);
});

test('a new directory is ignored by Git, an existing one is left as it is', async () => {
  const made = join(directory, 'project/data');
  await (await openDataDirectory(io(), configFor(made), 'test')).release();
  expect(readFileSync(join(made, '.gitignore'), 'utf8')).toBe('*\n');
  expect(readdirSync(join(directory, 'project'))).toEqual(['data']);
  await (await openDataDirectory(io(), configFor(directory), 'test')).release();
  expect(readdirSync(directory)).not.toContain('.gitignore');
});

const mayNotBeWritten = (): void => {
  afterEach(() => chmodSync(directory, 0o700));

  test.each([
    ['itself', (): string => directory, 'cannot be used'],
    ['where it would be made', (): string => join(directory, 'data'), 'cannot be created'],
  ])('%s', async (_what, dataDir, words) => {
    chmodSync(directory, 0o500);
    expect(await thrownBy(openDataDirectory(io(), configFor(dataDir()), 'test'))).toThrow(
      `${words}: permission denied\nRun Hooktape as its owner`,
    );
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each(['hooktape.lock', 'hooktape.lock.holder', 'hooktape.db', 'hooktape.db-wal'])('for its %s', async name => {
    const file = join(directory, name);
    writeFileSync(file, '', { mode: 0o400 });
    expect(await thrownBy(openDataDirectory(io(), configFor(directory), 'test'))).toThrow(
      `${file} cannot be written: permission denied\nRun Hooktape as its owner`,
    );
    expect(readdirSync(directory)).toEqual([name]);
  });

  test('for its capture journal', async () => {
    const journal = join(directory, 'hooktape.db.capture');
    mkdirSync(journal, { mode: 0o500 });
    expect(await thrownBy(openDataDirectory(io(), configFor(directory), 'test'))).toThrow(
      `the capture journal ${journal} cannot be used: permission denied\nRun Hooktape as its owner`,
    );
  });

  test('for a secret that is not readable', async () => {
    writeFileSync(join(directory, 'secret'), 'x', { mode: 0o000 });
    expect(await thrownBy(openDataDirectory(io(), configFor(directory), 'test'))).toThrow(
      `${join(directory, 'secret')} cannot be read: permission denied\nRun Hooktape as its owner`,
    );
  });
};
const elsewhereMayNotBeWritten = (): void => {
  const config = () => ({ ...configFor(join(directory, 'data')), databaseUrl: `file:${directory}/db/x.db` });
  beforeEach(() => mkdirSync(join(directory, 'db')));
  afterEach(() => chmodSync(join(directory, 'db'), 0o700));

  test('itself', async () => {
    chmodSync(join(directory, 'db'), 0o500);
    expect(await thrownBy(openDataDirectory(io(), config(), 'test'))).toThrow(
      /\/db of the database cannot be used: permission denied\n.*, or set HOOKTAPE_DATABASE_URL to a file in another/,
    );
  });

  test.each(['x.db', 'x.db-wal', 'x.db.hooktape.lock', 'x.db.hooktape.lock.holder'])('for its %s', async name => {
    writeFileSync(join(directory, 'db', name), '', { mode: 0o400 });
    expect(await thrownBy(openDataDirectory(io(), config(), 'test'))).toThrow(
      /\/db\/x\S+ cannot be written: permission denied\n.*, or set HOOKTAPE_DATABASE_URL to a file in another/,
    );
  });
};
// The superuser may write everywhere; the smoke test is somebody else.
if (process.getuid?.() !== 0) {
  describe('a directory that is not writable', mayNotBeWritten);
  describe('a directory of the database that is not writable', elsewhereMayNotBeWritten);
}

test('a path where no directory can be created is refused with the setting to change', async () => {
  expect(await thrownBy(openDataDirectory(io(), configFor('/proc/hooktape'), 'test'))).toThrow(
    /^the data directory \/proc\/hooktape cannot be created: .*\nSet HOOKTAPE_DATA_DIR to a writable directory\.$/,
  );
});

test('a link to a database in a missing directory is refused with the setting to change', async () => {
  symlinkSync(join(directory, 'missing', 'x.db'), join(directory, 'link.db'));
  const config = { ...configFor(join(directory, 'data')), databaseUrl: `file:${directory}/link.db` };
  expect(await thrownBy(openDataDirectory(io(), config, 'test'))).toThrow(
    /missing of the database does not exist\nCreate it/,
  );
});

test.each([
  ['', /is a directory\nName a file in it, or set HOOKTAPE_DATABASE_URL/],
  ['/missing/x.db', /missing of the database does not exist\nCreate it, or set HOOKTAPE_DATABASE_URL/],
])('a database at %j of a directory is refused with what to set', async (place, words) => {
  const config = { ...configFor(join(directory, 'data')), databaseUrl: `file:${directory}${place}` };
  expect(await thrownBy(openDataDirectory(io(), config, 'test'))).toThrow(words);
});

describe('a write-ahead log without its database', () => {
  const [database, log] = ['hooktape.db', 'hooktape.db-wal'];
  const opening = () => openDataDirectory(io(), configFor(directory), 'test');

  test.each([undefined, ''])('is kept and reported (database: %p)', async content => {
    if (content !== undefined) writeFileSync(join(directory, database), content);
    writeFileSync(join(directory, log), 'the newest events');
    expect(await thrownBy(opening())).toThrow(
      /hooktape\.db is missing or empty, but its write-ahead log .*\nPut the database file back/,
    );
    expect(readFileSync(join(directory, log), 'utf8')).toBe('the newest events');
  });

  test('is found when the database is a link', async () => {
    mkdirSync(join(directory, 'elsewhere'));
    symlinkSync(join(directory, 'elsewhere', 'x.db'), join(directory, database));
    const kept = join(directory, 'elsewhere', 'x.db-wal');
    writeFileSync(kept, 'the newest events');
    expect(await thrownBy(opening())).toThrow(/elsewhere\/x\.db is missing or empty, but its write-ahead log /);
    expect(readFileSync(kept, 'utf8')).toBe('the newest events');
  });

  test('is ignored when it is empty', async () => {
    writeFileSync(join(directory, log), '');
    await (await opening()).release();
  });
});

describe('the secret', () => {
  const file = () => join(directory, 'secret');

  test('is generated once, complete and readable only by its owner, also after an interrupted attempt', () => {
    writeFileSync(`${file()}.tmp`, 'half', { mode: 0o644 });
    const secret = readOrCreateSecret(io(), configFor(directory));
    expect(secret).toMatch(/^[0-9a-z]{52}$/);
    expect([readFileSync(file(), 'utf8'), statSync(file()).mode & 0o777]).toEqual([`${secret}\n`, 0o600]);
    expect(existsSync(`${file()}.tmp`)).toBe(false);
    expect(readOrCreateSecret(io(), configFor(directory))).toBe(secret);
  });

  test('is taken from HOOKTAPE_SECRET without creating a file', () => {
    expect(readOrCreateSecret(io(), configFor(directory, 'given'))).toBe('given');
    expect(existsSync(file())).toBe(false);
  });

  test('is refused when its file is empty, not replaced', () => {
    writeFileSync(file(), '\n');
    expect(() => readOrCreateSecret(io(), configFor(directory))).toThrow('is empty');
    expect(readFileSync(file(), 'utf8')).toBe('\n');
  });
});
