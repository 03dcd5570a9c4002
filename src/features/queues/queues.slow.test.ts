/* The runner of durable queues, on a real database: nothing is lost. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { bytesOf, names, openQueues, type QueueBench, retryIn, settled, textOf, workOf } from '../../testing/queues.ts';
import type { WorkResult } from './queue.ts';
import { createQueuesService } from './service.ts';

let queues: QueueBench;
beforeEach(async () => {
  queues = await openQueues();
});
afterEach(() => queues.close());

describe('a queue', () => {
  test('works on every item once, in the order of their times, never more at once than its concurrency', async () => {
    const seen: string[] = [];
    let atOnce = 0;
    let most = 0;
    await queues.add(names(200));
    const runner = await queues.run(
      workOf(async ({ detail }) => {
        seen.push(textOf(detail));
        most = Math.max(most, ++atOnce);
        await new Promise(resolve => setImmediate(resolve));
        atOnce--;
        return settled;
      }),
    );
    await runner.idle();
    expect(seen).toEqual(names(200).map(({ name }) => name));
    expect(most).toBe(3);
    expect(await queues.outcomes()).toEqual([['ok', 200]]);
  });

  test('keeps what the last attempt saw, and counts attempts', async () => {
    await queues.add([{ name: 'a' }]);
    const attempts: number[] = [];
    const runner = await queues.run(
      workOf(item => {
        attempts.push(item.attempts);
        return item.attempts < 2
          ? { kind: 'retry', inMs: 5000, status: 503, error: 'busy', detail: bytesOf('b') }
          : { ...settled, detail: bytesOf(`${textOf(item.detail)}!`) };
      }),
    );
    for (const expected of [[0], [0, 1], [0, 1, 2]]) {
      await runner.idle();
      expect(attempts).toEqual(expected);
      queues.clock.advance(4999);
      await runner.idle();
      expect(attempts).toEqual(expected);
      queues.clock.advance(1);
    }
    expect(
      await rowsOf(queues.server, 'SELECT attempts, status, error, CAST(detail AS TEXT) FROM queue_items'),
    ).toEqual([[3, 200, null, 'b!']]);
  });

  test('an item that is removed leaves nothing; an owner that is gone takes its queue along', async () => {
    await queues.add(names(5));
    await (await queues.run(workOf(() => ({ kind: 'removed' })))).idle();
    expect(await queues.outcomes()).toEqual([]);
    await queues.add(names(5), 'gone');
    const runner = await queues.run(workOf(() => settled));
    runner.register('test', { open: async () => undefined });
    await runner.idle();
    expect(await rowsOf(queues.server, "SELECT count(*) FROM queues WHERE owner = 'gone'")).toEqual([[0]]);
  });

  test('an owner that is removed while its last item is done takes its queue along', async () => {
    await queues.add(names(1), 'going');
    let isThere = true;
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const work = workOf(async () => {
      begun.resolve();
      await mayEnd.promise;
      return { kind: 'removed' };
    });
    const runner = await queues.run(work);
    runner.register('test', { open: async () => (isThere ? work : undefined) });
    runner.wake('test', 'going');
    await begun.promise;
    isThere = false;
    await queues.store.write(runner.wakeStatements('test', 'going'));
    runner.abort('test', 'going');
    mayEnd.resolve();
    await runner.idle();
    expect(await rowsOf(queues.server, "SELECT count(*) FROM queues WHERE owner = 'going'")).toEqual([[0]]);
  });

  test('what is written with a result is written with it, or not at all', async () => {
    await queues.add([{ name: 'a' }]);
    let attempts = 0;
    const runner = await queues.run(
      workOf(() => ({
        ...settled,
        also: [
          "INSERT INTO meta (name, value) VALUES ('test', x'00')",
          ++attempts === 1 ? 'INSERT INTO missing VALUES (1)' : "DELETE FROM meta WHERE name = 'nothing'",
        ],
      })),
    );
    // The first can never be written: it is tried again until the runner stops.
    await eventually(() => queues.errors.length > 0);
    await runner.stop();
    expect(await rowsOf(queues.server, "SELECT count(*) FROM meta WHERE name = 'test'")).toEqual([[0]]);
    expect(await queues.outcomes()).toEqual([[null, 1]]);
    await (await queues.run(workOf(() => settled))).idle();
    expect(await queues.outcomes()).toEqual([['ok', 1]]);
  });

  test('an error of its code is logged, and the item is tried again a minute later', async () => {
    await queues.add([{ name: 'a' }]);
    let fails = true;
    const runner = await queues.run(
      workOf(() => {
        if (fails) throw new Error('a defect');
        return settled;
      }),
    );
    await runner.idle();
    expect(queues.errors.map(String)).toEqual(['Error: a defect']);
    fails = false;
    queues.clock.advance(60_000);
    await runner.idle();
    expect(await queues.outcomes()).toEqual([['ok', 1]]);
  });

  test('waits for its pace, and gives way to deliveries', async () => {
    await queues.add(names(3));
    let startInMs = 60_000;
    let started = 0;
    const work = workOf(
      () => {
        started++;
        return settled;
      },
      { startInMs: () => startInMs },
    );
    const runner = await queues.run(work, {
      isBusy: () => {
        queues.clock.advance(10);
        return true;
      },
    });
    await eventually(
      async () => (await rowsOf(queues.server, "SELECT 1 FROM queues WHERE holder = 'one'")).length === 1,
    );
    expect(started).toBe(0);
    startInMs = 0;
    runner.wake('test', 'queue');
    await runner.idle();
    expect(started).toBe(3);
  });
});

describe('lanes', () => {
  test('keep their order through failures, while other lanes go on', async () => {
    const lanes = ['a', 'b', 'c', 'd'];
    const done = new Map<string, number[]>(lanes.map(lane => [lane, []]));
    const working = new Set<string>();
    let overlaps = 0;
    const add50 = (from: number) =>
      queues.add(
        Array.from({ length: 50 }, (_, n) => ({
          name: `${from + n}`,
          lane: bytesOf(lanes[(from + n * 7) % lanes.length] ?? ''),
        })),
      );
    await add50(0);
    const runner = await queues.run(
      workOf(
        async ({ lane, detail, seq, attempts }) => {
          const name = textOf(lane);
          if (working.has(name)) overlaps++;
          working.add(name);
          await new Promise(resolve => setImmediate(resolve));
          working.delete(name);
          if ((seq * 31 + attempts * 17) % 3 === 0) return retryIn(1000);
          done.get(name)?.push(Number(textOf(detail)));
          return seq % 2 ? settled : { kind: 'removed' };
        },
        { concurrency: () => 8 },
      ),
    );
    await add50(50);
    runner.wake('test', 'queue');
    for (let i = 0; i < 100; i++) {
      await runner.idle();
      queues.clock.advance(1000);
    }
    expect(overlaps).toBe(0);
    const all = [...done.values()];
    expect(all.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    for (const one of all) expect(one).toEqual(one.toSorted((a, b) => a - b));
  });
});

describe('after a kill', () => {
  test('at most what was under way is worked on again', async () => {
    await queues.add(names(40));
    const first: string[] = [];
    const never = new Promise<WorkResult>(() => {});
    const killed = createQueuesService({
      store: queues.store,
      holder: 'killed',
      clock: queues.clock,
      isShared: false,
      isBusy: () => false,
      recentDeliveries: () => 0,
      onError: () => {},
    });
    killed.register('test', {
      open: async () =>
        workOf(({ detail }) => {
          first.push(textOf(detail));
          return first.length > 20 ? never : settled;
        }),
    });
    await killed.prepare();
    killed.start();
    await eventually(async () =>
      (await queues.outcomes()).some(([outcome, count]) => outcome === 'ok' && count === 20),
    );
    const second: string[] = [];
    await (
      await queues.run(
        workOf(({ detail }) => {
          second.push(textOf(detail));
          return settled;
        }),
      )
    ).idle();
    expect(await queues.outcomes()).toEqual([['ok', 40]]);
    expect(second.filter(name => first.includes(name)).length).toBe(3);
    expect(new Set([...first, ...second]).size).toBe(40);
  });
});

describe('pausing', () => {
  test('starts nothing more, also while the queue is being opened, and goes on where it was', async () => {
    await queues.add(names(10));
    const opening = Promise.withResolvers<void>();
    let worked = 0;
    const runner = await queues.run(
      workOf(() => {
        worked++;
        return settled;
      }),
    );
    runner.register('test', {
      open: async () => {
        await opening.promise;
        return workOf(() => {
          worked++;
          return settled;
        });
      },
    });
    await eventually(
      async () => (await rowsOf(queues.server, 'SELECT 1 FROM queues WHERE holder IS NOT NULL')).length > 0,
    );
    await queues.store.write(runner.pauseStatements('test', 'queue'));
    runner.finish('test', 'queue');
    opening.resolve();
    await runner.idle();
    const before = worked;
    queues.clock.advance(7 * 7 * 24 * 3_600_000);
    await runner.idle();
    expect(worked).toBe(before);
    await queues.store.write(runner.resumeStatements('test', 'queue'));
    runner.wake('test', 'queue');
    await runner.idle();
    expect(worked).toBe(10);
  });
});

describe('a clock that jumps back', () => {
  test('does not leave items waiting for a time that was wrong', async () => {
    const real = queues.clock.now();
    queues.clock.setNow(real + 365 * 24 * 3_600_000);
    await queues.add([{ name: 'a' }, { name: 'b', lane: bytesOf('x') }]);
    queues.clock.setNow(real);
    let worked = 0;
    const runner = await queues.run(
      workOf(() => {
        worked++;
        return settled;
      }),
    );
    await runner.idle();
    expect(worked).toBe(2);
    // The same while it runs.
    queues.clock.setNow(real + 365 * 24 * 3_600_000);
    await runner.idle();
    await queues.add([{ name: 'c', dueAt: queues.clock.now() + 3_600_000 }]);
    queues.clock.setNow(real);
    await runner.idle();
    expect(worked).toBe(3);
  });
});
