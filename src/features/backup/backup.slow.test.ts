/* Servers that back up to a store in memory, and what a restore brings back. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeLogBody, decodeLogHead } from '../../core/backup/contents.ts';
import { createBackupNames } from '../../core/backup/names.ts';
import { createBackupSeal } from '../../core/backup/seal.ts';
import { hooktape } from '../../testing/command.ts';
import { openMemoryStore } from '../../testing/object-store/memory-store.ts';
import { s3Env } from '../../testing/object-store/written-backup.ts';
import { eventually } from '../../testing/poll.ts';
import {
  openTestServer,
  randomBytes,
  type TestAccount,
  type TestServer,
  type TestServerOptions,
} from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

const secret = 'the secret of these tests, long enough';
const names = createBackupNames(secret);

let root: string;
let store: Awaited<ReturnType<typeof openMemoryStore>>;
let open: TestServer[];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
  store = await openMemoryStore();
  open = [];
});
afterEach(async () => {
  store.setFault(() => undefined);
  for (const server of open.splice(0)) await server.close();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const at = (name: string): string => join(root, name);
const env = (name: string): Record<string, string> => ({
  HOOKTAPE_DATA_DIR: at(name),
  HOOKTAPE_DATABASE_URL: `file:${at(name)}/hooktape.db`,
  HOOKTAPE_SECRET: secret,
  ...s3Env(store),
});

async function start(name: string, options: TestServerOptions & { env?: Record<string, string> } = {}) {
  mkdirSync(at(name), { recursive: true });
  const server = await openTestServer({
    ...options,
    directory: at(name),
    env: { ...env(name), HOOKTAPE_BACKUP_S3: 's3://tapes/one', HOOKTAPE_BACKUP_EVERY: '1s', ...options.env },
    overrides: { backupLimits: { firstRetryMs: 20, maxRetryMs: 100, ...options.overrides?.backupLimits } },
  });
  open.push(server);
  return server;
}
async function stop(server: TestServer): Promise<void> {
  open = open.filter(one => one !== server);
  await server.close();
}

const service = (server: TestServer) => server.services.backup.configured();
const now = async (server: TestServer) => (await service(server)).now();
const status = async (server: TestServer) => (await service(server)).status();

async function endpointOf(server: TestServer): Promise<{ account: TestAccount; url: string; id: string }> {
  const account = await server.createAccount();
  return { account, ...(await account.createEndpoint()) };
}

/** Restores, and opens the result as a server that does not back up. @returns the bodies of all its events */
async function restored(...args: string[]): Promise<string[] | string> {
  const name = `restored-${Math.random()}`;
  const { exitCode, stderr } = await hooktape(env(name), 'restore', 's3://tapes/one', ...args);
  if (exitCode !== 0) return stderr;
  const server = await openTestServer({ directory: at(name), env: env(name) });
  const bodies: string[] = [];
  const { rows } = await server.services.database.client.execute('SELECT id FROM endpoints');
  const { key } = await server.services.keys.create(
    (await server.services.account.byEmail('owner@example.com')).id,
    'restored',
  );
  const headers = { authorization: `Bearer ${key}` };
  const { events } = (await (
    await server.fetch(`/api/events?endpointId=${rows[0]?.[0]}&limit=100`, { headers })
  ).json()) as {
    events: { id: string }[];
  };
  for (const { id } of events) bodies.push(await (await server.fetch(`/api/events/${id}/raw`, { headers })).text());
  await server.close();
  return bodies.reverse();
}

const keysOf = (kind: 'log' | 'index'): string[] =>
  [...store.objects.keys()]
    .flatMap(key => ({ key, place: names.read(key.replace('one/', '')) }))
    .filter(({ place }) => place?.kind === kind)
    .sort((a, b) => (a.place?.seq ?? 0) - (b.place?.seq ?? 0))
    .map(({ key }) => key);
const logs = (): string[] => keysOf('log');

/** Damages the head of an object. */
function flip(key: string): void {
  const kept = store.objects.get(key);
  if (!kept) throw new Error(`there is no ${key}`);
  const bytes = Buffer.from(kept.bytes);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  store.objects.set(key, { ...kept, bytes });
}

