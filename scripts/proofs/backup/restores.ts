/* What a restore refuses, the state at a time, and two servers at one place. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { createS3Store } from '../../../src/net/object-store/s3-store.ts';
import { freePort } from '../../../src/testing/free-port.ts';
import { eventually } from '../../../src/testing/poll.ts';
import { type Api, createApi, type Endpoint } from '../../lib/api.ts';
import { type Checks, ensure } from '../../lib/checks.ts';
import { install } from '../../lib/installation.ts';
import { createRecorded, mixedPayloads } from './recorded.ts';
import type { Store } from './stores.ts';
import { backUpNow, openWorld, restore, settingsOf, startAgain, statusOf, untilBackedUp, withCopy } from './world.ts';

export async function checkRestores({ check }: Checks, store: Store): Promise<void> {
  const prefix = `restores-${store.name}`;
  const world = await openWorld(store, prefix);
  const recorded = createRecorded(mixedPayloads());
  const bucket = createS3Store(store.settings, { bucket: store.bucket, prefix }, { clock: systemClock });
  const send = async (ms: number): Promise<void> => {
    const stop = recorded.send(world.server, world.endpoint);
    await Bun.sleep(ms);
    await stop();
  };
  const elsewhere = join(world.installation.dir, 'elsewhere');
  const refused = async (what: RegExp, { args = [] as string[], env = {} } = {}): Promise<string> => {
    const found = await restore(world, store, { args, env: { HOOKTAPE_DATA_DIR: elsewhere, ...env } });
    ensure(found.exitCode === 1, `it exited with ${found.exitCode}: ${found.stdout}${found.stderr}`);
    ensure(what.test(found.stderr), `it says ${found.stderr}`);
    ensure(!existsSync(elsewhere), 'it has left something');
    return found.stderr.trim();
  };
  try {
    await untilBackedUp(world);
    await send(3000);
    await backUpNow(world);
    await Bun.sleep(1000);
    const between = new Date();
    const count = recorded.acknowledged.length;
    await Bun.sleep(2500);
    await send(3000);
    await backUpNow(world);
    await check(`${store.name}: the state at a time has everything before it, and nothing later`, () =>
      withCopy(
        world,
        store,
        async api => {
          await ensureCount(api, world.endpoint, count);
          return `${count} of ${recorded.acknowledged.length} events`;
        },
        ['--at', between.toISOString()],
      ),
    );
    await check(`${store.name}: a time before the oldest state is refused`, () =>
      refused(/the oldest state that can be restored is that of 20/, { args: ['--at', '2026-01-01T00:00:00Z'] }),
    );
    await check(`${store.name}: another secret is refused`, () =>
      refused(/HOOKTAPE_SECRET is not the secret/, { env: { HOOKTAPE_SECRET: 'another secret that is long enough' } }),
    );
    await world.server.stop();
    await check(`${store.name}: a missing and a damaged object are named`, async () => {
      const listed = (await Array.fromAsync(bucket.list())).sort((a, b) => b.size - a.size);
      const [largest] = listed;
      ensure(largest, 'there are no objects');
      const { bytes } = await bucket.get(largest.name, { maxBytes: largest.size });
      const changed = Buffer.from(bytes);
      changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1;
      await bucket.put(largest.name, changed);
      const damaged = await refused(new RegExp(`${largest.name} is damaged`));
      await bucket.remove(largest.name);
      const missing = await refused(new RegExp(`${largest.name} is missing`));
      await bucket.put(largest.name, bytes);
      return `${damaged}; ${missing}`;
    });
    await check(`${store.name}: a server restored to an earlier state continues at the same place`, async () => {
      rmSync(world.installation.dataDir, { recursive: true });
      const { exitCode, stderr } = await restore(world, store, { args: ['--at', between.toISOString()] });
      ensure(exitCode === 0, stderr);
      await startAgain(world);
      await untilBackedUp(world);
      const later = createRecorded(mixedPayloads());
      const stop = later.send(world.server, world.endpoint);
      await Bun.sleep(3000);
      await stop();
      await backUpNow(world);
      const verified = await world.installation.run(['backup', 's3', 'verify'], {}, 120_000);
      ensure(verified.exitCode === 0, `verify: ${verified.stdout}${verified.stderr}`);
      const all = count + later.acknowledged.length;
      await withCopy(world, store, api => ensureCount(api, world.endpoint, all));
      return `${all} events`;
    });
    await world.server.stop();
    await check(`${store.name}: a copy of the data directory captures, but does not back up`, () =>
      twoWriters(world, store),
    );
  } finally {
    await world.installation.remove();
  }
}

async function ensureCount(api: Api, { id }: Endpoint, count: number): Promise<void> {
  const eventCount = (await api.endpoints()).find(one => one.id === id)?.eventCount;
  ensure(eventCount === count, `${eventCount} events instead of ${count}`);
}

/** @param world its server has stopped */
async function twoWriters(world: Awaited<ReturnType<typeof openWorld>>, store: Store): Promise<string> {
  const copy = install(settingsOf(store, world.prefix));
  try {
    // With its owner.
    Bun.spawnSync(['cp', '-a', world.installation.dataDir, copy.dataDir]);
    await startAgain(world);
    await untilBackedUp(world);
    const second = await copy.start(await freePort());
    const status = await eventually(async () => {
      const found = await statusOf(copy);
      return found.state === 'refused' ? found : undefined;
    }, 60_000);
    const api = createApi(second.origin, world.api.key);
    const recorded = createRecorded(mixedPayloads());
    const stop = recorded.send(second, world.endpoint);
    await eventually(() => recorded.acknowledged.length > 50, 20_000);
    await stop();
    ensure((await api.endpoints()).length > 0, 'the copy does not serve');
    await backUpNow(world);
    const verified = await world.installation.run(['backup', 's3', 'verify'], {}, 120_000);
    ensure(verified.exitCode === 0, `verify exited with ${verified.exitCode}: ${verified.stdout}${verified.stderr}`);
    return status.problem ?? '';
  } finally {
    await copy.remove();
  }
}
