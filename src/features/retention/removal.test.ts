/* What a sweep removes and what it keeps, compared with a simple model, and how many statements it takes. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkAll } from '../../cli/maintenance.ts';
import { insertAttemptsSql } from '../../db/delivery-attempts.ts';
import { removalStatements } from '../../db/remove-events.ts';
import { recordMany, rowsOf } from '../../testing/events.ts';
import { type Expected, expectEvents, insertEvents, packedEvent } from '../../testing/packing.ts';
import { createTestSweeper } from '../../testing/sweeper.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createRetentionStore, type RetentionStore } from './store.ts';

const day = 86_400_000;
const start = 1_700_000_000_000;
const retentionMs = { free: day, pro: 10 * day };
let server: TestServer;
beforeEach(async () => {
  server = await openTestServer({ env: { HOOKTAPE_FREE_ENDPOINTS: '0' } });
  await server.services.background.stop();
});
afterEach(() => server.close());

const run = (sql: string, ...args: number[]) => server.services.database.client.execute({ sql, args });
/** Everything that can belong to an event. */
const belongings: readonly string[] = [
  'INSERT INTO tags (event, tag, position, endpoint, received_at) VALUES (?1, ?1, 0, ?2, ?3)',
  "INSERT INTO replays (event, destination, ok, duration_ms, created_at) SELECT ?1, 'http://example.com/', 1, 1, ?3 WHERE ?2",
  'INSERT INTO outcomes (event, endpoint, received_at, delay_ms, limited) VALUES (?1, ?2, ?3, 0, 0)',
  'INSERT INTO sequences (version, slot, delivery, n, at, event) SELECT 1, 0, ?1, 0, ?3, ?1 WHERE ?2',
  "INSERT INTO queue_items (queue, event, lane, added_at) SELECT 1, ?1, x'00', ?3 WHERE ?2",
];
const leftBehind = ['tags', 'replays', 'outcomes', 'sequences', 'queue_items', 'pins', 'delivery_attempts']
  .map(table => `(SELECT count(*) FROM ${table} WHERE event NOT IN (SELECT seq FROM events))`)
  .join(', ');

/** Endpoints 1 and 2 belong to a team on plan free, 3 and 4 to one on plan pro; 5 has no row. */
async function createEndpoints(): Promise<void> {
  for (const plan of ['free', 'pro'] as const) {
    const caller = await server.createAccount(`${plan}@example.com`, { plan });
    for (const name of ['first', 'second']) await caller.createEndpoint(name);
  }
  await run("INSERT INTO queues (seq, kind, owner) VALUES (1, 'forward', 'one')");
  await run("INSERT INTO answers (version, endpoint, rules, created_at) VALUES (1, 3, x'5B5D', 0)");
}