describe('what was acknowledged comes back', () => {
  test('after each wait, a stop, and a new start', async () => {
    const server = await start('a');
    const { account, url, id } = await endpointOf(server);
    for (const body of ['1', '2', '3']) await server.deliver({ url }, body);
    expect(await now(server)).toMatchObject({
      state: 'ok',
      ageS: 0,
      pendingBytes: 0,
      store: 's3://tapes/one',
      problem: null,
    });
    expect(await restored()).toEqual(['1', '2', '3']);
    await server.deliver({ url }, '4');
    await account.json(200, 'PATCH', `/api/endpoints/${id}`, { name: 'renamed' });
    await stop(server);
    expect(await restored()).toEqual(['1', '2', '3', '4']);
    const again = await start('a');
    await again.deliver({ url }, '5');
    await eventually(async () => (await status(again)).ageS === 0 && (await status(again)).pendingBytes === 0);
    expect((await again.fetch('/metrics')).status).toBeLessThan(500);
    await now(again);
    expect(await restored()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('although the store answers errors for what it stored, refuses one object, and is away', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    await now(server);
    let count = 0;
    let refused: string | undefined;
    store.setFault(({ method, path }) => {
      if (method !== 'PUT') return undefined;
      count++;
      if (path === refused || count === 7) {
        refused = path;
        return { status: 403, code: 'AccessDenied' };
      }
      if (count % 3 === 0) return 'no-answer';
      return count % 4 === 0 ? { status: 503, code: 'SlowDown' } : undefined;
    });
    const bodies = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const body of bodies) {
      await server.deliver({ url }, body);
      if (Number(body) % 4 === 0) await Bun.sleep(300);
    }
    await eventually(async () => (await status(server)).pendingBytes === 0);
    store.setFault(() => 'reset');
    await server.deliver({ url }, 'while it is away');
    await eventually(async () => (await status(server)).state === 'failing');
    await eventually(async () => (await status(server)).ageS >= 1);
    expect(await thrownBy(now(server))).toThrow('PUT');
    store.setFault(() => undefined);
    await eventually(async () => (await status(server)).state === 'ok');
    await now(server);
    expect(await restored()).toEqual([...bodies, 'while it is away']);
  });

  test('although the store was away from the start, and the process ended meanwhile', async () => {
    store.setFault(() => 'reset');
    const server = await start('a');
    const { url } = await endpointOf(server);
    await server.deliver({ url }, '1');
    await eventually(async () => (await status(server)).state === 'failing');
    await stop(server);
    expect(store.objects.size).toBe(0);
    store.setFault(() => undefined);
    const again = await start('a');
    await now(again);
    expect(await restored()).toEqual(['1']);
  });

  test('although the store has lost an object, once the server has put it back', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    for (const body of ['1', '2', '3']) {
      await server.deliver({ url }, body);
      await now(server);
    }
    const lost = logs()[0] ?? '';
    store.objects.delete(lost);
    expect(await restored()).toContain(`${lost} is missing`);
    await now(server);
    expect(await restored()).toEqual(['1', '2', '3']);
    await stop(server);
    for (const name of logs().slice(1, 3)) store.objects.delete(name);
    const again = await start('a');
    await now(again);
    expect(await restored()).toEqual(['1', '2', '3']);
  });

  test('although the store has lost the index, without which no state can be restored', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    for (const body of ['1', '2']) {
      await server.deliver({ url }, body);
      await now(server);
    }
    // Leaves nothing but what an index says.
    await server.services.backup.forgetDeleted();
    await server.deliver({ url }, '3');
    await now(server);
    const [index = ''] = keysOf('index');
    store.objects.delete(index);
    expect(await restored()).toMatch(/is missing/);
    await now(server);
    expect(await restored()).toEqual(['1', '2', '3']);
    const [again = ''] = keysOf('index');
    flip(again);
    expect(await restored()).toContain(`${again} is damaged`);
    await (await service(server)).repair([again.replace('one/', '')]);
    expect(await restored()).toEqual(['1', '2', '3']);
  });

  test.each(['log', 'index'] as const)('although the %s was damaged while the server was off', async kind => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    await server.deliver({ url }, '1');
    await now(server);
    if (kind === 'index') await server.services.backup.forgetDeleted();
    await server.deliver({ url }, '2');
    await now(server);
    await stop(server);
    const damaged = keysOf(kind).at(-1) ?? '';
    flip(damaged);
    expect(await restored()).toContain(`${damaged} is damaged`);
    const again = await start('a');
    await eventually(async () => (await status(again)).state === 'ok');
    await eventually(async () => typeof (await restored()) !== 'string');
    expect(await restored()).toEqual(['1', '2']);
  });
});

