/* The order of filing, when reads and capture wait for it, and its behaviour while it fails. */
import { serialize } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createFiling, type FilingJob, type FilingOptions, type FilingReport } from './filing.ts';
import { groupsIn } from './filing-slot.ts';
import type { GroupLocation } from './journal.ts';

const nothingLost = (): FilingReport => ({ damaged: [], setAside: [], refused: [] });
const location = (first: number, count: number): GroupLocation => ({
  path: 'a',
  offset: first,
  bytes: 100,
  first,
  count,
});
const firstsOf = ({ work }: FilingJob): number[] =>
  work.flatMap(one => ('run' in one ? groupsIn(one.run).map(({ first }) => first) : one.first));

function setUp(given: Partial<FilingOptions> & { hold?: boolean } = {}) {
  const { hold = false, ...options } = given;
  const jobs: { job: FilingJob; done: PromiseWithResolvers<FilingReport> }[] = [];
  const filed: number[] = [];
  const failures: unknown[] = [];
  let now = 0;
  const filing = createFiling({
    run: job => {
      const done = Promise.withResolvers<FilingReport>();
      jobs.push({ job, done });
      if (!hold) done.resolve(nothingLost());
      return done.promise;
    },
    lastSeq: 10,
    recovered: [],
    onFiled: ({ first }) => filed.push(first),
    onLost: () => {},
    onFailure: error => {
      failures.push(error);
      return false;
    },
    onRecovered: async () => {},
    monotonic: () => now,
    ...options,
    limits: { lingerMs: 1_000_000, retryMs: 1, ...options.limits },
  });
  const add = (count: number) => {
    const reservation = filing.reserve(count);
    return { reservation, filed: reservation.ready({ group: location(reservation.first, count) }, 100) };
  };
  return { filing, jobs, filed, failures, add, pass: (ms: number) => (now += ms) };
}

const isSettled = async (promise: Promise<unknown> | undefined): Promise<boolean> =>
  (await Promise.race([promise?.then(() => true), Bun.sleep(0).then(() => false)])) ?? true;

describe('filing', () => {
  test('row numbers continue after the last one, and groups are filed in order', async () => {
    const { filing, jobs, filed, add } = setUp();
    expect(add(2).reservation.first).toBe(11);
    expect(add(3).reservation.first).toBe(13);
    await filing.filed();
    expect(jobs.map(({ job }) => firstsOf(job))).toEqual([[11, 13]]);
    expect(filed).toEqual([11, 13]);
    expect(filing.backlog()).toEqual({ rows: 0, bytes: 0, ageMs: 0 });
  });

  test('a group is not filed before an earlier one is written, and a failed write leaves a gap', async () => {
    const { filing, jobs, add } = setUp({ limits: { minRows: 1 } });
    const early = filing.reserve(2);
    add(1);
    expect(jobs).toHaveLength(0);
    early.cancel();
    await filing.filed();
    expect(jobs.map(({ job }) => firstsOf(job))).toEqual([[13]]);
  });

  test('the first job after a recovery is a retry, because it may be partly filed', async () => {
    const { filing, jobs, add } = setUp({ recovered: [location(11, 3)], lastSeq: 13 });
    await filing.filed();
    add(1);
    await filing.filed();
    expect(jobs.map(({ job: { isRetry } }) => isRetry)).toEqual([true, false]);
  });

  test('a transaction takes a bounded number of rows, and one large group alone', async () => {
    const { filing, jobs, add } = setUp({ limits: { maxRows: 10 } });
    for (const count of [4, 6, 1, 30, 2]) add(count);
    await filing.filed();
    expect(jobs.map(({ job }) => firstsOf(job).length)).toEqual([2, 1, 1, 1]);
  });

  test('few rows wait for more; many rows, or a waiting read, are filed at once', async () => {
    const { filing, jobs, add } = setUp({ limits: { minRows: 5 } });
    add(4);
    await Bun.sleep(0);
    expect(jobs).toHaveLength(0);
    add(1);
    await filing.filed();
    expect(jobs).toHaveLength(1);
    add(1);
    await filing.filed();
    expect(jobs).toHaveLength(2);
    expect(filing.filed()).toBeUndefined();
  });

  test('a read waits for deliveries acknowledged before it, and for no later ones', async () => {
    const { filing, jobs, add } = setUp({ hold: true });
    add(1);
    const reading = filing.filed();
    add(1);
    jobs[0]?.done.resolve(nothingLost());
    expect(await isSettled(reading)).toBe(true);
    expect(filing.backlog().rows).toBe(1);
    expect(filing.isUnfiled(11)).toBe(false);
    expect(filing.isUnfiled(12)).toBe(true);
  });

  test('a read does not wait for a group that is not acknowledged', () => {
    const { filing } = setUp();
    filing.reserve(1);
    expect(filing.filed()).toBeUndefined();
  });

  test('groups of an earlier process are filed first and at once', async () => {
    const { filing, jobs, add } = setUp({ recovered: [location(8, 2), location(10, 1)] });
    add(1);
    expect(filing.backlog().rows).toBe(4);
    await filing.filed();
    expect(jobs.flatMap(({ job }) => firstsOf(job))).toEqual([8, 10, 11]);
  });

  test('the age of the backlog is that of its oldest group', () => {
    const { filing, add, pass } = setUp();
    add(1);
    pass(700);
    add(1);
    expect(filing.backlog()).toEqual({ rows: 2, bytes: 200, ageMs: 700 });
  });
});

