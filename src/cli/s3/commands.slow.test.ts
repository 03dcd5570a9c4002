import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hooktape } from '../../testing/command.ts';
import { openMemoryStore } from '../../testing/object-store/memory-store.ts';
import { createWrittenBackup, flipMiddle, prepareStates, s3Env } from '../../testing/object-store/written-backup.ts';

const secret = 'the secret of these tests, long enough';
const monday = Date.parse('2026-11-23T10:00:00Z');
const tuesday = Date.parse('2026-11-24T10:00:00Z');

let states: Awaited<ReturnType<typeof prepareStates>>;
beforeAll(async () => {
  states = await prepareStates(secret);
});
afterAll(() => states.remove());

let directory: string;
let store: Awaited<ReturnType<typeof openMemoryStore>>;
let written: ReturnType<typeof createWrittenBackup>;
let env: Record<string, string>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  store = await openMemoryStore();
  written = createWrittenBackup(store, 'one', secret);
  await written.add(states.first, monday);
  await written.add(states.second, tuesday);
  await written.claim(tuesday, { released: true });
  env = {
    // There is no data directory.
    HOOKTAPE_DATA_DIR: join(directory, 'none'),
    HOOKTAPE_SECRET: secret,
    HOOKTAPE_BACKUP_S3: 's3://tapes/one',
    ...s3Env(store),
    TMPDIR: directory,
  };
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const s3 = (...args: string[]) => hooktape(env, 'backup', 's3', ...args);
const status = async () => {
  const { exitCode, stdout, stderr } = await s3('status', '--json');
  expect([stderr, existsSync(join(directory, 'none'))]).toEqual(['', false]);
  return { exitCode, ...JSON.parse(stdout) };
};
const right = {
  exitCode: 0,
  state: 'ok',
  store: 's3://tapes/one',
  ageS: 0,
  pendingBytes: 0,
  oldest: monday,
  problem: null,
};

describe('hooktape backup s3 status, without a server', () => {
  test('says from the store alone that all is well', async () => {
    expect(await status()).toEqual(right);
    expect((await s3('status')).stdout).toBe(
      'state:            ok\nstore:            s3://tapes/one\nnot in the store: nothing\noldest state:     2026-11-23T10:00:00.000Z\n',
    );
  });

  test('notices a server that has died', async () => {
    await written.claim(tuesday);
    const problem = 'its server has not written since 2026-11-24T10:00:00.000Z';
    expect(await status()).toMatchObject({ exitCode: 1, state: 'behind', problem, ageS: expect.any(Number) });
    await written.claim(Date.now());
    expect(await status()).toEqual(right);
  });

  test.each([
    ['a missing object', () => store.objects.delete(written.keyOf({ kind: 'log', seq: 1 })), /one\/\w{32} is missing/],
    ['no backup', () => store.objects.clear(), /^there is no backup at s3:\/\/tapes\/one$/],
    ['another secret', () => Object.assign(env, { HOOKTAPE_SECRET: 'x'.repeat(40) }), /is not the secret of/],
    ['wrong keys', () => store.setFault(() => ({ status: 403, code: 'AccessDenied' })), /403 AccessDenied/],
  ] as const)('%s is a failing backup', async (_name, harm, problem) => {
    harm();
    expect(await status()).toMatchObject({ exitCode: 1, state: 'failing', problem: expect.stringMatching(problem) });
  });

  test('warns of a bucket that keeps versions', async () => {
    await store.close();
    const objects = store.objects;
    store = await openMemoryStore({ versioning: 'Enabled' });
    for (const [key, object] of objects) store.objects.set(key, object);
    Object.assign(env, s3Env(store));
    expect(await status()).toMatchObject({ exitCode: 0, state: 'ok', problem: expect.stringContaining('versions') });
  });
});

describe('hooktape backup s3 verify', () => {
  test('restores the newest state, checks it, and leaves nothing', async () => {
    const { exitCode, stdout, stderr } = await s3('verify', '--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    const objects = store.objects.size - 1;
    expect(JSON.parse(stdout)).toEqual({ ok: true, at: tuesday, objects, bytes: expect.any(Number), problems: [] });
    expect(readdirSync(directory)).toEqual([]);
    expect((await s3('verify')).stdout).toMatch(
      /^no problems found: the state of 2026-11-24T10:00:00.000Z was restored /,
    );
  });

  test('names every object that is missing or damaged', async () => {
    const [first, third] = [1, 3].map(seq => written.keyOf({ kind: 'log', seq })) as [string, string];
    flipMiddle(store, first);
    store.objects.delete(third);
    const { exitCode, stdout } = await s3('verify', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([
        { object: first.replace('one/', ''), problem: 'damaged' },
        { object: third.replace('one/', ''), problem: 'missing' },
      ]),
    });
    expect((await s3('verify')).stdout).toContain(`${third.replace('one/', '')}: missing\n`);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a directory without enough space is said before anything is fetched', async () => {
    env['TMPDIR'] = join(directory, 'nowhere');
    expect((await s3('verify')).exitCode).toBe(1);
  });
});

describe('hooktape backup s3', () => {
  test.each(['status', 'now', 'verify'])('%s without HOOKTAPE_BACKUP_S3 exits with 78', async verb => {
    env['HOOKTAPE_BACKUP_S3'] = '';
    const { exitCode, stderr } = await s3(verb);
    expect([exitCode, stderr]).toEqual([78, expect.stringContaining('HOOKTAPE_BACKUP_S3 is not set')]);
  });

  test('now needs a database', async () => {
    expect(await s3('now')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no database at') });
    expect(existsSync(join(directory, 'none'))).toBe(false);
  });

  test.each([
    [['later'], 'unknown subcommand: backup s3 later'],
    [[], 'status|now|verify is missing'],
  ])('%j is wrong usage', async (words, problem) => {
    const { exitCode, stderr } = await s3(...words);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
