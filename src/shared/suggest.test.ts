import { expect, test } from 'bun:test';
import { editDistance, nearest } from './suggest.ts';

test.each<[string, string, number]>([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['', 'abc', 3],
  ['PROT', 'PORT', 1],
  ['kitten', 'sitting', 3],
  ['abcd', 'bd', 2],
])('%p to %p takes %p', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});

test('the nearest name, and none when nothing is near', () => {
  const known = ['HOOKTAPE_PORT', 'HOOKTAPE_HOST'];
  expect(nearest('HOOKTAPE_PROT', known)).toBe('HOOKTAPE_PORT');
  expect(nearest('HOOKTAPE_SOMETHING_ELSE', known)).toBeUndefined();
  expect(nearest('X'.repeat(1e6), known)).toBeUndefined();
});
