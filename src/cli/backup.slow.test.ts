import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { hooktape, startServer } from '../testing/command.ts';
import { eventually } from '../testing/poll.ts';

let directory: string;
let env: { HOOKTAPE_DATA_DIR: string };
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  env = { HOOKTAPE_DATA_DIR: join(directory, 'data') };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const path = (name: string): string => join(directory, name);
const elsewhere = (): { HOOKTAPE_DATA_DIR: string } => ({ HOOKTAPE_DATA_DIR: path('other') });
const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** Runs a command that must be done. */
async function run(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await hooktape(environment, ...args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${exitCode} ${stderr}`);
  return stdout.trim();
}

async function failing(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { exitCode, stderr } = await hooktape(environment, ...args);
  expect(exitCode).toBe(1);
  return stderr;
}

async function change(file: string, ...statements: string[]): Promise<void> {
  const client = createClient({ url: `file:${file}` });
  for (const sql of statements) await client.execute(sql);
  client.close();
}

/** A server with an endpoint that takes deliveries. */
async function serveInbox() {
  const server = await startServer(env);
  await run(env, 'account', 'create', 'owner@example.com', '--plan', 'pro');
  const key = await run(env, 'key', 'create', 'test', '--account', 'owner@example.com');
  const call = async <T = Record<string, unknown>>(origin: string, target: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${origin}${target}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await response.json()) as T;
  };
  const endpoint = await call<{ id: string; url: string }>(server.origin, '/api/endpoints', { name: 'inbox' });
  const address = `${server.origin}${new URL(endpoint.url).pathname}`;
  return { ...server, call, endpoint, address };
}

describe('hooktape backup', () => {
  test('is consistent while capture runs, and has every delivery that was answered before it', async () => {
    const server = await serveInbox();
    const acknowledged: string[] = [];
    let sending = true;
    const senders = Array.from({ length: 8 }, async () => {
      while (sending) {
        const response = await fetch(server.address, { method: 'POST', body: `{"n":${acknowledged.length}}` });
        acknowledged.push(((await response.json()) as { id: string }).id);
      }
    });
    await eventually(() => acknowledged.length >= 200);
    const before = acknowledged.slice();
    const done = JSON.parse(await run(env, 'backup', path('copy.db'), '--json'));
    sending = false;
    await Promise.all(senders);
    expect((await server.stop()).exitCode).toBe(0);
    expect(done).toEqual({
      file: path('copy.db'),
      bytes: statSync(path('copy.db')).size,
      secretFile: path('copy.db.secret'),
    });
    expect([mode(done.file), mode(done.secretFile)]).toEqual(['600', '600']);
    expect(readdirSync(directory).sort()).toEqual(['copy.db', 'copy.db.secret', 'data']);

    expect(await run(elsewhere(), 'restore', path('copy.db'))).toBe(path('other'));
    expect([mode(path('other/hooktape.db')), mode(path('other/secret')), mode(path('other'))]).toEqual([
      '600',
      '600',
      '700',
    ]);
    expect(await run(elsewhere(), 'check')).toStartWith('no problems found: structure, references, counters');
    const restored = await startServer(elsewhere());
    const { eventCount } = await server.call(restored.origin, `/api/endpoints/${server.endpoint.id}`);
    expect(eventCount).toBeGreaterThanOrEqual(before.length);
    for (const id of before.slice(-5)) expect((await server.call(restored.origin, `/api/events/${id}`))['id']).toBe(id);
    await restored.stop();
  });

  test('works without a server, resolves relative paths, and never overwrites a file', async () => {
    await run(env, 'account', 'create', 'owner@example.com');
    const file = join(directory, 'a b%20#.db');
    expect(await run(env, 'backup', file)).toBe(`${file}\n${file}.secret`);
    const bytes = readFileSync(file);
    expect(await failing(env, 'backup', file)).toContain('already exists: choose another name');
    expect(readFileSync(file)).toEqual(bytes);

    rmSync(file);
    writeFileSync(`${file}.secret`, 'another');
    expect(await failing(env, 'backup', file)).toContain('already exists: choose another name');
    expect([existsSync(file), readFileSync(`${file}.secret`, 'utf8')]).toEqual([false, 'another']);
    expect(await failing(env, 'backup', path('no/such/directory.db'))).toContain('could not be written');
    expect((await hooktape(env, 'backup')).exitCode).toBe(2);
  });

  test('does not contain a configured secret, and says so', async () => {
    const secret = { ...env, HOOKTAPE_SECRET: 'a secret that the operator keeps' };
    await run(secret, 'account', 'create', 'owner@example.com');
    const { stdout, stderr } = await hooktape(secret, 'backup', path('copy.db'));
    expect(stdout).toBe(`${path('copy.db')}\n`);
    expect(stderr).toContain('does not contain HOOKTAPE_SECRET');
    expect(existsSync(path('copy.db.secret'))).toBe(false);

    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain(
      'set HOOKTAPE_SECRET to the secret of the backup',
    );
    const wrong = { ...elsewhere(), HOOKTAPE_SECRET: 'a secret that somebody else keeps' };
    expect(await failing(wrong, 'restore', path('copy.db'))).toContain('not the secret of this backup');
    await run({ ...secret, ...elsewhere() }, 'restore', path('copy.db'));
    expect(await run({ ...secret, ...elsewhere() }, 'account', 'list')).toContain('owner@example.com');
  });
});

describe('hooktape restore', () => {
  beforeEach(async () => {
    await run(env, 'account', 'create', 'owner@example.com');
    await run(env, 'backup', path('copy.db'));
  });

  test('refuses a data directory that is not empty, and does not change it', async () => {
    expect(await failing(env, 'restore', path('copy.db'))).toContain('is not empty');
    mkdirSync(path('other'));
    writeFileSync(path('other/notes.txt'), '');
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('is not empty (notes.txt)');
    expect(readdirSync(path('other'))).toEqual(['notes.txt']);
  });

  test('accepts a directory with only a lock, the native library, or files of an interrupted restore', async () => {
    mkdirSync(path('other'));
    for (const name of ['hooktape.lock', '.libsql-1a2b3c.node', 'hooktape.db.restoring'])
      writeFileSync(join(path('other'), name), '');
    await run(elsewhere(), 'restore', path('copy.db'));
    expect(await run(elsewhere(), 'account', 'list')).toContain('owner@example.com');
  });

  test('refuses a directory that has the write-ahead log of another database', async () => {
    const away = { ...elsewhere(), HOOKTAPE_DATABASE_URL: `file:${path('away.db')}` };
    writeFileSync(path('away.db-wal'), 'pages of another database');
    expect(await failing(away, 'restore', path('copy.db'))).toContain('move the write-ahead log away');
    expect(existsSync(path('away.db'))).toBe(false);
    rmSync(path('away.db-wal'));
    await run(away, 'restore', path('copy.db'));
    expect(await run(away, 'account', 'list')).toContain('owner@example.com');
  });

  test('refuses while a server runs', async () => {
    const server = await startServer(env);
    expect(await failing(env, 'restore', path('copy.db'))).toContain('is not empty');
    await server.stop();
  });

  const nothingLeft = (): void =>
    expect(readdirSync(path('other')).filter(name => !/^(?:hooktape\.lock|\.gitignore$)/.test(name))).toEqual([]);

  test('refuses a backup of a newer version', async () => {
    await change(path('copy.db'), 'PRAGMA user_version = 999');
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('it was written by a newer Hooktape');
    nothingLeft();
  });

  test('refuses a damaged or truncated backup, and any other file', async () => {
    const bytes = readFileSync(path('copy.db'));
    const damaged = Buffer.from(bytes);
    damaged.fill(0x5a, 5 * 16384, 9 * 16384);
    writeFileSync(path('copy.db'), damaged);
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('damaged');
    writeFileSync(path('copy.db'), bytes.subarray(0, bytes.length / 2));
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('damaged');
    writeFileSync(path('copy.db'), 'Dear operator,\n'.repeat(5000));
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('not a Hooktape database');
    writeFileSync(path('copy.db'), '');
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('not a Hooktape database');
    await change(path('foreign.db'), 'CREATE TABLE notes (text)', 'PRAGMA user_version = 1');
    expect(await failing(elsewhere(), 'restore', path('foreign.db'))).toContain('no such table: meta');
    expect(await failing(elsewhere(), 'restore', path('nowhere.db'))).toContain('not found');
    nothingLeft();
  });

  test('refuses a backup whose secret is missing or different', async () => {
    writeFileSync(path('copy.db.secret'), 'another\n');
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('not the secret of this backup');
    rmSync(path('copy.db.secret'));
    expect(await failing(elsewhere(), 'restore', path('copy.db'))).toContain('the secret is missing');
    nothingLeft();
  });
});

describe('a damaged database', () => {
  const overwrite = (page: number): void => {
    const file = path('data/hooktape.db');
    const bytes = readFileSync(file);
    bytes.fill(0x5a, page * 16384, (page + 1) * 16384);
    writeFileSync(file, bytes);
  };

  test.each([
    ['serve', 'first page', 0],
    ['account list', 'first page', 0],
    ['check', 'first page', 0],
    ['serve', 'first table', 1],
  ] as const)('hooktape %s over its %s refuses with the way out', async (words, _what, page) => {
    await run(env, 'account', 'create', 'owner@example.com');
    overwrite(page === 0 ? 0 : await rootPage(path('data/hooktape.db'), 'meta'));
    const { exitCode, stderr } = await hooktape(env, ...words.split(' '));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the database file is damaged: SQLITE_');
    expect(stderr).toContain('hooktape restore FILE');
  });
});

async function rootPage(file: string, table: string): Promise<number> {
  const client = createClient({ url: `file:${file}` });
  const { rows } = await client.execute({ sql: 'SELECT rootpage FROM sqlite_schema WHERE name = ?', args: [table] });
  client.close();
  return Number(rows[0]?.[0]) - 1;
}