test('a stop takes no longer than its limit when the store is silent', async () => {
  const server = await start('a', { overrides: { backupLimits: { stopMs: 300 } } });
  const { url } = await endpointOf(server);
  await now(server);
  store.setFault(() => 'silent');
  await server.deliver({ url }, '1');
  const startedAt = performance.now();
  await stop(server);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

describe('one writer', () => {
  test('another installation and a copy do not back up, and say so', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    await server.deliver({ url }, '1');
    await now(server);
    cpSync(at('a'), at('copy'), { recursive: true });
    const other = await start('other');
    const copy = await start('copy');
    await eventually(async () => (await status(other)).state === 'refused');
    await eventually(async () => (await status(copy)).state === 'refused');
    expect((await status(other)).problem).toContain('another installation');
    expect((await status(copy)).problem).toContain('another server');
    expect(await thrownBy(now(copy))).toThrow('another server');
    await copy.deliver({ url }, 'in the copy');
    await server.deliver({ url }, '2');
    await now(server);
    expect(await restored()).toEqual(['1', '2']);
    await stop(server);
    await eventually(async () => (await status(copy)).state === 'ok');
    await now(copy);
    expect(await restored()).toEqual(['1', 'in the copy']);
    expect((await status(other)).state).toBe('refused');
  });

  test('who lost the claim writes no more', async () => {
    let time = 0;
    const clock = { now: Date.now, monotonic: () => performance.now() + time };
    const server = await start('a', { clock });
    const { url } = await endpointOf(server);
    await now(server);
    cpSync(at('a'), at('copy'), { recursive: true });
    store.setFault(({ method }) => (method === 'PUT' ? 'reset' : undefined));
    const copy = await start('copy', { clock });
    store.setFault(() => undefined);
    await eventually(async () => (await status(copy)).state === 'refused');
    // The first one cannot renew its claim while the second one waits.
    store.setFault(() => 'reset');
    await server.deliver({ url }, '1');
    await eventually(async () => (await status(server)).state === 'failing');
    time += 40_000;
    store.setFault(() => undefined);
    await eventually(async () => [await status(server), await status(copy)].some(({ state }) => state === 'refused'));
    await Promise.allSettled([now(server), now(copy)]);
    expect([(await status(server)).state, (await status(copy)).state].sort()).toEqual(['ok', 'refused']);
  });

  test('who lost the claim without noticing stays refused when the other one has ended', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    await now(server);
    cpSync(at('a'), at('copy'), { recursive: true });
    let time = 0;
    const copy = await start('copy', { clock: { now: Date.now, monotonic: () => performance.now() + time } });
    await eventually(async () => (await status(copy)).state === 'refused');
    time += 40_000;
    await eventually(async () => (await status(copy)).state === 'ok');
    await copy.deliver({ url }, 'in the copy');
    await now(copy);
    await server.deliver({ url }, '1');
    await eventually(async () => (await status(server)).state === 'refused');
    await stop(copy);
    expect(await thrownBy(now(server))).toThrow('until it is started again');
    expect(await restored()).toEqual(['in the copy']);
  });

  test('a server whose claim was damaged goes on when it is deleted', async () => {
    let time = 0;
    const server = await start('a', { clock: { now: Date.now, monotonic: () => performance.now() + time } });
    await now(server);
    const claim = `one/${names.name({ kind: 'claim', seq: 0 })}`;
    store.objects.set(claim, { bytes: Buffer.from('x'), etag: '"x"', modifiedAt: 0 });
    time += 11_000;
    await eventually(async () => (await status(server)).state === 'refused');
    store.objects.delete(claim);
    await eventually(async () => (await status(server)).state === 'ok');
  });

  test('a store that refuses the claim does not make the server forget where its history began', async () => {
    const claim = names.name({ kind: 'claim', seq: 0 });
    let refusals = 0;
    store.setFault(({ method, path }) => {
      if (method !== 'PUT' || !path.endsWith(claim) || refusals === 5) return undefined;
      refusals++;
      return 'reset';
    });
    const server = await start('a');
    await eventually(async () => refusals === 5);
    await now(server);
    const { rows } = await server.services.database.client.execute(
      "SELECT CAST(value AS TEXT) FROM meta WHERE name = 'backup-chains'",
    );
    expect([refusals, JSON.parse(`${rows[0]?.[0]}`)]).toEqual([5, [expect.any(String)]]);
  });

  test('a restored server goes on', async () => {
    const server = await start('a');
    const { url } = await endpointOf(server);
    await server.deliver({ url }, '1');
    await stop(server);
    const { exitCode } = await hooktape(env('new'), 'restore', 's3://tapes/one');
    expect(exitCode).toBe(0);
    // SQLite, which still has the restored file open in this process, knows a file by its number.
    cpSync(at('new'), at('next'), { recursive: true });
    const next = await start('next');
    await next.deliver({ url }, '2');
    await now(next);
    expect(await restored()).toEqual(['1', '2']);
  });
});

