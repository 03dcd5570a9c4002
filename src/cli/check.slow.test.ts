import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { createSealer, sealPurpose } from '../core/secrets/seal.ts';
import { hooktape, startServer } from '../testing/command.ts';
import { recordMany } from '../testing/events.ts';
import { databaseFor, isRemote } from '../testing/remote/databases.ts';
import { openTestServer, randomBytes } from '../testing/test-server.ts';
import type { CheckResult } from './maintenance.ts';

const secret = 'the secret of this test, long enough';
let env: { HOOKTAPE_DATA_DIR: string; HOOKTAPE_SECRET: string; HOOKTAPE_DATABASE_URL: string };
let file: string;
let removeDatabase: () => Promise<void>;

/** A database with two endpoints, four events, a replay and a sealed secret, all in order. */
beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  file = join(directory, 'hooktape.db');
  const libsql = await databaseFor(directory);
  removeDatabase = async () => libsql?.remove();
  env = {
    HOOKTAPE_DATA_DIR: directory,
    HOOKTAPE_SECRET: secret,
    HOOKTAPE_DATABASE_URL: libsql?.url ?? `file:${file}`,
  };
  const server = await openTestServer({ directory, env: { HOOKTAPE_SECRET: secret } });
  const caller = await server.createAccount();
  const { id } = await caller.createEndpoint();
  await caller.createEndpoint('empty');
  await recordMany(server, id, 4, { receivedAt: n => Date.now() + n });
  const sealed = createSealer(secret, randomBytes).seal('whsec', sealPurpose.signingSecret('sec_1'));
  await server.services.database.client.batch([
    {
      sql: "INSERT INTO secrets (id, endpoint, platform, sealed, last4, created_at) VALUES ('sec_1', 1, NULL, ?, 'hsec', 0)",
      args: [sealed],
    },
    "INSERT INTO replays (event, destination, ok, duration_ms, created_at) VALUES (1, 'http://example.com/', 1, 1, 1)",
  ]);
  await server.close();
});
afterEach(async () => {
  await removeDatabase();
  rmSync(env.HOOKTAPE_DATA_DIR, { recursive: true, force: true });
});

async function damage(...statements: (string | { sql: string; args: (string | Uint8Array)[] })[]): Promise<void> {
  const client = createClient({ url: env.HOOKTAPE_DATABASE_URL });
  // Without looking at references.
  await client.migrate(statements);
  client.close();
}

async function check(...args: string[]): Promise<CheckResult & { exitCode: number }> {
  const { exitCode, stdout } = await hooktape(env, 'check', '--json', ...args);
  return { exitCode, ...(JSON.parse(stdout) as CheckResult) };
}

