/* The runner of queues when something fails or changes while items are under way. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { bytesOf, names, openQueues, type QueueBench, settled, textOf, workOf } from '../../testing/queues.ts';
import type { WorkResult } from './queue.ts';
import { createQueuesService } from './service.ts';
import type { QueuesStore } from './store.ts';
import { startWorker } from './worker.ts';

let queues: QueueBench;
beforeEach(async () => {
  queues = await openQueues();
});
afterEach(() => queues.close());

describe('a queue', () => {
  test('an item at which its code keeps failing is tried ten times, with growing pauses, also across restarts', async () => {
    await queues.add(names(2));
    let tries = 0;
    const work = workOf(({ detail }) => {
      if (textOf(detail) === '1') return settled;
      tries++;
      throw new Error('a defect');
    });
    let runner = await queues.run(work);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      await runner.idle();
      const before = tries;
      queues.clock.advance(minutes * 60_000 - 1);
      await runner.idle();
      expect(tries).toBe(before);
      await runner.stop();
      runner = await queues.run(work);
      queues.clock.advance(1);
    }
    await runner.idle();
    expect(tries).toBe(10);
    expect(await queues.outcomes()).toEqual([
      ['given_up', 1],
      ['ok', 1],
    ]);
  });

  test('is not given back while an attempt is under way, also when its items can no longer be read', async () => {
    await queues.add(names(1));
    const held = Promise.withResolvers<WorkResult>();
    const [queue] = await queues.store.due(queues.clock.now(), 1);
    if (!queue) throw new Error('no queue is due');
    await queues.store.take(queue, 'one');
    let reads = 0;
    let isOver = false;
    const worker = startWorker({
      queue,
      work: workOf(() => held.promise),
      store: {
        ...queues.store,
        dueItems: async (...args) => {
          if (reads++ > 0) throw new Error('the disk is gone');
          return queues.store.dueItems(...args);
        },
      },
      holder: 'one',
      clock: queues.clock,
      destinations: createSemaphore(1),
      beforeStart: async () => true,
      onError: () => {},
    });
    const done = worker.done.then(
      () => 'no error',
      error => {
        isOver = true;
        return String(error);
      },
    );
    await eventually(() => reads === 2);
    await queues.outcomes();
    expect(isOver).toBe(false);
    held.resolve(settled);
    expect(await done).toContain('the disk is gone');
    expect(await queues.outcomes()).toEqual([['ok', 1]]);
  });

  test('that becomes due while the runner looks for due ones is worked on', async () => {
    await queues.add([{ name: 'a', dueAt: queues.clock.now() + 1000 }]);
    let looks = 0;
    const store: QueuesStore = {
      ...queues.store,
      due: async (...args) => {
        const due = await queues.store.due(...args);
        if (looks++ === 0) queues.clock.advance(1000);
        return due;
      },
    };
    const { promise: worked, resolve } = Promise.withResolvers<void>();
    await queues.run(
      workOf(() => {
        resolve();
        return settled;
      }),
      { store },
    );
    await worked;
    expect(looks).toBeGreaterThan(1);
  }, 5000);

  test('that is taken while the runner stops is given back, and nothing of it starts', async () => {
    await queues.add(names(3));
    let worked = 0;
    let stopped: Promise<void> | undefined;
    const runner = createQueuesService({
      store: {
        ...queues.store,
        take: async (...args) => {
          const isTaken = await queues.store.take(...args);
          stopped = runner.stop();
          return isTaken;
        },
      },
      holder: 'stopping',
      clock: queues.clock,
      isShared: false,
      isBusy: () => false,
      recentDeliveries: () => 0,
      onError: () => {},
    });
    runner.register('test', {
      open: async () =>
        workOf(() => {
          worked++;
          return settled;
        }),
    });
    await runner.start();
    await eventually(() => stopped !== undefined);
    await stopped;
    expect(await rowsOf(queues.server, 'SELECT holder FROM queues')).toEqual([[null]]);
    expect(worked).toBe(0);
  });
});

test('the next of a lane waits for a head that is dropped while it is under way; other lanes go on', async () => {
  const held = Promise.withResolvers<WorkResult>();
  const lanes = ['a', 'a', 'b', 'b'].map((lane, n) => ({ name: `${n}`, lane: bytesOf(lane) }));
  await queues.add(lanes);
  const seen: string[] = [];
  const runner = await queues.run(
    workOf(({ detail }) => {
      seen.push(textOf(detail));
      return seen.at(-1) === '0' ? held.promise : settled;
    }),
  );
  await eventually(() => seen.includes('0'));
  const [[head] = []] = await rowsOf(queues.server, 'SELECT min(seq) FROM queue_items');
  await queues.store.write(runner.removeItemsStatements([Number(head)]));
  runner.wake('test', 'queue');
  await queues.add([{ name: '4', lane: bytesOf('c') }]);
  runner.added('test', 'queue');
  await eventually(() => seen.includes('4') && seen.includes('3'));
  expect(seen).not.toContain('1');
  held.resolve(settled);
  await runner.idle();
  expect(seen).toContain('1');
});
