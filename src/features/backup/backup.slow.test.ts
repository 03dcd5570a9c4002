/* Servers that back up to a store in memory, and what a restore brings back. */
import { describe, expect, test } from 'bun:test';
import { decodeLogBody, decodeLogHead } from '../../core/backup/contents.ts';
import { createBackupSeal } from '../../core/backup/seal.ts';
import {
  endpointOf,
  flip,
  keysOf,
  logs,
  names,
  now,
  restored,
  secret,
  service,
  start,
  status,
  stop,
  store,
  useBackedUpServers,
  useStoreWith,
} from '../../testing/object-store/backed-up-servers.ts';
import { eventually } from '../../testing/poll.ts';
import { randomBytes } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

useBackedUpServers();

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

  const places = ['with all other pages', 'as a change'];
  test.each(places)('is in no object once the server has forgotten it; it was stored %s', async how => {
    if (how === 'with all other pages') store.setFault(() => 'reset');
    const server = await start('a');
    const { account, url } = await endpointOf(server);
    if (how === 'as a change') await now(server);
    const word = 'a-word-that-must-go';
    const event = await server.deliver({ url }, Buffer.concat([randomBytes(3000), Buffer.from(word)]));
    await account.json(200, 'GET', `/api/events/${event}`);
    store.setFault(() => undefined);
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
  await useStoreWith({ versioning: 'Enabled' });
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