describe('groups that lie one after another', () => {
  const place = { path: 'segment', offset: 4096 };
  /** Adds groups of these sizes in rows, one after another in a segment. */
  const addAll = ({ filing }: ReturnType<typeof setUp>, counts: number[], bytes = 4096) => {
    let { offset } = place;
    return counts.map(count => {
      const reservation = filing.reserve(count);
      const group = { path: place.path, offset, bytes, first: reservation.first, count };
      offset += bytes;
      return reservation.ready({ group }, bytes);
    });
  };

  test('are filed together, up to the limits of a transaction, and each is reported as filed', async () => {
    const set = setUp({ limits: { maxRows: 5, maxBytes: 3 * 4096 } });
    const stored = addAll(set, [1, 1, 1, 1, 4, 1, 9]);
    expect(set.filing.backlog()).toMatchObject({ rows: 18, bytes: 7 * 4096 });
    await set.filing.filed();
    await Promise.all(stored);
    expect(set.jobs.map(({ job }) => job.work.length)).toEqual([1, 1, 1, 1]);
    expect(set.jobs.map(({ job }) => firstsOf(job))).toEqual([[11, 12, 13], [14, 15], [19], [20]]);
    expect(set.filed).toEqual([11, 12, 13, 14, 15, 19, 20]);
    expect(set.filing.backlog().rows).toBe(0);
  });

  test('do not join a transaction that has begun', async () => {
    const set = setUp({ hold: true });
    const [first] = addAll(set, [1]);
    const reading = set.filing.filed();
    const group = { ...place, offset: 8192, bytes: 4096, first: 12, count: 1 };
    const second = set.filing.reserve(1).ready({ group }, 4096);
    expect(set.jobs.map(({ job }) => firstsOf(job))).toEqual([[11]]);
    set.jobs[0]?.done.resolve(nothingLost());
    await Promise.all([first, reading]);
    expect(await isSettled(second)).toBe(false);
    expect(set.filing.isUnfiled(12)).toBe(true);
  });

  test('of an earlier process are filed together', async () => {
    const recovered = [0, 1, 2].map(n => ({ path: 'a', offset: 4096 * n, bytes: 4096, first: 8 + n, count: 1 }));
    const { filing, jobs } = setUp({ recovered });
    await filing.filed();
    expect(jobs.map(({ job: { work } }) => work.length)).toEqual([1]);
    expect(firstsOf(jobs[0]?.job as FilingJob)).toEqual([8, 9, 10]);
  });

  test('take a bounded memory while they wait, however small they are', async () => {
    const groups = 60_000;
    const set = setUp({ limits: { minRows: groups * 2, minBytes: Number.POSITIVE_INFINITY } });
    const stored = addAll(set, new Array<number>(groups).fill(1));
    // Each group waits for what it shares with others, not for a promise of its own.
    expect(new Set(stored).size).toBe(Math.ceil(groups / 1024));
    await set.filing.filed();
    const work = set.jobs.flatMap(({ job }) => job.work);
    expect(work.length).toBe(Math.ceil(groups / 1024));
    // Two numbers of at most nine bytes: after other tests, the engine may keep whole numbers as doubles.
    expect(serialize(work).byteLength).toBeLessThan(groups * 30);
  });
});

