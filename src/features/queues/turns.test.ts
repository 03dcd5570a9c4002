/* More queues have something to do than are worked on at once: each has its turn. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { bytesOf, names, openQueues, type QueueBench, settled, textOf, workOf } from '../../testing/queues.ts';

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
    { maxActive: 2, onEmpty: async owner => void ended.push(owner) },
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
