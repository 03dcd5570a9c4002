/* The background work: it counts every event once, whatever happens, and gives way to capture. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rowsOf } from '../../testing/events.ts';
import { storedEvent } from '../../testing/schemas.ts';
import { damageEvent, storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createSchemaLearner } from './learning.ts';
import { createLearningStore, type LearningStore } from './learning-store.ts';

let server: TestServer;
beforeEach(async () => {
  server = await openTestServer();
  const ada = await server.createAccount();
  for (let n = 0; n < 2; n++) await ada.createEndpoint();
});
afterEach(() => server.close());

type Overrides = { store?: Partial<LearningStore>; isBusy?: () => boolean; monotonic?: () => number };

/** A learner like the server's, whose slices the test runs. */
function testLearner({ store = {}, isBusy = () => false, monotonic = () => 0 }: Overrides = {}) {
  const own = createLearningStore(server.services.database, 500);
  let slice: () => Promise<unknown> = async () => 'done';
  let wakes = 0;
  const learner = createSchemaLearner({
    store: { ...own, ...store },
    addJob: job => {
      slice = job.slice;
      return { wake: () => void wakes++ };
    },
    monotonic,
    isBusy,
    createSlices: () => () => undefined,
  });
  return {
    ...learner,
    store: own,
    wakes: () => wakes,
    slice: () => slice(),
    run: async () => {
      for (let slices = 0; (await slice()) !== 'done'; slices++) if (slices > 100) throw new Error('it does not end');
    },
  };
}

const insert = async (bodies: readonly string[], { endpoint = 1, type = 'a' } = {}): Promise<void> => {
  await server.services.insertImported(bodies.map(body => storedEvent(endpoint, { body, type })));
};
const times = (count: number, body = '{"n":1}'): string[] => Array.from({ length: count }, () => body);
const counts = async () => rowsOf(server, 'SELECT endpoint, type, count FROM schemas ORDER BY endpoint, type');
const position = async (): Promise<number> =>
  Number(
    Buffer.from(
      (await rowsOf(server, "SELECT value FROM meta WHERE name = 'schemas-read-up-to'"))[0]?.[0] as ArrayBuffer,
    ).toString(),
  );

describe('every event is counted once', () => {
  test('over many slices, types and endpoints', async () => {
    for (const endpoint of [1, 2]) for (const type of ['a', 'b']) await insert(times(300), { endpoint, type });
    await testLearner().run();
    expect(await counts()).toEqual([
      [1, 'a', 300],
      [1, 'b', 300],
      [2, 'a', 300],
      [2, 'b', 300],
    ]);
    expect(await position()).toBe(1200);
  });

  test('when the process ends between two slices, and when a slice saves nothing', async () => {
    await insert(times(600));
    await testLearner().slice();
    const failing = testLearner({
      store: {
        save: async () => {
          throw new Error('the disk is full');
        },
      },
    });
    expect(await failing.slice().catch(String)).toBe('Error: the disk is full');
    expect(await counts()).toEqual([[1, 'a', 256]]);
    await testLearner().run();
    expect(await counts()).toEqual([[1, 'a', 600]]);
  });

  test('when it is unknown whether a slice was saved', async () => {
    await insert(times(600));
    let isFirst = true;
    const learner = testLearner({
      store: {
        save: async learned => {
          const isSaved = await learner.store.save(learned);
          if (isFirst) {
            isFirst = false;
            throw new Error('the connection was lost');
          }
          return isSaved;
        },
      },
    });
    expect(await learner.slice().catch(String)).toBe('Error: the connection was lost');
    await learner.run();
    expect(await counts()).toEqual([[1, 'a', 600]]);
  });

  test('when two processes learn at the same time', async () => {
    await insert(times(1500));
    const learners = [testLearner(), testLearner(), testLearner()];
    await Promise.all(learners.map(learner => learner.run()));
    await insert(times(300));
    await Promise.all(learners.map(learner => learner.run()));
    expect(await counts()).toEqual([[1, 'a', 1800]]);
  });

  test('also when a stored schema cannot be read any more: what is learned then is new', async () => {
    await insert(times(3));
    await testLearner().run();
    await server.services.database.client.execute("UPDATE schemas SET shape = x'00'");
    await insert(times(2, '{"m":1}'));
    await testLearner().run();
    expect(await counts()).toEqual([[1, 'a', 5]]);
  });
});

describe('it reads', () => {
  test('events in row order, of whatever block, and rows of 1.0', async () => {
    const bodies = Array.from({ length: 90 }, (_, n) => (n < 30 ? '{"old":1}' : '{"new":1}'));
    // Blocks of one event each, and the first and last of them as rows of 1.0.
    for (const body of bodies) await insert([body]);
    await storeAsRows(server.services.database.client, [1, 2, 89, 90]);
    await testLearner().run();
    expect(await rowsOf(server, 'SELECT kind, CAST(path AS TEXT) FROM schema_changes ORDER BY seq')).toEqual([
      ['new', 'new'],
      ['vanished', 'old'],
    ]);
  });

  test('past events that are damaged, removed, or of a deleted endpoint', async () => {
    await insert(times(4));
    await insert(times(3), { endpoint: 2 });
    const { client } = server.services.database;
    await damageEvent(client, 2, 'unreadable');
    await client.execute('DELETE FROM events WHERE seq = 3');
    await client.execute('UPDATE endpoints SET deleted_at = 1 WHERE seq = 2');
    await testLearner().run();
    expect(await counts()).toEqual([[1, 'a', 2]]);
    expect(await position()).toBe(7);
  });

  test('no schema into an endpoint that was deleted meanwhile', async () => {
    await insert(times(3));
    const { client } = server.services.database;
    const learner = testLearner({
      store: {
        save: async learned => {
          await client.execute('UPDATE endpoints SET deleted_at = 1');
          return learner.store.save(learned);
        },
      },
    });
    await learner.run();
    expect([await counts(), await position()]).toEqual([[], 3]);
  });

  test('a few events at a time: 256, or 1 MiB of bodies', async () => {
    await insert(times(300));
    await insert(times(3, `"${'x'.repeat(600_000)}"`));
    const learner = testLearner();
    const seen: number[] = [];
    while ((await learner.slice()) !== 'done') seen.push(await position());
    expect(seen).toEqual([256, 301, 302, 303]);
  });
});

describe('it gives way to capture', () => {
  test('pausing a hundred times as long as it worked', async () => {
    await insert(times(600));
    let now = 0;
    const learner = testLearner({
      isBusy: () => true,
      monotonic: () => now,
      store: { position: async () => now++ },
    });
    expect(await learner.slice()).toBe('more');
    expect(await learner.slice()).toEqual({ restMs: 100 });
    now += 99;
    expect(await learner.slice()).toEqual({ restMs: 1 });
    now += 1;
    expect(await learner.slice()).toBe('more');
  });

  test('not waiting for it, while others wait until all events stored before have been read', async () => {
    await testLearner({ isBusy: () => true }).catchUp();
    await insert(times(600));
    const learner = testLearner();
    let isCaughtUp = false;
    const caughtUp = learner.catchUp().then(() => {
      isCaughtUp = true;
    });
    expect(learner.wakes()).toBe(1);
    await learner.slice();
    expect(isCaughtUp).toBe(false);
    await learner.run();
    await caughtUp;
    expect(await counts()).toEqual([[1, 'a', 600]]);
  });
});
