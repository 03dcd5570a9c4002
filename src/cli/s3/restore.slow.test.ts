import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
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
  env = { HOOKTAPE_DATA_DIR: join(directory, 'restored'), HOOKTAPE_SECRET: secret, ...s3Env(store), TMPDIR: directory };
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const remove = (from: typeof store, key: string): unknown => from.objects.delete(key);
const restored = (): string => join(directory, 'restored');
const restore = (...args: string[]) => hooktape(env, 'restore', 's3://tapes/one', ...args);

const accounts = async (): Promise<string> => (await hooktape(env, 'account', 'list')).stdout;

describe('hooktape restore s3://…', () => {
  test('brings back the newest state, byte for byte, and only reads the bucket', async () => {
    const before = store.requests.length;
    const { exitCode, stdout, stderr } = await restore('--json');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ dataDir: restored(), file: join(restored(), 'hooktape.db'), at: tuesday });
    expect(readFileSync(join(restored(), 'hooktape.db')).equals(readFileSync(states.second))).toBe(true);
    expect(statSync(join(restored(), 'hooktape.db')).mode & 0o777).toBe(0o600);
    expect([...new Set(store.requests.slice(before).map(({ method }) => method))]).toEqual(['GET']);
    expect(await accounts()).toContain('account-2@example.com');
  });

  test('brings back the state at a time', async () => {
    const { exitCode, stderr } = await restore('--at', '2026-11-24T10:59:59.999+01:00');
    expect([exitCode, stderr]).toEqual([0, 'Restored the state of 2026-11-23T10:00:00.000Z.\n']);
    expect(readFileSync(join(restored(), 'hooktape.db')).equals(readFileSync(states.first))).toBe(true);
  });

  test.each([
    [
      'a time before the oldest state',
      ['--at', '2026-11-23T09:59:59Z'],
      {},
      /the oldest state .* is that of 2026-11-23T10:00:00.000Z/,
    ],
    [
      'another secret',
      [],
      { HOOKTAPE_SECRET: 'another secret, which is long enough' },
      /HOOKTAPE_SECRET is not the secret of the backup/,
    ],
    [
      'a bucket that does not exist',
      [],
      { where: 's3://elsewhere/one' },
      /s3:\/\/elsewhere\/one cannot be read: .*NoSuchBucket/,
    ],
    ['a prefix without a backup', [], { where: 's3://tapes/two' }, /there is no backup at s3:\/\/tapes\/two/],
  ] as const)('%s is refused, and nothing is left', async (_name, args, change, reason) => {
    const { where = 's3://tapes/one', ...settings } = change as Record<string, string>;
    const { exitCode, stdout, stderr } = await hooktape({ ...env, ...settings }, 'restore', where, ...args);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(reason);
    expect(existsSync(restored())).toBe(false);
  });

  test.each([
    ['missing', remove, 1],
    ['missing', remove, 2],
    ['damaged', flipMiddle, 1],
    ['damaged', flipMiddle, 2],
  ] as const)('an object that is %s is named, and nothing is left', async (problem, harm, seq) => {
    const key = written.keyOf({ kind: 'log', seq });
    harm(store, key);
    const { exitCode, stderr } = await restore();
    expect([exitCode, stderr]).toEqual([1, `hooktape: the object s3://tapes/${key} is ${problem}\n`]);
    expect(existsSync(restored())).toBe(false);
    mkdirSync(restored());
    expect((await restore()).exitCode).toBe(1);
    expect(readdirSync(restored())).toEqual([]);
  });

  test('an object in the place of another one is noticed', async () => {
    const [first, second] = [1, 2].map(seq => written.keyOf({ kind: 'log', seq }));
    store.objects.set(
      second ?? '',
      store.objects.get(first ?? '') ?? { bytes: Buffer.alloc(0), etag: '', modifiedAt: 0 },
    );
    expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${second} is damaged`) });
  });

  test('the newest objects may not be missing', async () => {
    const newest = [...store.objects.keys()].length - 1;
    const key = written.keyOf({ kind: 'log', seq: newest });
    store.objects.delete(key);
    expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`${key} is missing`) });
  });

  test('a directory that is not empty is refused before the store is asked, and stays as it is', async () => {
    mkdirSync(restored());
    writeFileSync(join(restored(), 'hooktape.db'), 'mine');
    const before = store.requests.length;
    expect(await restore()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not empty') });
    expect([store.requests.length, readdirSync(restored())]).toEqual([before, ['hooktape.db']]);
  });

  test.each([
    [{ HOOKTAPE_SECRET: '' }, 'HOOKTAPE_SECRET: must be the secret of the server that wrote the backup'],
    [
      { HOOKTAPE_S3_ACCESS_KEY_ID: '', HOOKTAPE_S3_SECRET_ACCESS_KEY: '' },
      'HOOKTAPE_S3_SECRET_ACCESS_KEY: must be set',
    ],
  ])('with %j the configuration is wrong', async (change, problem) => {
    const { exitCode, stderr } = await hooktape(
      { ...env, ...change } as Record<string, string>,
      'restore',
      's3://tapes/one',
    );
    expect([exitCode, stderr]).toEqual([78, expect.stringContaining(problem)]);
    expect(existsSync(restored())).toBe(false);
  });

  test.each([
    [['restore', 's3://tapes/one', '--at', 'yesterday'], '--at must be a time such as'],
    [['restore', 's3:/tapes'], 's3:/tapes must be s3://BUCKET or s3://BUCKET/PREFIX'],
    [['restore', 'copy.db', '--at', '2026-11-23T09:59:59Z'], '--at is for a backup in an object store'],
  ])('%j is wrong usage', async (args, problem) => {
    const { exitCode, stderr } = await hooktape(env, ...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});
