/* Who looks at alerts: several processes, and one that was away. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createBackground } from '../../db/background.ts';
import { holdClock } from '../../testing/clock.ts';
import { openTestServer, randomBytes, type TestServer } from '../../testing/test-server.ts';
import { createQueuesService } from '../queues/service.ts';
import { createQueuesStore } from '../queues/store.ts';
import { newState, type Seen } from './conditions.ts';
import { createEvaluation } from './evaluation.ts';
import { createAlertsStore } from './store.ts';

const minute = 60_000;
let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  // Only the processes of the test check alerts, and no process sends notifications.
  server.services.stopTimers();
  await server.services.queues.stop();
  await (await server.createAccount()).createEndpoint();
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const table of ['alerts', 'queues', 'queue_items'])
    await server.services.database.client.execute(`DELETE FROM ${table}`);
});

/** Looks at alerts as a process of its own would, which does not send. */
function openProcess(seen: () => Partial<Seen> = () => ({})) {
  const { database } = server.services;
  const clock = holdClock();
  const errors: unknown[] = [];
  const background = createBackground({
    isBusy: () => false,
    monotonic: clock.monotonic,
    onError: (_, error) => errors.push(error),
    retryMs: 1,
  });
  const nothing: Seen = { matching: 0, changes: 0, items: [], stuckMs: 0, isPaused: false };
  const evaluation = createEvaluation({
    store: createAlertsStore(database),
    observe: async alert => ({ seen: { ...nothing, ...seen() }, position: alert.position }),
    queues: createQueuesService({
      store: createQueuesStore(database),
      holder: 'none',
      clock,
      isShared: true,
      isBusy: () => false,
      recentDeliveries: () => 0,
      onError: error => errors.push(error),
    }),
    addJob: background.add,
    clock,
    random: randomBytes,
  });
  return {
    clock,
    errors,
    check: async (): Promise<void> => {
      evaluation.wake();
      await background.idle();
    },
    async pass(ms: number): Promise<void> {
      for (let left = ms; left > 0; left -= 10_000) {
        clock.advance(Math.min(left, 10_000));
        await this.check();
      }
    },
  };
}

async function addAlerts(count: number): Promise<void> {
  const { database } = server.services;
  const state = Buffer.from(JSON.stringify(newState(await createAlertsStore(database).clock())));
  for (let i = 0; i < count; i++)
    await database.client.execute({
      sql: `INSERT INTO alerts (id, endpoint, name, kind, filter, minutes, channel_type, channel, enabled, position, state, created_at)
            SELECT ?, seq, 'x', 'silence', X'', 5, 'slack', X'', 1, 0, ?, 0 FROM endpoints`,
      args: [`alr_${i}`, state],
    });
}

const items = async (): Promise<{ owner: string; type: string }[]> => {
  const { rows } = await server.services.database.client.execute(
    'SELECT owner, detail FROM queue_items JOIN queues ON queues.seq = queue_items.queue ORDER BY queue_items.seq',
  );
  return rows.map(row => ({
    owner: String(row['owner']),
    type: (JSON.parse(Buffer.from(row['detail'] as ArrayBuffer).toString()) as { type: string }).type,
  }));
};

test('two processes say nothing twice, and no time counts twice', async () => {
  await addAlerts(25);
  const [one, two] = [openProcess(), openProcess()];
  for (let i = 0; i < 29; i++) await Promise.all([one.pass(10_000), two.pass(10_000)]);
  expect(await items()).toEqual([]);
  for (let i = 0; i < 30; i++) await Promise.all([one.pass(10_000), two.pass(10_000)]);
  const queued = await items();
  expect(queued.map(({ owner }) => owner).toSorted()).toEqual(
    Array.from({ length: 25 }, (_, n) => `alr_${n}`).toSorted(),
  );
  expect([...one.errors, ...two.errors]).toEqual([]);
});

test('when one process ends, the other goes on', async () => {
  await addAlerts(1);
  const [one, two] = [openProcess(), openProcess()];
  await one.check();
  await two.check();
  for (let i = 0; i < 12; i++) {
    await one.pass(10_000);
    await two.pass(10_000);
  }
  await two.pass(3.5 * minute);
  expect(await items()).toEqual([{ owner: 'alr_0', type: 'alert.fired' }]);
});

test('the time in which no server ran does not count as silence', async () => {
  await addAlerts(1);
  const before = openProcess();
  await before.check();
  await before.pass(4 * minute);
  // A kill; a day later another process begins, with a clock of its own.
  const after = openProcess();
  after.clock.advance(24 * 60 * minute);
  await after.check();
  await after.pass(50_000);
  expect(await items()).toEqual([]);
  await after.pass(20_000);
  expect(await items()).toEqual([{ owner: 'alr_0', type: 'alert.fired' }]);
  // Another kill: it is not said again.
  const third = openProcess();
  await third.check();
  await third.pass(20 * minute);
  expect(await items()).toHaveLength(1);
  // While the notification waits, nothing else is added, not even that the condition has ended.
  const fourth = openProcess(() => ({ matching: 1 }));
  await fourth.check();
  await fourth.pass(10 * minute);
  expect(await items()).toHaveLength(1);
  await server.services.database.client.execute('DELETE FROM queue_items');
  await fourth.pass(10_000);
  expect(await items()).toEqual([{ owner: 'alr_0', type: 'alert.resolved' }]);
});

test('without alerts nothing is written', async () => {
  const process = openProcess();
  const clockOf = () => createAlertsStore(server.services.database).clock();
  const before = await clockOf();
  await process.pass(5 * minute);
  expect(await clockOf()).toBe(before);
});
