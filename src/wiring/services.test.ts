/* Services use the database only after it has been opened; when they fail to start they leave nothing open. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import type { SpawnThread } from '../db/threads/prespawned-threads.ts';
import { eventually } from '../testing/poll.ts';
import { borrowThread, spawnThread } from '../testing/pooled-threads.ts';
import { isRemote } from '../testing/remote/databases.ts';
import { collectLog, configOf, openTestServer, randomBytes, testSecret } from '../testing/test-server.ts';
import { createServices, type Dependencies } from '../wiring.ts';
import { wireApi } from './api.ts';
import { buildCore } from './core.ts';

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
  const services = buildCore(
    dependencies(name => {
      spawned.push(name);
      return borrowThread(name);
    }),
    { onForwardsWithoutApi: () => {} },
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

describe('without the services of requests', () => {
  const openCore = async () => {
    const core = buildCore(dependencies(borrowThread), { onForwardsWithoutApi: () => {} });
    await core.open();
    return core;
  };

  test('there is scheduled work only once an alert, a forward or a replay job exists', async () => {
    const core = await openCore();
    expect(await core.hasScheduledWork()).toBe(false);
    await core.close();

    const services = await createServices(dependencies(borrowThread));
    const { id } = await services.account.create({ email: 'ada@example.com', plan: 'pro' });
    const { teamId, plan } = await services.account.byEmail('ada@example.com');
    const ada = { accountId: id, teamId, plan, isReadOnly: false, app: undefined };
    const endpoint = await services.endpoints.create(ada, 'inbox');
    const channel = { type: 'slack' as const, url: 'https://example.com/' };
    await services.alerts.rules.create(ada, endpoint.id, { name: 'quiet', kind: 'silence', minutes: 10, channel });
    await services.close();

    const again = await openCore();
    expect(await again.hasScheduledWork()).toBe(true);
    await again.close();
  });

  test('metrics count no jobs, forwards and alerts', async () => {
    const core = await openCore();
    expect(await core.metrics.text()).toContain('hooktape_alerts_firing 0');
    await core.close();
  });

  test('a server that is stopping does not add them', async () => {
    const core = await openCore();
    await core.close();
    expect(() => wireApi(core)).toThrow('the server is stopping');
  });
});
