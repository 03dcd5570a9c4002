import { expect, test } from 'bun:test';
import { pauseMs } from './retry.ts';

test('pauses grow from half a second to a quarter of a minute', () =>
  expect([1, 2, 3, 5, 6, 7, 1000].map(pauseMs)).toEqual([500, 1000, 2000, 8000, 15_000, 15_000, 15_000]));
