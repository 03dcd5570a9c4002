/* Groups of items by their size. */
import { expect, test } from 'bun:test';
import { groupBySize } from './group-by-size.ts';

const sizes = (...given: number[]): number[][] =>
  groupBySize(
    given.map(size => ({ size })),
    10,
  ).map(group => group.map(({ size }) => size));

test('items are grouped in order, up to the limit', () => {
  expect(sizes(4, 6, 1, 9, 1)).toEqual([[4, 6], [1, 9], [1]]);
  expect(sizes()).toEqual([]);
});

test('an item larger than the limit is a group of its own', () => {
  expect(sizes(1, 11, 2)).toEqual([[1], [11], [2]]);
});
