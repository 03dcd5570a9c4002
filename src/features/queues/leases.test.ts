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
  for (let ms = 0; ms < 40_000; ms += 5000) {
    expect(taken).toEqual([]);
    queues.clock.advance(5000);
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
    queues.clock.advance(10_000);
    await queues.store.beat('one');
  }
  expect(taken).toBe(0);
  held.resolve(settled);
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
