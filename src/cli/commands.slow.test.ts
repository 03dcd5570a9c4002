import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { lockDataDirectory } from '../db/files/lock.ts';
import { hooktape, startServer } from '../testing/command.ts';
import { eventually } from '../testing/poll.ts';

let directory: string;
let dataDir: string;
let env: Record<string, string>;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  dataDir = join(directory, 'data');
  env = { HOOKTAPE_DATA_DIR: dataDir };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('wrong usage', () => {
  test.each([
    ['unknown command: nonsense', ['nonsense']],
    ['unknown command: constructor', ['constructor']],
    ['unknown command: constructor', ['help', 'constructor']],
    ['unknown command: nonsense', ['help', 'nonsense']],
    ['a subcommand is missing', ['account']],
    ['a subcommand is missing', ['key']],
    ['a subcommand is missing', ['keys']],
    ['unknown subcommand: signing-key revoke', ['keys', 'revoke']],
    ['unknown subcommand: account rename', ['account', 'rename']],
    ['EMAIL is missing', ['account', 'create']],
    ['unexpected argument: b', ['account', 'create', 'a@example.com', 'b']],
    ['free|pro is missing', ['account', 'plan', 'a@example.com']],
    ['the plan must be free or pro', ['account', 'plan', 'a@example.com', 'gold']],
    ['the plan must be free or pro', ['account', 'create', 'a@example.com', '--plan', 'gold']],
    ['--password-stdin', ['account', 'password', 'a@example.com']],
    ['--account EMAIL is missing', ['key', 'create', 'name']],
    ['--account EMAIL is missing', ['key', 'list']],
    ['ID is missing', ['key', 'revoke']],
    ['--nonsense', ['serve', '--nonsense']],
    ['--nonsense', ['--nonsense']],
    ['unexpected argument: x', ['serve', 'x']],
    ['--env-file', ['config', '--env-file']],
  ])('prints "%s" and exits with 2 for %j, without touching anything', async (message, args) => {
    const { exitCode, stdout, stderr } = await hooktape(env, ...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toStartWith('hooktape: ');
    expect(stderr).toContain(message);
    expect(stderr).toContain('hooktape ');
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('an invalid configuration', () => {
  test.each(['serve', 'account list', 'key list --account a@example.com', 'health', 'config'])(
    'exits with 78 and all problems at once: %s',
    async words => {
      const wrong = { ...env, HOOKTAPE_PORT: 'none', HOOKTAPE_MAX_BODY: 'much', HOOKTAPE_LOG_LEVEL: 'loud' };
      const { exitCode, stdout, stderr } = await hooktape(wrong, ...words.split(' '));
      expect([exitCode, stdout]).toEqual([78, '']);
      for (const name of ['HOOKTAPE_PORT', 'HOOKTAPE_MAX_BODY', 'HOOKTAPE_LOG_LEVEL']) expect(stderr).toContain(name);
      expect(existsSync(dataDir)).toBe(false);
    },
  );

  test('a missing env file is reported with the other problems', async () => {
    const missing = join(directory, 'missing.env');
    for (const [settings, args] of [
      [{}, ['config', '--env-file', missing]],
      [{ HOOKTAPE_ENV_FILE: missing }, ['config']],
    ] as const) {
      const { exitCode, stderr } = await hooktape({ ...env, ...settings, HOOKTAPE_PORT: 'none' }, ...args);
      expect([exitCode, stderr]).toEqual([78, expect.stringContaining(`${JSON.stringify(missing)} cannot be read`)]);
      expect(stderr).toContain('HOOKTAPE_PORT');
    }
  });

  test.each(['serve', 'account list', 'config'])(
    'an invalid data directory is reported with the other problems: %s',
    async words => {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      for (const path of [file, join(file, 'below/it')]) {
        const wrong = { HOOKTAPE_DATA_DIR: path, HOOKTAPE_PORT: 'none' };
        const { exitCode, stderr } = await hooktape(wrong, ...words.split(' '));
        expect([exitCode, stderr]).toEqual([
          78,
          expect.stringContaining(`HOOKTAPE_DATA_DIR: "${file}" is not a directory`),
        ]);
        expect(stderr).toContain('HOOKTAPE_PORT');
      }
    },
  );
});

describe('hooktape config', () => {
  test('prints every setting with its source, and no secret', async () => {
    const file = join(directory, 'my.env');
    writeFileSync(file, 'HOOKTAPE_PORT=5001\nHOOKTAPE_RATE_LIMIT=7\nHOOKTAPE_OWNER_PASSWORD=a-good-long-password\n');
    const settings = {
      ...env,
      HOOKTAPE_PORT: '5002',
      HOOKTAPE_SECRET: 'the secret of this one installation',
      HOOKTAPE_DATABASE_AUTH_TOKEN: 'token-of-the-database',
      HOOKTAPE_METRICS_TOKEN: 'token-of-the-metrics',
      HOOKTAPE_OWNER_EMAIL: 'owner@example.com',
    };
    for (const json of [[], ['--json']]) {
      const { exitCode, stdout, stderr } = await hooktape(settings, 'config', '--env-file', file, ...json);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toContain('5002');
      expect(stdout).not.toContain('5001');
      expect(stdout).toContain('[set]');
      expect(stdout).not.toMatch(/the secret of|token-of|good-long/);
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test('prints one line for each setting, whatever its value', async () => {
    const issuers = '[\n  { "issuer": "https://id.example.com", "audience": "x" }\n]';
    const { stdout } = await hooktape({ ...env, HOOKTAPE_OAUTH_ISSUERS: issuers }, 'config');
    expect(stdout).toContain('HOOKTAPE_OAUTH_ISSUERS=[\\u000a  { "issuer"');
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^HOOKTAPE_\w+=.* \(.+\)$/);
  });
});

test.each([
  ['version', /^hooktape test \(test\)\n$/],
  ['--version', /^hooktape test \(test\)\n$/],
  ['version --json', /^\{"version":"test","commit":"test"\}\n$/],
  ['--json --version', /^\{"version":"test","commit":"test"\}\n$/],
])('hooktape %s needs no configuration', async (words, expected) => {
  const { exitCode, stdout, stderr } = await hooktape({ HOOKTAPE_PORT: 'none' }, ...words.split(' '));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(expected);
});

describe('accounts and keys', () => {
  /** Keeps the settings of its own test: what a timed-out test still runs must not use the next test's data directory. */
  const story = async (own = env): Promise<void> => {
    const result = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await hooktape(own, ...args, '--json');
      if (exitCode !== 0) throw new Error(`${args}: ${exitCode} ${stderr}`);
      return JSON.parse(stdout);
    };
    const owner = await result('account', 'create', 'Ada@Example.com', '--plan', 'pro');
    expect(owner).toMatchObject({ email: 'ada@example.com', plan: 'pro' });
    expect(await result('account', 'create', 'bob@example.com', '--team-of', 'ada@example.com')).toMatchObject({
      plan: 'pro',
    });
    expect(await result('account', 'plan', 'bob@example.com', 'free')).toMatchObject({ plan: 'free' });
    expect(
      (await result('account', 'list')).map((one: { email: string; plan: string }) => [one.email, one.plan]),
    ).toEqual([
      ['ada@example.com', 'free'],
      ['bob@example.com', 'free'],
    ]);
    const { exitCode, stdout } = await hooktape(own, 'key', 'create', 'ci', '--account', 'ada@example.com');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^htk_[0-9a-z]{52}\n$/)]);
    const [key] = await result('key', 'list', '--account', 'ada@example.com');
    expect(key).toMatchObject({ name: 'ci', last4: stdout.trim().slice(-4), lastUsedAt: null });
    expect(JSON.stringify(key)).not.toContain(stdout.trim());
    expect(await result('key', 'revoke', key.id)).toEqual({ ok: true });
    expect(await result('key', 'list', '--account', 'ada@example.com')).toEqual([]);
    await result('account', 'delete', 'bob@example.com');
    expect(await result('account', 'list')).toHaveLength(1);
    for (const [args, message] of [
      [['account', 'create', 'ada@example.com'], 'there is already an account ada@example.com'],
      [['account', 'delete', 'bob@example.com'], 'account bob@example.com not found'],
      [['key', 'revoke', 'key_missing'], 'key not found'],
      [['account', 'create', 'not an address'], 'email must be an address'],
    ] as const) {
      const refused = await hooktape(own, ...args);
      expect([refused.exitCode, refused.stdout, refused.stderr]).toEqual([
        1,
        '',
        `hooktape: ${refused.stderr.slice(10)}`,
      ]);
      expect(refused.stderr).toContain(message);
    }
  };

  test('without a server', () => story(), 60_000);

  test('through a running server', async () => {
    const server = await startServer(env);
    await story();
    await server.stop();
  }, 120_000);
});

test('the list of keys has the app that created a key', async () => {
  await hooktape(env, 'account', 'create', 'ada@example.com');
  for (const name of ['mine', 'deploy']) await hooktape(env, 'key', 'create', name, '--account', 'ada@example.com');
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  await client.batch([
    `INSERT INTO connected_apps (id, account_id, issuer, client_id, name, created_at)
     SELECT 'app_1', id, '', 'editor', 'Example editor', 0 FROM accounts`,
    "UPDATE api_keys SET app_id = 'app_1' WHERE name = 'deploy'",
  ]);
  client.close();
  const { stdout } = await hooktape(env, 'key', 'list', '--account', 'ada@example.com');
  expect(stdout.split('\n').map(line => line.split('\t').slice(3))).toEqual([
    ['never used'],
    ['never used', 'created by Example editor'],
    [],
  ]);
});

test('signing-key rotate replaces the key later or with --now at once', async () => {
  const rotate = (...options: string[]) => hooktape(env, 'keys', 'rotate', ...options);
  await hooktape(env, 'account', 'create', 'a@example.com');
  expect(await rotate()).toMatchObject({ exitCode: 0, stdout: 'rotated\n' });
  expect(await rotate('--revoke', '--json')).toMatchObject({ exitCode: 0, stdout: '{"ok":true}\n' });
  const client = createClient({ url: `file:${join(dataDir, 'hooktape.db')}` });
  const { rows } = await client.execute('SELECT state FROM signing_keys');
  client.close();
  expect(rows.map(row => row['state'])).toEqual(['active']);
});

describe('a data directory that is in use', () => {
  test('a second server is refused at once, with the holder of the lock', async () => {
    const server = await startServer(env);
    const { exitCode, stdout, stderr } = await hooktape({ ...env, HOOKTAPE_PORT: '0' }, 'serve');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`hooktape: ${dataDir} is in use by hooktape serve (pid 1)\n`);
    await server.stop();
  });

  test('a command waits for another command and for a starting server', async () => {
    await hooktape(env, 'account', 'create', 'a@example.com');
    const lock = await lockDataDirectory(dataDir, 'hooktape key list (pid 7)');
    const waiting = [hooktape(env, 'account', 'list'), hooktape(env, 'account', 'list', '--json')];
    await lock.release();
    expect((await Promise.all(waiting)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);

    const again = await lockDataDirectory(dataDir, 'hooktape account list (pid 7)');
    const starting = startServer(env);
    const early = hooktape(env, 'account', 'list');
    await again.release();
    const server = await starting;
    expect((await early).exitCode).toBe(0);
    await server.stop();
  });
});

describe('the first run', () => {
  test('creates the data directory and a secret that only the owner can read, once', async () => {
    await hooktape(env, 'account', 'create', 'a@example.com');
    const secret = readFileSync(join(dataDir, 'secret'), 'utf8');
    expect(secret).toMatch(/^[0-9a-z]{52}\n$/);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([mode(dataDir), mode(join(dataDir, 'secret')), mode(join(dataDir, 'hooktape.db'))]).toEqual([
      '700',
      '600',
      '600',
    ]);
    await hooktape(env, 'account', 'list');
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe(secret);
  });

  test('an empty secret file or a different secret prevents the start, with the reason', async () => {
    await hooktape(env, 'account', 'create', 'a@example.com');
    const other = await hooktape({ ...env, HOOKTAPE_SECRET: 'another secret than the one before' }, 'serve');
    expect([other.exitCode, other.stderr]).toEqual([
      1,
      expect.stringContaining('HOOKTAPE_SECRET is not the secret of this database'),
    ]);
    writeFileSync(join(dataDir, 'secret'), '\n');
    const empty = await hooktape(env, 'serve');
    expect([empty.exitCode, empty.stderr]).toEqual([1, expect.stringContaining('secret is empty')]);
  });
});

test('a missing secret of an existing database is reported, and no new one is generated', async () => {
  const secret = 'a secret in an env file, long enough';
  await hooktape({ ...env, HOOKTAPE_SECRET: secret }, 'account', 'create', 'a@example.com');
  for (const command of ['account list', 'serve']) {
    const { exitCode, stderr } = await hooktape({ ...env, HOOKTAPE_PORT: '0' }, ...command.split(' '));
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('set HOOKTAPE_SECRET (in the environment or with --env-file FILE)'),
    ]);
    expect(existsSync(join(dataDir, 'secret'))).toBe(false);
  }
});

describe('hooktape health', () => {
  test('exits with 0 when the server is ready and with 1 when none runs', async () => {
    const server = await startServer(env);
    const at = { ...env, HOOKTAPE_PORT: new URL(server.origin).port };
    await server.said();
    expect(await hooktape(at, 'health')).toEqual({ exitCode: 0, stdout: 'ready\n', stderr: '' });
    expect((await hooktape(at, 'health', '--json')).stdout).toBe('{"ready":true}\n');
    await server.stop();
    const gone = await eventually(async () => {
      const ended = await hooktape(at, 'health', '--json');
      return ended.exitCode === 1 ? ended : undefined;
    });
    expect(JSON.parse(gone.stdout)).toMatchObject({ ready: false, problem: expect.stringContaining(at.HOOKTAPE_PORT) });
    expect((await hooktape(at, 'health')).stderr).toMatch(/^not ready: no server at .*; start it/);
  });
});
