import { expect, test } from 'bun:test';
import { createBatchSize } from './batch-size.ts';

const pace = () => createBatchSize({ targetMs: 5, first: 100, least: 10, most: 1000 });

test.each([
  ['half as much when it took twice as long', 100, 10, 50],
  ['never less than the least', 100, 5000, 10],
  ['twice as much at most after a quick slice', 100, 0.1, 200],
  ['a clock that stands still does not divide by zero', 100, 0, 200],
  ['a small slice that was quick says nothing', 20, 0.1, 100],
  ['a small slice that was slow does', 20, 10, 10],
  ['nobody knows the time', 100, undefined, 100],
])('%s', (_what, units, ms, next) => {
  const one = pace();
  one.record(units, ms);
  expect(one.size()).toBe(next);
});

test('it never grows past the most', () => {
  const one = pace();
  for (let i = 0; i < 10; i++) one.record(one.size(), 0.01);
  expect(one.size()).toBe(1000);
});
