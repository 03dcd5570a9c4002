import { expect, test } from 'bun:test';
import { measuredRows } from './use-rows.ts';

test('rows of different heights stand one below the other, and measured heights move those below', () => {
  const rows = measuredRows(5, index => (index + 1) * 10);
  expect([0, 1, 2, 3, 4, 5].map(rows.topOf)).toEqual([0, 10, 30, 60, 100, 150]);
  expect([-5, 0, 9, 10, 99, 100, 9999].map(rows.rowAt)).toEqual([0, 0, 0, 1, 3, 4, 4]);
  expect(rows.measure(1, 20.2)).toBe(false);
  expect(rows.measure(1, 50)).toBe(true);
  expect([1, 2, 5].map(rows.topOf)).toEqual([10, 60, 180]);
  expect([0, 1, 2].map(rows.heightOf)).toEqual([10, 50, 30]);
  expect(rows.rowAt(59)).toBe(1);
  expect(rows.height).toBe(180);
});

test('no rows have no height', () => expect(measuredRows(0, () => 1).height).toBe(0));