describe('hooktape check', () => {
  test('exits with 0 and prints the checks when there is no problem', async () => {
    // A server looks after its own files.
    const checked = [
      ...(isRemote ? [] : ['structure']),
      'references',
      'counters',
      'orphans',
      'contents',
      'secrets',
      'index',
      ...(isRemote ? [] : ['journal']),
    ];
    expect(await check()).toEqual({ exitCode: 0, ok: true, checked, problems: [] });
    expect((await hooktape(env, 'check')).stdout).toBe(`no problems found: ${checked.join(', ')}\n`);
  });

  test.skipIf(isRemote)('reports a delivery that the database refused and the journal kept', async () => {
    mkdirSync(`${file}.capture`);
    writeFileSync(`${file}.capture/refused-7.json`, '{}');
    const { exitCode, problems } = await check();
    expect([exitCode, problems]).toEqual([
      1,
      [{ check: 'journal', problem: `${file}.capture/refused-7.json is a delivery that the database refused` }],
    ]);
  });

  test.each([
    ['a wrong counter', 'UPDATE endpoints SET event_count = 5 WHERE seq = 1', 'counters', 'records 5 events but has 4'],
    [
      'a wrong time',
      'UPDATE endpoints SET last_received_at = 7',
      'counters',
      'records its newest event at 7, but the newest event was received at',
    ],
    ['a missing event', 'DELETE FROM events WHERE seq = 2', 'counters', 'records 4 events but has 3'],
    ['an orphaned event', 'UPDATE events SET endpoint = 99 WHERE seq = 2', 'orphans', '1 event without an endpoint'],
    ['an orphaned replay', 'UPDATE replays SET event = 99', 'orphans', '1 replay without an event'],
    ['an orphaned attempt', 'UPDATE delivery_attempts SET event = 99 WHERE event = 2', 'orphans', '1 attempt without'],
    [
      'a missing attempt',
      'DELETE FROM delivery_attempts',
      'orphans',
      '4 events missing from the attempts of their deliveries',
    ],
    ['a lost team', 'DELETE FROM teams', 'references', 'endpoints: 2 rows referring to a missing row in teams'],
    [
      'other bodies',
      'UPDATE blocks SET encoding = 0, content = zeroblob(bytes)',
      'contents',
      'the stored block does not match its checksum',
    ],
    ['damaged bodies', "UPDATE blocks SET encoding = 1, content = x'28b52ffd'", 'contents', 'cannot be read'],
    [
      'a wrong place',
      'UPDATE events SET block_start = 0 WHERE seq = 2',
      'contents',
      'the stored block has another event at this place',
    ],
    [
      'a missing block',
      'UPDATE events SET block = 99 WHERE seq = 2',
      'contents',
      'the block that contains it is missing',
    ],
    ['a wrong count in a block', 'UPDATE blocks SET events = 5', 'contents', 'block 1 records 5 events but has 4'],
    ['a block without events', 'DELETE FROM events', 'contents', 'block 1 records 4 events but has 0'],
    [
      'a secret moved elsewhere',
      "UPDATE secrets SET id = 'sec_2'",
      'secrets',
      'signing secret sec_2 cannot be decrypted',
    ],
    [
      'the secret of one-time codes of another account',
      "INSERT INTO totps (account_id, secret, created_at) SELECT id, x'01', 1 FROM accounts LIMIT 1",
      'secrets',
      'the one-time codes of acc_',
    ],
    ['an altered guard', "UPDATE endpoints SET guard_secrets = x'01'", 'secrets', 'the guard credentials of ep_'],
  ])('finds %s', async (_what, sql, name, words) => {
    await damage(sql);
    const { exitCode, ok, problems } = await check();
    expect([exitCode, ok]).toEqual([1, false]);
    expect(
      problems
        .filter(one => one.check === name)
        .map(({ problem }) => problem)
        .join(),
    ).toContain(words);
  });

  test('finds a secret that was sealed under another HOOKTAPE_SECRET, through the running server, too', async () => {
    const foreign = createSealer('another', randomBytes).seal('whsec', sealPurpose.signingSecret('sec_1'));
    await damage({ sql: 'UPDATE secrets SET sealed = ?', args: [foreign] });
    const server = await startServer(env);
    const { exitCode, stdout } = await hooktape(env, 'check');
    await server.stop();
    expect(exitCode).toBe(1);
    expect(stdout).toBe('secrets: signing secret sec_1 cannot be decrypted with HOOKTAPE_SECRET\n');
  });

  test.skipIf(isRemote)('finds a damaged page, and stops there', async () => {
    const client = createClient({ url: `file:${file}` });
    const { rows } = await client.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'replays_by_account'");
    client.close();
    const bytes = readFileSync(file);
    const page = Number(rows[0]?.[0]) - 1;
    bytes.fill(0x5a, page * 16384, (page + 1) * 16384);
    writeFileSync(file, bytes);
    const { exitCode, checked, problems } = await check();
    expect([exitCode, checked]).toEqual([1, ['structure']]);
    expect(problems.length).toBeGreaterThan(0);
  });

  test('finds blocks that the search index lacks, and --reindex mends it', async () => {
    await damage('DELETE FROM block_signatures');
    const { exitCode, problems } = await check();
    expect(exitCode).toBe(1);
    expect(problems).toEqual([
      { check: 'index', problem: expect.stringMatching(/^the search index lacks \d blocks?$/) },
    ]);
    expect(await check('--reindex')).toMatchObject({ exitCode: 0, problems: [] });
  });
});
