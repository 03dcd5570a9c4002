/* More queues have something to do than are worked on at once: each has its turn, and each team a share of the places. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { bytesOf, names, openQueues, type QueueBench, settled, textOf, workOf } from '../../testing/queues.ts';
import type { WorkResult } from './queue.ts';

let queues: QueueBench;
beforeEach(async () => {
  queues = await openQueues();
});
afterEach(() => queues.close());

test('queues that go on for long make room for another, and end later', async () => {
  const long = names(300);
  for (const owner of ['a', 'b']) await queues.add(long, owner);
  const seen: string[] = [];
  const ended: string[] = [];
  let isHeld = true;
  let gate = Promise.withResolvers<void>();
  const answerOnce = (): void => {
    gate.resolve();
    gate = Promise.withResolvers();
  };
  const runner = await queues.run(
    workOf(async ({ detail }) => {
      seen.push(textOf(detail));
      // There is always something under way: the next ones have started before the test sees these answered.
      if (isHeld) await gate.promise;
      return settled;
    }),
    { places: { total: 2, reserved: 0, assured: 2 }, onEmpty: async owner => void ended.push(owner) },
  );
  await eventually(() => seen.length === 6);
  await queues.add([{ name: 'late', detail: bytesOf('late') }], 'late');
  queues.clock.advance(60_000);
  runner.wake('test', 'late');
  await eventually(() => {
    answerOnce();
    return ended.length > 0;
  });
  expect(ended).toEqual(['late']);
  isHeld = false;
  answerOnce();
  await runner.idle();
  expect(seen.toSorted()).toEqual([...long, ...long, { name: 'late' }].map(({ name }) => name).toSorted());
  expect(ended.toSorted()).toEqual(['a', 'b', 'late']);
});

describe('when the queues of one team hang, more than are read at once', () => {
  const places = { total: 10, reserved: 4, assured: 1 };
  const hanging = 230;
  let held: PromiseWithResolvers<WorkResult>;
  let started: string[];
  beforeEach(async () => {
    held = Promise.withResolvers();
    started = [];
    const { store, clock } = queues;
    const item = { event: null, detail: bytesOf('hangs') };
    const owners = Array.from({ length: hanging }, (_, n) => `hanging-${n}`);
    await store.write(
      owners.flatMap(owner => [
        ...store.createQueueStatements('test', owner, 'ada'),
        ...store.addItemsStatements('test', owner, [item], clock.now()),
      ]),
    );
    clock.advance(1000);
  });
  afterEach(() => held.resolve({ kind: 'interrupted' }));
  const run = () =>
    queues.run(
      workOf(({ detail }) => {
        started.push(textOf(detail));
        return started.at(-1) === 'hangs' ? held.promise : settled;
      }),
      { places },
    );

  test('those of other teams and of the server start at once, whether they come before or later', async () => {
    await queues.add(names(2), 'before', 'bob');
    const runner = await run();
    await eventually(() => started.includes('0') && started.includes('1'));
    await queues.add([{ name: 'late' }], 'late', 'carol');
    await queues.add([{ name: 'own' }], 'own', null);
    runner.wake('test', 'late');
    await eventually(() => started.includes('late') && started.includes('own'));
    expect(started.filter(name => name === 'hangs')).toHaveLength(3);
  });

  test('they have half of the places that are not reserved, and go on one after the other', async () => {
    const runner = await run();
    await eventually(() => started.length === 3);
    held.resolve(settled);
    await runner.idle();
    expect(started).toHaveLength(hanging);
  }, 120_000);
});