describe('what is deleted', () => {
  test('leaves the store after the time to keep, and no older state can be restored', async () => {
    const server = await start('a', { env: { HOOKTAPE_BACKUP_KEEP: '1s' } });
    const { url } = await endpointOf(server);
    for (let i = 0; i < 5; i++) {
      await server.deliver({ url }, `${i}`);
      await now(server);
    }
    const first = (await status(server)).oldest ?? 0;
    const before = logs();
    await eventually(async () => {
      await server.deliver({ url }, 'more').catch(() => {});
      await now(server);
      return ((await status(server)).oldest ?? 0) > first && logs().every(name => !before.includes(name));
    });
    expect(await restored('--at', new Date(first - 1).toISOString())).toContain('oldest state');
    await stop(server);
    expect((await restored()).slice(0, 6)).toEqual(['0', '1', '2', '3', '4', 'more']);
  });

  test('is in no object once the server has forgotten it', async () => {
    const server = await start('a');
    const { account, url } = await endpointOf(server);
    const word = 'a-word-that-must-go';
    const event = await server.deliver({ url }, Buffer.concat([randomBytes(3000), Buffer.from(word)]));
    await now(server);
    for (let i = 0; i < 5; i++) {
      await server.deliver({ url }, `${i}`);
      await now(server);
    }
    expect(await contains(word)).toBe(true);
    await server.services.database.client.execute('PRAGMA secure_delete = on');
    await account.json(200, 'DELETE', `/api/events/${event}`).catch(() => {});
    await server.services.database.client
      .batch(['DELETE FROM blocks WHERE seq NOT IN (SELECT block FROM events WHERE block IS NOT NULL)'], 'write')
      .catch(() => {});
    store.setFault(() => 'reset');
    let isForgotten = false;
    const forgetting = server.services.backup.forgetDeleted().then(() => {
      isForgotten = true;
    });
    await eventually(async () => (await status(server)).state === 'failing');
    expect(isForgotten).toBe(false);
    store.setFault(() => undefined);
    await forgetting;
    expect(await contains(word)).toBe(false);
    expect(await restored()).toEqual(['0', '1', '2', '3', '4']);
    expect((await status(server)).oldest).toBeGreaterThan(0);
  });
});

/** Whether a page in an object of the log has the text. */
async function contains(text: string): Promise<boolean> {
  const seal = createBackupSeal(secret);
  for (const key of logs()) {
    const place = names.read(key.replace('one/', ''));
    const bytes = store.objects.get(key)?.bytes;
    if (!place || !bytes) continue;
    const opened = await seal.openHead(place, bytes);
    if ('needs' in opened) throw new Error('too short');
    const body = await decodeLogBody(await seal.openBody(place, bytes, opened), decodeLogHead(opened.head));
    if (body.includes(text)) return true;
  }
  return false;
}

test('a store without conditions, and one with versions, are used with a warning', async () => {
  await store.close();
  store = await openMemoryStore({ versioning: 'Enabled' });
  let probes = 0;
  store.setFault(({ method, path }) => {
    const isProbe = method === 'PUT' && names.read(path.split('/').at(-1) ?? '')?.kind === 'probe';
    return isProbe && ++probes > 1 ? { status: 501, code: 'NotImplemented' } : undefined;
  });
  const server = await start('a');
  const { url } = await endpointOf(server);
  await server.deliver({ url }, '1');
  expect(await now(server)).toMatchObject({ state: 'ok', problem: expect.stringMatching(/conditional.*versions/) });
  await now(server);
  expect(await restored()).toEqual(['1']);
});
