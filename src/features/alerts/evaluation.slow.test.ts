/* Which alerts are checked, and by which process: several processes, and one that was away. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createBackground } from '../../db/background.ts';
import { holdClock } from '../../testing/clock.ts';
import { countStatements } from '../../testing/count-statements.ts';
import { openTestServer, randomBytes, type TestServer } from '../../testing/test-server.ts';
import { createQueuesService } from '../queues/service.ts';
import { createQueuesStore } from '../queues/store.ts';
import { newState, type Seen } from './conditions.ts';
import { createEvaluation } from './evaluation.ts';
import { createAlertsStore, type OpenAlert } from './store.ts';

const minute = 60_000;
let server: TestServer;
let endpoint: { id: string; url: string };
let otherEndpoint: { id: string };
beforeAll(async () => {
  server = await openTestServer();
  // Only the processes of the test check alerts, and no process sends notifications.
  server.services.stopTimers();
  await server.services.queues.stop();
  const ada = await server.createAccount();
  [endpoint, otherEndpoint] = [await ada.createEndpoint(), await ada.createEndpoint()];
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const table of ['alerts', 'queues', 'queue_items'])
    await server.services.database.client.execute(`DELETE FROM ${table}`);
});

/** Looks at alerts as a process of its own would, which does not send. */
function openProcess(seen: (alert: OpenAlert) => Partial<Seen> | Promise<Partial<Seen>> = () => ({})) {
  const { database, statements } = countStatements(server.services.database);
  const checked: string[] = [];
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
    observe: async alert => {
      checked.push(alert.id);
      return { seen: { ...nothing, ...(await seen(alert)) }, position: alert.position, hasMore: false };
    },
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
    onChanges: () => {},
    clock,
    random: randomBytes,
  });
  return {
    clock,
    errors,
    statements,
    /** The alerts that were checked, in order. */
    checked,
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
  const statements = [];
  const state = Buffer.from(JSON.stringify(newState(await createAlertsStore(database).clock())));
  for (let i = 0; i < count; i++)
    statements.push({
      sql: `INSERT INTO alerts (id, endpoint, name, kind, filter, minutes, channel_type, channel, enabled, position, state, created_at)
            SELECT ?, min(seq), 'x', 'silence', X'', 5, 'slack', X'', 1, 0, ?, 0 FROM endpoints`,
      args: [`alr_${i}`, state],
    });
  await database.client.batch(statements, 'write');
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
  await server.services.database.client.execute('UPDATE alerts SET due_at = -1');
  await fourth.check();
  await fourth.pass(10 * minute);
  expect(await items()).toHaveLength(1);
  await server.services.database.client.batch([
    'DELETE FROM queue_items',
    createAlertsStore(server.services.database).saveSentStatement('alr_0', 0),
  ]);
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

describe('an alert with nothing to do', () => {
  test('runs no query, however many there are', async () => {
    await addAlerts(1000);
    const process = openProcess();
    await process.check();
    await process.pass(10_000);
    expect(process.checked).toHaveLength(1000);
    const before = process.statements();
    await process.pass(60_000);
    expect(process.checked).toHaveLength(1000);
    // Each check reads the progress and the due alerts, and moves the alert clock with two statements.
    expect(process.statements() - before).toBe(6 * 4);
  }, 120_000);
});

describe('an event', () => {
  const addOther = async (): Promise<void> => {
    const state = Buffer.from(JSON.stringify(newState(0)));
    await server.services.database.client.execute({
      sql: `INSERT INTO alerts (id, endpoint, name, kind, filter, minutes, channel_type, channel, enabled, position, state, created_at)
            SELECT 'alr_other', seq, 'x', 'bad_signatures', X'', 5, 'slack', X'', 1, 0, ?, 0 FROM endpoints WHERE id = ?`,
      args: [state, otherEndpoint.id],
    });
  };
  const opened = async () => {
    const process = openProcess();
    await process.check();
    await process.pass(10_000);
    process.checked.length = 0;
    return process;
  };

  test('that another process stored wakes the alerts of its endpoint, and no others', async () => {
    await addAlerts(2);
    await addOther();
    const process = await opened();
    await server.deliver(endpoint);
    await process.pass(10_000);
    expect(process.checked.toSorted()).toEqual(['alr_0', 'alr_1']);
    await process.pass(60_000);
    expect(process.checked).toHaveLength(2);
  });

  test('that was stored before a kill wakes them in the next process', async () => {
    await addAlerts(1);
    await opened();
    await server.deliver(endpoint);
    const after = openProcess();
    await after.check();
    await after.pass(10_000);
    expect(after.checked).toEqual(['alr_0']);
  });

  test('wakes an alert again after a check that was killed before it was written', async () => {
    await addAlerts(1);
    await opened();
    await server.deliver(endpoint);
    const killed = openProcess(() => {
      throw new Error('killed');
    });
    await killed.check();
    killed.clock.advance(5000);
    await killed.check().catch(() => {});
    expect(killed.errors.length).toBeGreaterThan(0);
    const after = openProcess();
    await after.check();
    await after.pass(10_000);
    expect(after.checked).toEqual(['alr_0']);
  });

  test('among very many that were not looked at wakes all alerts', async () => {
    await addAlerts(1);
    await addOther();
    const process = await opened();
    const { client } = server.services.database;
    await client.execute("UPDATE meta SET value = CAST('-600000' AS BLOB) WHERE name = 'alert-events'");
    await process.pass(10_000);
    expect(process.checked.toSorted()).toEqual(['alr_0', 'alr_other']);
    await process.pass(60_000);
    expect(process.checked).toHaveLength(2);
  });
});

test('what wakes an alert while it is checked has it checked again', async () => {
  await addAlerts(1);
  let isFirst = true;
  const process = openProcess(async () => {
    if (isFirst)
      await server.services.database.client.execute(
        createAlertsStore(server.services.database).saveSentStatement('alr_0', 0),
      );
    isFirst = false;
    return {};
  });
  await process.check();
  await process.pass(10_000);
  expect(process.checked).toEqual(['alr_0', 'alr_0']);
});

test.each([
  [
    'UPDATE endpoints SET paused_at = 1 WHERE seq = 1',
    'UPDATE endpoints SET event_count = 1, paused_at = 2 WHERE seq = 1',
    'silence',
  ],
  [
    "INSERT INTO schemas (seq, endpoint, platform, type, count, first_at, last_at, changed_at, shape) VALUES (99, 1, '', 'x', 1, 0, 0, 0, X'')",
    'UPDATE schemas SET count = 2 WHERE seq = 99',
    'new_type',
  ],
  [
    "INSERT INTO schema_changes (endpoint, platform, type, kind, path, at, event_id) VALUES (1, '', 'x', 'new', X'', 0, '')",
    'DELETE FROM schema_changes',
    'schema_change',
  ],
  [
    'UPDATE forwards SET failing_since = 5',
    'UPDATE forwards SET failing_since = 5, failures = 2, probe_at = 9',
    'forward_stuck',
  ],
  ['UPDATE forwards SET enabled = 0', 'UPDATE forwards SET position = 1', 'forward_stuck'],
  ['DELETE FROM forwards', 'SELECT 1', 'forward_stuck'],
])('%p wakes an alert once; %p does not', async (change, other, kind) => {
  const { client } = server.services.database;
  await client.batch(
    [
      'UPDATE endpoints SET paused_at = NULL',
      'DELETE FROM forwards',
      `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
       VALUES ('fwd_1', 1, X'', X'', X'', 'parallel', 'fresh', X'', 1, '', 'event', 1, 0, 0, 0)`,
    ],
    'write',
  );
  await addAlerts(1);
  await client.execute({ sql: 'UPDATE alerts SET kind = ?', args: [kind] });
  const process = openProcess();
  await process.check();
  await process.pass(10_000);
  expect(process.checked).toHaveLength(1);
  await client.execute(change);
  await process.pass(10_000);
  expect(process.checked).toHaveLength(2);
  await client.execute(other);
  await process.pass(60_000);
  expect(process.checked).toHaveLength(2);
});
