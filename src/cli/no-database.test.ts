/* Commands in a folder without data: only a command that begins an installation creates a data directory. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { lockDataDirectory } from '../db/files/lock.ts';
import { hooktape, hooktapeAtTerminal, startServer } from '../testing/command.ts';
import { eventually } from '../testing/poll.ts';
import { noLibsqlServer, startLibsqlServer } from '../testing/remote/libsql-server.ts';
import { openTestServer } from '../testing/test-server.ts';
import { commands } from './commands.ts';
import { serverCommands } from './table/server-commands.ts';
import { type Form, readForms } from './usage-grammar.ts';

/** They begin an installation. */
const creating = ['serve', 'restore', 'account create'];
/** They read nothing but settings, or ask a server over HTTP. */
const withoutDatabase = ['health', 'config', 'platforms', 'version', 'backup s3'];

let directory: string;
let env: Record<string, string>;
let dataDir: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  dataDir = join(directory, 'data');
  env = {
    HOOKTAPE_DATA_DIR: dataDir,
    HOOKTAPE_PORT: '1',
    // Not the default, where a server of the developer may listen.
    HOOKTAPE_URL: 'http://127.0.0.1:1',
    XDG_CONFIG_HOME: join(directory, 'config'),
  };
  writeFileSync(join(directory, 'given'), '{"endpoints":[]}');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const nameOf = ({ words }: Form): string => words.join(' ');
const forms = Object.values(commands)
  .flatMap(({ usage }) => readForms(usage))
  .filter(form => !creating.includes(nameOf(form)))
  .map(form => [nameOf(form), form] as const);
const needsDatabase = ([name, { words }]: readonly [string, Form]): boolean =>
  (words[0] ?? '') in serverCommands && !withoutDatabase.includes(name);

/** The command with everything that it requires. */
function argumentsOf({ words, arguments: given, options }: Form): string[] {
  const exampleOf = (name: string, choices: readonly string[]): string =>
    choices[0] ??
    (name === 'FILE' ? join(directory, 'given') : name === 'URL' ? 'http://127.0.0.1:1' : 'x@example.com');
  return [
    ...words,
    ...given.filter(({ isOptional }) => !isOptional).map(({ name, choices }) => exampleOf(name, choices)),
    ...options
      .filter(({ isRequired }) => isRequired)
      .flatMap(({ name, value, choices }) => [name, ...(value === undefined ? [] : [exampleOf(value, choices)])]),
  ];
}

const createdNothing = (): void => expect(readdirSync(directory)).toEqual(['given']);

describe('without a data directory', () => {
  test.each(forms)('%s creates nothing', async (_name, form) => {
    await hooktape(env, ...argumentsOf(form));
    createdNothing();
  });

  test.each(forms.filter(needsDatabase))('%s fails and says where it looked', async (_name, form) => {
    const { exitCode, stdout, stderr } = await hooktape(env, ...argumentsOf(form));
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toStartWith(`hooktape: there is no database at ${join(dataDir, 'hooktape.db')}\n`);
    expect(stderr).toContain('HOOKTAPE_DATA_DIR');
    createdNothing();
  });
});

describe('in a folder that is not a data directory', () => {
  test.each(forms.filter(needsDatabase))('%s writes nothing', async (_name, form) => {
    mkdirSync(dataDir, { mode: 0o755 });
    expect((await hooktape(env, ...argumentsOf(form))).exitCode).toBe(1);
    expect([readdirSync(dataDir), statSync(dataDir).mode & 0o777]).toEqual([[], 0o755]);
  });
});

describe('with a database elsewhere, but without its data directory', () => {
  test.each<[string, () => string]>([
    ['in a file', () => `file:${join(directory, 'given')}`],
    ['on a server', () => 'http://127.0.0.1:1'],
  ])('%s, a command creates nothing', async (_where, databaseUrl) => {
    const { exitCode, stderr } = await hooktape({ ...env, HOOKTAPE_DATABASE_URL: databaseUrl() }, 'account', 'list');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`there is no data directory at ${dataDir}\n`)]);
    createdNothing();
  });

  test.skipIf(noLibsqlServer !== undefined)('on a server, a command works with HOOKTAPE_SECRET', async () => {
    const libsql = await startLibsqlServer();
    const shared = { HOOKTAPE_DATABASE_URL: libsql.url, HOOKTAPE_SECRET: 's'.repeat(32) };
    const server = await openTestServer({ env: shared });
    const { email } = await server.createAccount();
    const listed = await hooktape({ ...env, ...shared }, 'account', 'list');
    await server.close();
    await libsql.remove();
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(email), stderr: '' });
    createdNothing();
  });
});

test.each(forms.filter(needsDatabase))('after a failed restore, %s fails', async (_name, form) => {
  const restored = await hooktape({ ...env, HOOKTAPE_SECRET: 's'.repeat(32) }, 'restore', join(directory, 'given'));
  expect([restored.exitCode, restored.stdout]).toEqual([1, '']);
  const { exitCode, stdout, stderr } = await hooktape(env, ...argumentsOf(form));
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain('there is no database at ');
  expect(existsSync(join(dataDir, 'hooktape.db'))).toBe(false);
});

test('while a server begins, a command waits for its database', async () => {
  mkdirSync(dataDir);
  const lock = await lockDataDirectory(dataDir, 'hooktape serve (pid 5)');
  let asked = 0;
  const clock = { ...systemClock, monotonic: () => asked++ && 0 };
  const listed = hooktapeAtTerminal({ clock }, env, 'account', 'list');
  await eventually(() => asked >= 2);
  await lock.release();
  const server = await startServer({ ...env, HOOKTAPE_PORT: '0' });
  expect(await listed).toMatchObject({ exitCode: 0, stderr: '' });
  await server.stop();
});

test('a command that finds the lock of a killed server, and no database, fails', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'hooktape.lock.holder'), 'hooktape serve (pid 5)');
  writeFileSync(join(dataDir, 'hooktape.db'), '');
  const { exitCode, stderr } = await hooktape(env, 'account', 'list');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('there is no database at ')]);
});
