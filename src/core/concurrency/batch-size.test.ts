import { expect, test } from 'bun:test';
import { createBatchSize } from './batch-size.ts';

const create = () => createBatchSize({ targetMs: 5, initial: 100, min: 10, max: 1000 });

test.each([
  ['halves after a slice that took twice as long as it should', 100, 10, 50],
  ['never goes below the minimum', 100, 5000, 10],
  ['at most doubles after a quick slice', 100, 0.1, 200],
  ['does not divide by zero when the clock stands still', 100, 0, 200],
  ['ignores a small slice that was quick', 20, 0.1, 100],
  ['shrinks after a small slice that was slow', 20, 10, 10],
  ['ignores a slice of unknown duration', 100, undefined, 100],
])('the batch size %s', (_, done, durationMs, next) => {
  const batchSize = create();
  batchSize.record(done, durationMs);
  expect(batchSize.units()).toBe(next);
});

test('the batch size never exceeds the maximum', () => {
  const batchSize = create();
  for (let i = 0; i < 10; i++) batchSize.record(batchSize.units(), 0.01);
  expect(batchSize.units()).toBe(1000);
});
