import { describe, expect, test } from 'bun:test';
import { createGroupCommit, type GroupCommitOptions, rowErrorCode } from './group-commit.ts';

type Item = { endpoint: number; bytes: number };
const event = (endpoint: number, bytes = 10): Item => ({ endpoint, bytes });

/** A store whose commits end when the test calls `done`. */
function setUp(options: Partial<GroupCommitOptions<Item, number>> = {}) {
  const commits: { rows: number[]; done: (error?: unknown) => Promise<void> }[] = [];
  const failures: [unknown, number][] = [];
  let seq = 0;
  const group = createGroupCommit<Item, number>({
    insert: events => {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>();
      commits.push({
        rows: events.map(one => one.endpoint),
        done: async error => {
          if (error !== undefined) reject(error);
          else resolve(events.map(() => ++seq));
          for (let i = 0; i < 10; i++) await Promise.resolve();
        },
      });
      return promise;
    },
    bytesOf: item => item.bytes,
    onFailure: (error, refused) => failures.push([error, refused]),
    ...options,
  });
  return { group, commits, failures };
}

/** Waits for the next iteration of the event loop. */
const nextIteration = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const microtasks = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve();
};
const errorWithCode = (code: string): Error => Object.assign(new Error(code), { code });

describe('group commit', () => {
  test('items of one event loop iteration share a commit, and items that arrive during it form the next one, in order', async () => {
    const { group, commits } = setUp();
    const early = [1, 2].map(n => group.add(event(n)));
    await nextIteration();
    const late = [3, 4, 5].map(n => group.add(event(n)));
    await nextIteration();
    expect(commits.map(({ rows }) => rows)).toEqual([[1, 2]]);
    expect(group.depth()).toBe(5);
    await commits[0]?.done();
    expect(await Promise.all(early)).toEqual([1, 2]);
    expect(commits.map(({ rows }) => rows)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    await commits[1]?.done();
    expect(await Promise.all(late)).toEqual([3, 4, 5]);
    expect(group.depth()).toBe(0);
  });

  test('microtasks between two connections do not split a group', async () => {
    const { group, commits } = setUp();
    const first = group.add(event(1));
    await microtasks();
    const second = group.add(event(2));
    await nextIteration();
    expect(commits.map(({ rows }) => rows)).toEqual([[1, 2]]);
    await commits[0]?.done();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test('the next group is sent before the items of the last one are resolved', async () => {
    const { group, commits } = setUp({ maxRows: 1 });
    let onTheirWay = 0;
    const first = group.add(event(1)).then(() => {
      onTheirWay = commits.length;
    });
    const second = group.add(event(2));
    await nextIteration();
    await commits[0]?.done();
    await first;
    expect(onTheirWay).toBe(2);
    await commits[1]?.done();
    await second;
  });

  describe('with a store that makes one commit of several groups', () => {
    const add = (group: ReturnType<typeof setUp>['group'], from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => group.add(event(from + i)));

    test('another group is sent while one is in flight, once it has enough items', async () => {
      const { group, commits } = setUp({ maxGroups: 3 });
      const all = add(group, 0, 1);
      await nextIteration();
      all.push(...add(group, 1, 16));
      await nextIteration();
      expect(commits.map(({ rows }) => rows.length)).toEqual([1]);
      all.push(...add(group, 16, 17));
      await nextIteration();
      expect(commits.map(({ rows }) => rows.length)).toEqual([1, 16]);
      all.push(...add(group, 17, 33));
      await nextIteration();
      all.push(...add(group, 33, 65));
      await nextIteration();
      expect(commits.map(({ rows }) => rows.length)).toEqual([1, 16, 16]);
      expect(group.depth()).toBe(65);
      for (const commit of commits) await commit.done();
      await commits[3]?.done();
      expect(await Promise.all(all)).toEqual(all.map((_, i) => i + 1));
      await group.idle();
    });

    test.each([
      ['rows: no more than so many full groups', { maxRows: 20, maxGroups: 2 }, [20, 20]],
      ['bytes: no more than so many full groups', { maxBytes: 200, maxGroups: 2 }, [20, 20]],
    ])('a commit is bounded in %s', async (_of, bounds, sent) => {
      const { group, commits } = setUp(bounds);
      const all = add(group, 0, 60);
      await nextIteration();
      expect(commits.map(({ rows }) => rows.length)).toEqual(sent);
      for (let i = 0; i < 3; i++) await commits[i]?.done();
      expect(await Promise.all(all)).toHaveLength(60);
    });

    test('an item larger than all groups together is sent alone', async () => {
      const { group, commits } = setUp({ maxBytes: 200, maxGroups: 4 });
      const all = [group.add(event(0, 800))];
      await nextIteration();
      all.push(...add(group, 1, 41));
      await nextIteration();
      expect(commits.map(({ rows }) => rows.length)).toEqual([1]);
      for (let i = 0; i < 4; i++) await commits[i]?.done();
      expect(await Promise.all(all)).toHaveLength(41);
    });

    test('idle waits for all groups', async () => {
      const { group, commits } = setUp({ maxGroups: 2 });
      const all = [...add(group, 0, 1)];
      await nextIteration();
      all.push(...add(group, 1, 20));
      await nextIteration();
      let isIdle = false;
      void group.idle().then(() => {
        isIdle = true;
      });
      await commits[0]?.done();
      expect(isIdle).toBe(false);
      await commits[1]?.done();
      await Promise.all(all);
      await nextIteration();
      expect(isIdle).toBe(true);
    });
  });

  test('a promise in the result delays only its own item', async () => {
    const late = Promise.withResolvers<number>();
    const { group } = setUp({ insert: async () => [late.promise, 2] });
    const [first, second] = [group.add(event(1)), group.add(event(2))];
    expect(await second).toBe(2);
    late.reject(new Error('no'));
    expect(await first?.catch(error => error.message)).toBe('no');
  });

  test('resolves nothing before the commit is done', async () => {
    const { group, commits } = setUp();
    let answered = false;
    void group.add(event(1)).then(() => {
      answered = true;
    });
    await nextIteration();
    expect(answered).toBe(false);
    await commits[0]?.done();
    expect(answered).toBe(true);
  });

  test.each([
    ['rows', { maxRows: 2 }, [1, 1, 1], [2, 1]],
    ['bytes', { maxBytes: 100 }, [60, 40, 1], [2, 1]],
    ['bytes, but takes one of any size', { maxBytes: 100 }, [500, 1], [1, 1]],
  ])('a commit is bounded in %s', async (_name, options, sizes, groups) => {
    const { group, commits } = setUp(options);
    const all = Promise.all(sizes.map(size => group.add(event(1, size))));
    for (let i = 0; i < groups.length; i++) {
      await nextIteration();
      await commits[i]?.done();
    }
    expect(commits.map(({ rows }) => rows.length)).toEqual(groups);
    await all;
  });

  test.each([
    ['rows', { maxQueued: 2 }, 10],
    ['bytes', { maxQueuedBytes: 100 }, 40],
  ])(
    'the queue is bounded in %s: further items are refused as overloaded until a commit frees space',
    async (_name, options, size) => {
      const { group, commits } = setUp({ ...options, maxRows: 1 });
      const taken = [1, 2].map(n => group.add(event(n, size)));
      const refused = await group.add(event(3, size)).catch(error => error);
      expect(refused).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
      await nextIteration();
      await commits[0]?.done();
      await commits[1]?.done();
      await Promise.all(taken);
      const again = group.add(event(4, size));
      await nextIteration();
      await commits[2]?.done();
      expect(await again).toBe(3);
    },
  );

  test('an item larger than the queue is accepted when nothing else waits', async () => {
    const { group, commits } = setUp({ maxQueuedBytes: 100 });
    const large = group.add(event(1, 1000));
    await nextIteration();
    await commits[0]?.done();
    expect(await large).toBe(1);
  });
});

describe('a failed commit', () => {
  test('with an unknown outcome is not tried again', async () => {
    const { group, commits } = setUp();
    const refused = Promise.all([1, 2].map(n => group.add(event(n)).catch(error => error.code)));
    await nextIteration();
    await commits[0]?.done(new TypeError('undefined is not a function'));
    expect(await refused).toEqual(['unavailable', 'unavailable']);
    expect(commits).toHaveLength(1);
  });

  test.each([
    'SQLITE_FULL',
    'SQLITE_IOERR',
    'SQLITE_BUSY',
    'QUEUE_FULL',
    'THREAD_DIED',
    'SERVER_ERROR',
    'HRANA_WEBSOCKET_ERROR',
    'ConnectionRefused',
  ])('because of %s refuses the group at once, and the next item is tried', async code => {
    const { group, commits, failures } = setUp();
    const refused = Promise.all([1, 2, 3].map(n => group.add(event(n)).catch(error => error)));
    await nextIteration();
    const error = errorWithCode(code);
    await commits[0]?.done(error);
    for (const one of await refused)
      expect(one).toMatchObject({ code: 'unavailable', retryAfterSeconds: 5, cause: error });
    expect(failures).toEqual([[error, 3]]);
    expect(commits).toHaveLength(1);
    const next = group.add(event(4));
    await nextIteration();
    await commits[1]?.done();
    expect(await next).toBe(1);
  });

  test.each([
    ['a constraint', errorWithCode('SQLITE_CONSTRAINT')],
    ['a size', errorWithCode('SQLITE_TOOBIG')],
    ['its own preparation', errorWithCode(rowErrorCode)],
  ])('because of %s in one row does not refuse the other rows', async (_name, poison) => {
    const { group, commits, failures } = setUp();
    const answers = Promise.all([1, 2, 3].map(n => group.add(event(n)).catch(error => error.code)));
    await nextIteration();
    await commits[0]?.done(poison);
    await commits[1]?.done();
    await commits[2]?.done(poison);
    await commits[3]?.done();
    expect(await answers).toEqual([1, 'unavailable', 2]);
    expect(commits.map(({ rows }) => rows)).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(failures).toEqual([[poison, 1]]);
  });
});

test('idle resolves once every waiting item is stored or refused', async () => {
  const { group, commits } = setUp({ maxRows: 1 });
  await group.idle();
  let idle = false;
  const both = [1, 2].map(n => group.add(event(n)).catch(() => {}));
  void group.idle().then(() => {
    idle = true;
  });
  await nextIteration();
  await commits[0]?.done();
  expect(idle).toBe(false);
  await commits[1]?.done(errorWithCode('SQLITE_FULL'));
  await Promise.all(both);
  expect(idle).toBe(true);
});

test('settled waits for the items that were added before, also when a later group ends first, and not for later ones', async () => {
  const { group, commits } = setUp({ maxRows: 16, maxGroups: 3 });
  await group.settled();
  const add = (count: number): void => {
    for (let n = 0; n < count; n++) group.add(event(n)).catch(() => {});
  };
  add(16);
  await nextIteration();
  add(17);
  await nextIteration();
  expect(commits).toHaveLength(2);
  let settled = false;
  void group.settled().then(() => {
    settled = true;
  });
  await commits[1]?.done();
  expect(settled).toBe(false);
  add(20);
  await commits[0]?.done();
  await nextIteration();
  expect(settled).toBe(false);
  // The third group has the last item that was added before.
  await commits[2]?.done(errorWithCode('EIO'));
  expect(settled).toBe(true);
  expect(group.depth()).toBeGreaterThan(0);
});
