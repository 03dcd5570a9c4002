/* Keeps the lists of slow tests true when a test file is renamed. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { longTests, slowTests, staleEntries } from './slow-tests.ts';

const root = join(import.meta.dir, '../..');

test('every entry of the lists of slow tests matches a test file', () => {
  expect(slowTests.length).toBeGreaterThan(0);
  expect(staleEntries(root)).toEqual([]);
});

test('an entry that matches nothing is reported', () => {
  expect(staleEntries(import.meta.dir)).toEqual([...slowTests, ...longTests]);
});
