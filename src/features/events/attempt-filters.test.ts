/* Filters of attempts, on a table with buckets of eight row numbers. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BackgroundJob } from '../../db/background.ts';
import { createTestPacker } from '../../testing/packing.ts';
import { openRetryingSender } from '../../testing/retries.ts';
import { storeAsRows } from '../../testing/stored-events.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { createAttemptBucketsStore } from './attempt-buckets-store.ts';
import { createAttemptFilters } from './attempt-filters.ts';
import { createAttempts } from './attempts.ts';
import { createAttemptsStore } from './attempts-store.ts';

const bucketBits = 3;
const seqs = Array.from({ length: 96 }, (_, i) => i + 1);
const scope = { endpoint: 1, since: 0 };

let server: TestServer;
let sender: Awaited<ReturnType<typeof openRetryingSender>>;
beforeAll(async () => {
  server = await openTestServer();
  sender = await openRetryingSender(server, await server.createAccount());
  // 30 deliveries in an order that looks random: some with attempts in many buckets, most in few.
  await sender.sendAll(
    seqs.map(seq => ({
      receivedAt: seq,
      ...((seq * seq) % 3 ? { id: `${(seq * 7919) % 30}` } : { body: `[${seq % 4}]` }),
    })),
  );
  await makeBucketsSmall();
});
afterAll(() => server.close());

const execute = (sql: string) => server.services.database.client.execute(sql);
const makeBucketsSmall = () => execute(`UPDATE delivery_attempts SET bucket = event >> ${bucketBits}`);

function setUp(maxFilters?: number) {
  const { database } = server.services;
  const jobs: BackgroundJob[] = [];
  let isAwake = false;
  const filters = createAttemptFilters({
    store: createAttemptBucketsStore(database.scanClient),
    addJob: job => {
      jobs.push(job);
      return { wake: () => (isAwake = true) };
    },
    bucketBits,
    ...(maxFilters !== undefined && { maxFilters }),
  });
  const store = createAttemptsStore(database.db, filters);
  const step = async (): Promise<boolean> => {
    if (isAwake) isAwake = (await jobs[0]?.slice()) === 'more';
    return isAwake;
  };
  return {
    filters,
    step,
    build: async () => {
      while (await step());
    },
    /** Everything that can be asked about these events. */
    read: async () => {
      const attempts = createAttempts(store);
      const rows = await store.rows(scope, seqs);
      rows.sort((a, b) => a.seq - b.seq);
      const numbers = [...new Set(rows.flatMap(({ delivery }) => delivery ?? []))].slice(0, 8);
      const groups = await attempts.groupsOf(scope, rows);
      const keys = [...new Set([...groups.values()].map(({ key }) => key))].sort().slice(0, 8);
      return {
        groups: [...groups].sort(([a], [b]) => a - b),
        attemptsOf: [...(await attempts.attemptsOf(1, seqs))].sort(([a], [b]) => a - b),
        byKey: await Promise.all(keys.map(key => attempts.findByKey(scope, key))),
        first: await Promise.all(numbers.map(number => store.firstAttempts(scope, number, 3))),
        last: await Promise.all(numbers.map(number => store.lastAttempt(scope, number, 70))),
      };
    },
    /** How many lookups the attempts of these deliveries take in full buckets. */
    lookups: (numbers: readonly number[]): number => {
      const { pairs, unfiltered } = filters.places(numbers);
      return pairs.length + unfiltered.length * numbers.length;
    },
  };
}

test('attempts are the same before, while and after filters are built', async () => {
  const plain = setUp(0);
  const expected = await plain.read();
  expect(expected.groups).toHaveLength(seqs.length);
  const { filters, read, step } = setUp();
  expect(filters.places([])).toEqual({ pairs: [], unfiltered: [], after: -1 });
  let steps = 0;
  do {
    expect(await read()).toEqual(expected);
    steps++;
  } while (await step());
  expect(await read()).toEqual(expected);
  expect(filters.places([])).toEqual({ pairs: [], unfiltered: [], after: 10 });
  // The buckets, one filter for each that is full, and the end.
  expect(steps).toBe(1 + 11 + 1);
});

test('a delivery is looked up where its attempts are, and hardly elsewhere', async () => {
  const { read, build, lookups } = setUp();
  await read();
  await build();
  const { rows: deliveries } = await execute('SELECT DISTINCT delivery FROM delivery_attempts');
  const distinct = deliveries.map(row => Number(row[0]));
  const { rows } = await execute(
    'SELECT count(*) FROM (SELECT DISTINCT bucket, delivery FROM delivery_attempts WHERE bucket <= 10)',
  );
  const needed = Number(rows[0]?.[0]);
  expect(lookups(distinct)).toBeGreaterThanOrEqual(needed);
  expect(lookups(distinct)).toBeLessThan(needed + (11 * distinct.length) / 10);
});

test('beyond the limit, the oldest buckets have no filter', async () => {
  const { filters, read, build } = setUp(5);
  await read();
  await build();
  expect(filters.places([]).unfiltered).toEqual(Array.from({ length: 6 }, (_, bucket) => bucket));
  expect(await read()).toEqual(await setUp(0).read());
});

test('new attempts are found, and their bucket gets a filter once later buckets are in use', async () => {
  const { filters, read, build } = setUp();
  await read();
  await build();
  await sender.sendAll(seqs.slice(0, 20).map(n => ({ receivedAt: 300 + n, id: `${n}` })));
  await makeBucketsSmall();
  expect(await read()).toEqual(await setUp(0).read());
  await build();
  expect(filters.places([])).toEqual({ pairs: [], unfiltered: [], after: 12 });
  expect(await read()).toEqual(await setUp(0).read());
});

test('a bucket without attempts loses its filter when the next ones are built', async () => {
  const { filters, read, build } = setUp(3);
  await read();
  await build();
  const before = filters.places([]).unfiltered.length;
  await execute('DELETE FROM delivery_attempts WHERE bucket = 11');
  await sender.sendAll(seqs.slice(0, 8).map(n => ({ receivedAt: 400 + n, id: `${n}` })));
  await makeBucketsSmall();
  await read();
  await build();
  expect(filters.places([])).toMatchObject({ after: 13 });
  expect(filters.places([]).unfiltered).toHaveLength(before);
});

test('buckets with rows of 1.0 get a filter when these are packed', async () => {
  const old = seqs.slice(40, 60);
  await storeAsRows(server.services.database.client, old);
  await execute('DELETE FROM delivery_attempts WHERE event BETWEEN 41 AND 60');
  await execute(`INSERT INTO meta (name, value) VALUES ('rows-to-pack', CAST('{"after":40,"upTo":60}' AS BLOB))`);
  const { filters, read, build } = setUp();
  await read();
  await build();
  expect(filters.places([])).toEqual({ pairs: [], unfiltered: [], after: 4 });

  await createTestPacker(server).run();
  await makeBucketsSmall();
  const expected = await setUp(0).read();
  expect(expected.groups.filter(([, { attempts }]) => attempts.some(({ seq }) => old.includes(seq)))).not.toEqual([]);
  expect(await read()).toEqual(expected);
  await build();
  expect(filters.places([])).toEqual({ pairs: [], unfiltered: [], after: 13 });
  expect(await read()).toEqual(expected);
});
