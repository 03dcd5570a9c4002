import { expect, test } from 'bun:test';
import { readParameters } from './request-parameters.ts';

test('a name that comes very often is read in one pass', () => {
  // With a copy for each repeat this takes minutes.
  const read = readParameters('a&'.repeat(300_000));
  expect(read.firstRepeated()).toBe('a');
  expect(read.get('a')).toBeUndefined();
});

test('repeats are kept in order, an empty value counts as absent', () => {
  const read = readParameters('resource=1&x=&resource=2&resource=');
  expect(read.all('resource')).toEqual(['1', '2']);
  expect(read.isRepeated('resource')).toBe(true);
  expect(read.firstRepeated()).toBeUndefined();
  expect(read.get('x')).toBeUndefined();
});
