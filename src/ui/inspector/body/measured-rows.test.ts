import { expect, test } from 'bun:test';
import { evenRows, measuredRows } from './measured-rows.ts';

test('rows of different heights stand one below the other, and measured heights move those below', () => {
  const rows = measuredRows(5, index => (index + 1) * 10);
  expect([0, 1, 2, 3, 4, 5].map(rows.top)).toEqual([0, 10, 30, 60, 100, 150]);
  expect([-5, 0, 9, 10, 99, 100, 9999].map(rows.at)).toEqual([0, 0, 0, 1, 3, 4, 4]);
  expect(rows.measure(1, 20.2)).toBe(false);
  expect(rows.measure(1, 50)).toBe(true);
  expect([1, 2, 5].map(rows.top)).toEqual([10, 60, 180]);
  expect(rows.at(59)).toBe(1);
  expect(rows.height()).toBe(180);
});

test('rows of one height need no measuring', () => {
  const rows = evenRows(100_000, 22);
  expect([rows.top(7), rows.height(), rows.at(22 * 7 + 21), rows.at(1e9)]).toEqual([154, 2_200_000, 7, 99_999]);
  expect(rows.measure(3, 99)).toBe(false);
});

test('no rows have no height', () =>
  expect([measuredRows(0, () => 1).height(), evenRows(0, 22).at(5)]).toEqual([0, 0]));
