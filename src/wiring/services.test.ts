/* Services use the database only after it has been opened; when they fail to start they leave nothing open. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import { eventually } from '../testing/poll.ts';
import { isRemote } from '../testing/remote/databases.ts';
import { collectLog, configOf, openTestServer, randomBytes, spawnThread, testSecret } from '../testing/test-server.ts';
import { buildServices, createServices, type Dependencies } from '../wiring.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hooktape-test-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const dependencies = (spawn: SpawnThread): Dependencies => ({
  config: configOf({ HOOKTAPE_DATA_DIR: directory }),
  secret: testSecret,
  log: collectLog().log,
  clock: systemClock,
  random: randomBytes,
  spawn,
  version: 'test',
  usage: () => ({ residentBytes: 0, cpuSeconds: 0 }),
  onFatal: () => {},
});

test('services that are not open yet start no database thread and no background work', async () => {
  const spawned: string[] = [];
  const services = buildServices(
    dependencies(name => {
      spawned.push(name);
      return spawnThread(name);
    }),
  );
  await services.background.idle();
  expect(spawned).toEqual([]);
});

test.skipIf(isRemote)(
  'when a signing key cannot be opened, the error says so and the database threads end',
  async () => {
    const server = await openTestServer({ directory });
    await server.services.database.client.execute("UPDATE signing_keys SET sealed = x'00'");
    await server.close();

    let running = 0;
    const spawn: SpawnThread = name => {
      const worker = spawnThread(name);
      running++;
      worker.addEventListener('close', () => running--);
      return worker;
    };
    const failure = await createServices(dependencies(spawn)).catch(error => error);
    expect(failure.message).toMatch(/^signing key \S+ cannot be opened/);
    await eventually(() => running === 0);
  },
);