const sql = fc.constantFrom(...belongings);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      insert: fc.array(
        fc.record({ endpoint: fc.integer({ min: 1, max: 5 }), ageDays: fc.integer({ min: 0, max: 12 }) }),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ add: fc.nat(), sql }) },
  { weight: 3, arbitrary: fc.record({ pin: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ unpin: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ retain: fc.integer({ min: 1, max: 4 }), days: fc.integer({ min: 1, max: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ deleteEndpoint: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ days: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ slices: fc.integer({ min: 1, max: 6 }), isKilled: fc.boolean() }) },
);

test('a sweep removes exactly the expired events with all that belongs to them, whatever happens meanwhile', async () => {
  await createEndpoints();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.integer({ min: 1, max: 8 }),
      async (steps, units) => {
        for (const table of [
          'events',
          'blocks',
          'pins',
          'tags',
          'replays',
          'outcomes',
          'sequences',
          'queue_items',
          'delivery_attempts',
        ])
          await run(`DELETE FROM ${table}`);
        await run(
          'UPDATE endpoints SET deleted_at = NULL, retention_ms = NULL, event_count = 0, last_received_at = NULL',
        );
        let now = start;
        const stored: Expected = new Map();
        const pinned = new Set<number>();
        const deleted = new Set([5]);
        const ownDays = new Map<number, number>();
        const isVisible = (seq: number): boolean => {
          const one = stored.get(seq);
          if (!one || deleted.has(one.endpoint)) return false;
          const planMs = retentionMs[one.endpoint < 3 ? 'free' : 'pro'];
          const keptMs = Math.min(planMs, (ownDays.get(one.endpoint) ?? 100) * day);
          return pinned.has(seq) || one.receivedAt >= now - keptMs;
        };
        // A user changes only events that the API shows. Pins and endpoints never come back, so the model needs no time of a sweep.
        const chosen = (n: number): number | undefined => {
          const visible = [...stored.keys()].filter(isVisible);
          return visible[n % visible.length];
        };
        // Small slices, so that everything else happens between them.
        const create = () =>
          createTestSweeper(server, { now: () => now, retentionMs }, store => ({
            ...store,
            expiredIn: (group, options) => store.expiredIn(group, { ...options, units }),
          }));
        let sweeper = create();
        for (const one of steps) {
          if ('insert' in one) {
            const given = one.insert.map(({ endpoint, ageDays }) => ({
              ...packedEvent({ endpoint, size: 30, compresses: true }),
              receivedAt: now - ageDays * day,
            }));
            const seqs = await insertEvents(server, given, stored);
            await run(insertAttemptsSql('?1', '?2'), seqs[0] ?? 0, seqs.at(-1) ?? 0);
            for (const { endpoint, receivedAt } of given)
              await run(
                'UPDATE endpoints SET event_count = event_count + 1, last_received_at = max(ifnull(last_received_at, 0), ?2) WHERE seq = ?1',
                endpoint,
                receivedAt,
              );
          } else if ('slices' in one) {
            for (let i = 0; i < one.slices; i++) await sweeper.slice();
            // A killed process loses what the sweeper remembers.
            if (one.isKilled) sweeper = create();
          } else if ('deleteEndpoint' in one) {
            deleted.add(one.deleteEndpoint);
            // Far in the future, so that the endpoints still exist in the next run.
            await run('UPDATE endpoints SET deleted_at = 9e15 WHERE seq = ?', one.deleteEndpoint);
          } else if ('retain' in one) {
            // Only shorter, because events that are swept do not come back.
            const days = Math.min(ownDays.get(one.retain) ?? 100, one.days);
            ownDays.set(one.retain, days);
            await run('UPDATE endpoints SET retention_ms = ?2 WHERE seq = ?1', one.retain, days * day);
          } else if ('days' in one) now += one.days * day;
          else {
            const seq = chosen(
              'add' in one ? one.add : 'pin' in one ? one.pin : 'unpin' in one ? one.unpin : one.remove,
            );
            const { endpoint = 0, receivedAt = 0 } = stored.get(seq ?? 0) ?? {};
            if (seq === undefined) continue;
            if ('add' in one) await run(one.sql.replace('INSERT', 'INSERT OR IGNORE'), seq, endpoint, receivedAt);
            else if ('unpin' in one) {
              pinned.delete(seq);
              await run('DELETE FROM pins WHERE event = ?', seq);
            } else if ('pin' in one) {
              pinned.add(seq);
              await run(
                'INSERT OR IGNORE INTO pins (event, endpoint, received_at, pinned_at) VALUES (?, ?, ?, 0)',
                seq,
                endpoint,
                receivedAt,
              );
            } else {
              stored.delete(seq);
              await createRetentionStore(server.services.database).remove({ endpoint, withPinned: true }, [seq]);
            }
          }
        }
        await create().run();
        for (const seq of [...stored.keys()]) if (!isVisible(seq)) stored.delete(seq);
        await expectEvents(server, stored);
        expect(await rowsOf(server, `SELECT ${leftBehind}`)).toEqual([[0, 0, 0, 0, 0, 0, 0]]);
        expect(Number((await rowsOf(server, 'SELECT count(*) FROM pins'))[0]?.[0])).toBe(
          [...stored.keys()].filter(seq => pinned.has(seq)).length,
        );
        // These blocks have no search signatures.
        const { problems } = await checkAll(server.services, false);
        expect(problems.filter(({ check }) => check !== 'index')).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);

describe('the statements of a sweep', () => {
  /** Sweeps everything. @returns how many transactions and statements it took */
  const counted = async (): Promise<{ transactions: number; statements: number }> => {
    const { database } = server.services;
    const count = { transactions: 0, statements: 0 };
    const { timedBatch } = database;
    database.timedBatch = async statements => {
      count.transactions++;
      count.statements += statements.length;
      return timedBatch(statements);
    };
    await createTestSweeper(server, { now: Date.now, retentionMs }).run();
    expect(await rowsOf(server, 'SELECT count(*) FROM events')).toEqual([[0]]);
    return count;
  };

  test('do not grow with the events and endpoints of a transaction', () => {
    const count = (events: number, endpoints: number) =>
      removalStatements({
        seqs: JSON.stringify(Array.from({ length: events }, (_, i) => i)),
        endpoints: Array.from({ length: endpoints }, (_, i) => i),
        withPinned: 'of deleted endpoints',
      }).statements.length;
    expect(count(5000, 100)).toBe(count(1, 1));
  });

  test('are fewer than one for 16 events of a deleted endpoint', async () => {
    const caller = await server.createAccount();
    const { id } = await caller.createEndpoint();
    await recordMany(server, id, 4000, { receivedAt: n => Date.now() + n });
    await caller.json(200, 'DELETE', `/api/endpoints/${id}`);
    expect((await counted()).statements).toBeLessThan(4000 / 16);
  });

  test('remove the events of many endpoints together', async () => {
    const caller = await server.createAccount();
    for (let i = 0; i < 40; i++)
      await recordMany(server, (await caller.createEndpoint(`${i}`)).id, 3, { receivedAt: n => i + n });
    expect((await counted()).transactions).toBeLessThan(4);
  });
});

test('events that a longer retention shows again stay, although the sweeper has found their endpoint', async () => {
  const caller = await server.createAccount();
  const { id } = await caller.createEndpoint();
  await recordMany(server, id, 2, { receivedAt: start });
  const store: RetentionStore = createRetentionStore(server.services.database);
  const cutoffs = { free: 0, pro: 0, now: start + day };
  await run('UPDATE endpoints SET retention_ms = 1000');
  const group = await store.findExpired(0, cutoffs);
  if (!group) throw new Error('the endpoint has expired events');
  const find = () => store.expiredIn(group, { until: start + 1, cutoffs, units: 10 });
  expect(await find()).toMatchObject({ seqs: '[1,2]', endpoints: [1], isAll: true });
  await run('UPDATE endpoints SET retention_ms = NULL');
  expect(await find()).toBeUndefined();
});

describe('a removal', () => {
  test('that another process has already done changes no counter', async () => {
    const { id } = await (await server.createAccount()).createEndpoint();
    await recordMany(server, id, 3, { receivedAt: n => start + n });
    const { removeExpired } = createRetentionStore(server.services.database);
    const two = { seqs: '[1,2]', endpoints: [1] };
    expect([(await removeExpired(two)).removed, (await removeExpired(two)).removed]).toEqual([2, 0]);
    expect(await rowsOf(server, 'SELECT event_count, last_received_at, swept_seq FROM endpoints')).toEqual([
      [1, start + 2, 2],
    ]);
  });

  test('that fails, as on a full disk, is tried again by the next slice', async () => {
    const { id } = await (await server.createAccount()).createEndpoint();
    await recordMany(server, id, 3, { receivedAt: n => start + n });
    let isFull = true;
    const sweeper = createTestSweeper(server, { now: Date.now, retentionMs }, store => ({
      ...store,
      removeExpired: async found => {
        if (isFull) throw new Error('database or disk is full');
        return store.removeExpired(found);
      },
    }));
    expect(await thrownBy(sweeper.slice())).toThrow('full');
    expect(await rowsOf(server, 'SELECT count(*) FROM events')).toEqual([[3]]);
    isFull = false;
    await sweeper.run();
    expect(await rowsOf(server, 'SELECT count(*) FROM events')).toEqual([[0]]);
  });
});
