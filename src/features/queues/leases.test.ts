/* Two processes on one database: nothing is worked on twice at once. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rowsOf } from '../../testing/events.ts';
import { eventually } from '../../testing/poll.ts';
import { names, openQueues, type QueueBench, settled, textOf, workOf } from '../../testing/queues.ts';
import type { WorkResult } from './queue.ts';

let queues: QueueBench;
beforeEach(async () => {
  queues = await openQueues();
});
afterEach(() => queues.close());

test('never work on the same item, and one takes over when the other shows no life', async () => {
  await queues.add(names(5));
  const signals: AbortSignal[] = [];
  const late = Promise.withResolvers<WorkResult>();
  const lost: (number | null)[] = [];
  const one = await queues.run(
    workOf(
      (_, signal) => {
        signals.push(signal);
        return late.promise;
      },
      { onLost: async (_item, result) => void lost.push('status' in result ? result.status : null) },
    ),
    { isShared: true },
  );
  await eventually(() => signals.length === 3);
  const taken: string[] = [];
  const two = await queues.run(
    workOf(({ detail }) => {
      taken.push(textOf(detail));
      return settled;
    }),
    {
      isShared: true,
      holder: 'two',
    },
  );
  await two.idle();
  for (let ms = 0; ms < 7000; ms += 1000) {
    expect(taken).toEqual([]);
    queues.clock.advance(1000);
    await two.idle();
  }
  expect(taken).toEqual(['0', '1', '2', '3', '4']);
  // What the first one learns now changes nothing.
  late.resolve({ kind: 'settled', outcome: 'late', status: 500, error: null });
  await one.idle();
  expect(await queues.outcomes()).toEqual([['ok', 5]]);
  expect(lost).toEqual([500, 500, 500]);
});

test('a process that shows life keeps its queue', async () => {
  await queues.add(names(2));
  const held = Promise.withResolvers<WorkResult>();
  await queues.run(
    workOf(() => held.promise),
    { isShared: true },
  );
  await eventually(async () => (await rowsOf(queues.server, "SELECT 1 FROM queues WHERE holder = 'one'")).length === 1);
  let taken = 0;
  const two = await queues.run(
    workOf(() => {
      taken++;
      return settled;
    }),
    { isShared: true, holder: 'two' },
  );
  for (let i = 0; i < 20; i++) {
    await two.idle();
    queues.clock.advance(1500);
    await queues.store.beat('one');
  }
  expect(taken).toBe(0);
  held.resolve(settled);
});

test('a process that was suspended starts nothing of a queue that it has lost', async () => {
  await queues.add(names(6));
  const started: string[] = [];
  const first = Promise.withResolvers<WorkResult>();
  const one = await queues.run(
    workOf(
      ({ detail }) => {
        started.push(textOf(detail));
        return first.promise;
      },
      { concurrency: () => 1 },
    ),
    { isShared: true },
  );
  await eventually(() => started.length === 1);
  // While it is suspended, another process takes the queue over and works on it.
  const [queue] = await queues.store.due(queues.clock.now(), 1);
  if (!queue) throw new Error('no queue is due');
  expect(await queues.store.take(queue, 'two')).toBe(true);
  queues.clock.advance(60_000);
  first.resolve(settled);
  await eventually(() => queues.errors.length > 0);
  await one.idle();
  expect(started).toEqual(['0']);
  expect(await queues.outcomes()).toEqual([[null, 6]]);
});

test('due items are read only by the process that holds the queue', async () => {
  await queues.add(names(1));
  const [queue] = await queues.store.due(queues.clock.now(), 1);
  if (!queue) throw new Error('no queue is due');
  await queues.store.take(queue, 'two');
  const read = async (holder: string) =>
    (await queues.store.dueItems({ queue: queue.seq, holder, now: queues.clock.now() }, [], 10)).length;
  expect([await read('one'), await read('two')]).toEqual([0, 1]);
});

test('many runners share many queues: every item once', async () => {
  for (let q = 0; q < 12; q++) await queues.add(names(25), `queue-${q}`);
  const worked: string[] = [];
  const all = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      queues.run(
        workOf(({ seq }) => {
          worked.push(`${seq}`);
          return settled;
        }),
        { isShared: true, holder: `${n}` },
      ),
    ),
  );
  await Promise.all(all.map(runner => runner.idle()));
  expect(worked.length).toBe(300);
  expect(new Set(worked).size).toBe(300);
});
