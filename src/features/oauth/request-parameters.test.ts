import { expect, test } from 'bun:test';
import { readParameters } from './request-parameters.ts';

test('a name that is repeated very often is read in linear time', () => {
  // Would take minutes in quadratic time.
  const read = readParameters('a&'.repeat(300_000));
  expect(read.firstRepeated()).toBe('a');
  expect(read.get('a')).toBeUndefined();
});

test('repeated values keep their order, and an empty value counts as absent', () => {
  const read = readParameters('resource=1&x=&resource=2&resource=');
  expect(read.all('resource')).toEqual(['1', '2']);
  expect(read.isRepeated('resource')).toBe(true);
  expect(read.firstRepeated()).toBeUndefined();
  expect(read.get('x')).toBeUndefined();
});
