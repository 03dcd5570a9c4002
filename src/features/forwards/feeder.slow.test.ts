/* Which endpoints the feeder looks at. Each feeder stands for a process of its own, which is not notified of deliveries. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { createBackground } from '../../db/background.ts';
import { countStatements } from '../../testing/count-statements.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createForwardFeeder } from './feeder.ts';
import { createForwardsStore } from './store.ts';

let server: TestServer;
let endpoint: { id: string; url: string };
beforeAll(async () => {
  server = await openTestServer();
  // Only the feeders of the test add events, and nothing is sent.
  server.services.stopTimers();
  await server.services.queues.stop();
  endpoint = await (await server.createAccount()).createEndpoint();
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const table of ['forwards', 'queues', 'queue_items'])
    await server.services.database.client.execute(`DELETE FROM ${table}`);
});

function openProcess() {
  const { database, queues, feed } = server.services;
  const counted = countStatements(database);
  const store = createForwardsStore(counted.database);
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const background = createBackground({
    isBusy: () => false,
    monotonic: () => performance.now(),
    onError: (_, error) => onError(error),
  });
  const opened: number[] = [];
  let failing = 0;
  const feeder = createForwardFeeder({
    store: {
      ...store,
      openOf: async seq => {
        opened.push(seq);
        if (failing > 0) {
          failing = 0;
          throw new Error('interrupted');
        }
        return store.openOf(seq);
      },
    },
    queues,
    addJob: background.add,
    matching: feed.matching,
    firstOfDeliveries: async (_, events) => [...events],
    lanesOf: async () => new Map(),
    monotonic: () => performance.now(),
    onError,
  });
  return {
    errors,
    statements: counted.statements,
    /** The endpoints whose forwards were read, by row number. */
    opened,
    /** Lets the next read of an endpoint's forwards fail. */
    failOnce: (): void => {
      failing = 1;
    },
    start: async (): Promise<void> => {
      await feeder.refresh();
      await background.idle();
    },
    look: async (): Promise<void> => {
      await feeder.look();
      await background.idle();
    },
  };
}

/** Adds one forward to the endpoint, and others to endpoints without events. */
async function addForwards(others: number): Promise<void> {
  const { client } = server.services.database;
  await client.batch(
    [
      {
        sql: `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
          INSERT OR IGNORE INTO endpoints (id, team_id, name, token, created_at)
          SELECT 'ep_' || n, team_id, '', 'token' || n, 0 FROM n, (SELECT team_id FROM endpoints LIMIT 1)`,
        args: [others],
      },
      {
        sql: `INSERT INTO forwards (id, endpoint, name, url, filter, mode, sign, headers, timeout_s, retry, per, enabled, since, position, created_at)
          SELECT 'fwd_' || seq, seq, X'', CAST('http://localhost/' AS BLOB), X'', 'parallel', 'fresh', X'', 1, '{}', 'event', 1, last, last, 0
          FROM endpoints, (SELECT ifnull(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'events')
          WHERE id = ? OR token LIKE 'token%' AND CAST(substr(token, 6) AS INTEGER) <= ?`,
        args: [endpoint.id, others],
      },
    ],
    'write',
  );
}
const items = async (): Promise<number> => (await rowsOf(server, 'SELECT seq FROM queue_items')).length;

test('a forward without events runs no query, however many there are', async () => {
  await addForwards(1000);
  const process = openProcess();
  await process.start();
  expect(process.opened.length).toBeGreaterThanOrEqual(1000);
  const [looked, before] = [process.opened.length, process.statements()];
  for (let i = 0; i < 6; i++) await process.look();
  expect(process.opened).toHaveLength(looked);
  expect(process.statements() - before).toBe(6);
}, 120_000);

test('events that another process stored are added, and no other endpoint is read', async () => {
  await addForwards(3);
  const process = openProcess();
  await process.start();
  process.opened.length = 0;
  await server.deliver(endpoint);
  await process.look();
  // A slow slice reads it again.
  expect(new Set(process.opened)).toEqual(new Set([1]));
  expect([await items(), process.errors]).toEqual([1, []]);
});

test('events of a forward that another process created after the start are added', async () => {
  const process = openProcess();
  await process.start();
  await addForwards(1);
  await process.look();
  expect(process.opened).toEqual([]);
  await server.deliver(endpoint);
  await process.look();
  expect(await items()).toBe(1);
});

test('events that were stored before a kill are added by the next process, once', async () => {
  await addForwards(1);
  await openProcess().start();
  await server.deliver(endpoint);
  const [one, two] = [openProcess(), openProcess()];
  await Promise.all([one.start(), two.start()]);
  await Promise.all([one.look(), two.look()]);
  expect([await items(), one.errors, two.errors]).toEqual([1, [], []]);
});

test('an event is forwarded although its forwards could not be read at first', async () => {
  await addForwards(0);
  const process = openProcess();
  await process.start();
  const before = await items();
  await server.deliver(endpoint, '{}');
  process.failOnce();
  await process.look();
  await eventually(async () => {
    await process.look();
    return (await items()) > before;
  });
  expect(process.errors).toEqual([new Error('interrupted')]);
}, 120_000);

test('after very many events that it has not looked at, a process reads all endpoints with forwards', async () => {
  await addForwards(3);
  const process = openProcess();
  await process.start();
  process.opened.length = 0;
  await server.services.database.client.execute("UPDATE sqlite_sequence SET seq = seq + 600000 WHERE name = 'events'");
  await process.look();
  expect(process.opened.length).toBeGreaterThanOrEqual(3);
});
