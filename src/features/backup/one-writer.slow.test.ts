/* Servers that want to back up to the same place. */
import { describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { hooktape } from '../../testing/command.ts';
import {
  at,
  endpointOf,
  env,
  names,
  now,
  restored,
  start,
  status,
  stop,
  store,
  useBackedUpServers,
} from '../../testing/object-store/backed-up-servers.ts';
import { eventually } from '../../testing/poll.ts';
import { thrownBy } from '../../testing/thrown-by.ts';

useBackedUpServers();

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