describe('a full backlog', () => {
  test('makes capture wait until part of it is filed', async () => {
    const { filing, jobs, add } = setUp({ hold: true, limits: { maxBacklogRows: 3 } });
    await filing.waitForCapacity();
    add(4);
    const waiting = filing.waitForCapacity();
    expect(await isSettled(waiting)).toBe(false);
    jobs[0]?.done.resolve(nothingLost());
    await waiting;
  });

  test('is smaller for a while after a read that had to wait', async () => {
    const { filing, jobs, add, pass } = setUp({
      hold: true,
      limits: { maxBacklogRows: 5, maxBacklogRowsWhileReading: 2, readingMs: 1000 },
    });
    add(4);
    await filing.waitForCapacity();
    const read = filing.filed();
    const waiting = filing.waitForCapacity();
    expect(await isSettled(waiting)).toBe(false);
    jobs[0]?.done.resolve(nothingLost());
    await Promise.all([read, waiting]);
    add(4);
    expect(await isSettled(filing.waitForCapacity())).toBe(false);
    pass(1001);
    await filing.waitForCapacity();
  });
});

describe('while filing fails', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });

  test('deliveries are refused, reads continue, and it recovers by itself', async () => {
    let isFull = true;
    let healed = 0;
    const recovered: boolean[] = [];
    const { filing, filed, failures, add } = setUp({
      run: async ({ isRetry }) => {
        if (isFull) throw full;
        recovered.push(isRetry);
        return nothingLost();
      },
      onHealed: () => healed++,
    });
    const { filed: stored } = add(2);
    expect(await filing.areAllFiled()).toBe(false);
    expect(await filing.areAllFiled()).toBe(false);
    expect(failures).toEqual([full]);
    expect(filing.failure()).toBe(full);
    expect(filing.filed()).toBeUndefined();
    expect(filing.isUnfiled(12)).toBe(true);
    expect(await thrownBy(filing.waitForCapacity())).toThrow('could not be stored yet');
    isFull = false;
    await stored;
    await eventually(() => !filing.failure());
    expect(recovered).toEqual([true]);
    expect([healed, await filing.areAllFiled()]).toEqual([1, true]);
    expect(filed).toEqual([11]);
    await filing.waitForCapacity();
  });

  test('it is retried at once when disk space was freed', async () => {
    let attempts = 0;
    const { filing, add } = setUp({
      run: async () => {
        if (++attempts === 1) throw full;
        return nothingLost();
      },
      onFailure: () => true,
      limits: { retryMs: 1_000_000 },
    });
    add(1);
    // No read waits for it.
    expect(await filing.areAllFiled()).toBe(true);
    expect(attempts).toBe(2);
  });

  test('capture stays refused until the spare segment exists again', async () => {
    let attempts = 0;
    let hasSpace = false;
    const { filing, add } = setUp({
      run: async () => {
        if (++attempts === 1) throw full;
        return nothingLost();
      },
      onRecovered: async () => {
        if (!hasSpace) throw full;
      },
    });
    const { filed } = add(1);
    void filing.filed();
    await filed;
    expect(filing.failure()).toBe(full);
    hasSpace = true;
    await eventually(() => !filing.failure());
  });

  test('draining tries once and leaves the rest for the next start', async () => {
    let attempts = 0;
    const { filing, add } = setUp({
      run: async () => {
        attempts++;
        throw full;
      },
    });
    add(1);
    await filing.drain();
    await filing.drain();
    expect(attempts).toBe(2);
    expect(filing.backlog().rows).toBe(1);
  });
});

test('rows of an import that the database refuses fail only that import', async () => {
  const { filing, jobs, add } = setUp({ hold: true });
  add(1);
  const rows = { count: 1, numbers: new Float64Array(), bytes: new Uint8Array() };
  const imported = filing.reserve(1).ready({ rows, first: 12 }, 10);
  const reading = filing.filed();
  jobs[0]?.done.resolve({ ...nothingLost(), refused: [{ index: 1, message: 'too big', code: 'SQLITE_TOOBIG' }] });
  await reading;
  expect(await imported.catch(error => error.code)).toBe('SQLITE_TOOBIG');
});

test('an import fails while filing fails, and deliveries stay in the backlog', async () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const { filing, add } = setUp({ run: () => Promise.reject(full), limits: { retryMs: 1_000_000 } });
  add(2);
  const rows = { count: 1, numbers: new Float64Array(), bytes: new Uint8Array() };
  const imported = filing.reserve(1).ready({ rows, first: 13 }, 10);
  await filing.filed();
  expect(await Promise.race([imported.catch(error => error.code), Bun.sleep(0)])).toBe('SQLITE_FULL');
  expect(filing.backlog()).toMatchObject({ rows: 2, bytes: 100 });
});
