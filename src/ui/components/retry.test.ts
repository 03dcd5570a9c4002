import { expect, test } from 'bun:test';
import { ApiError, isRetryable } from '../api.ts';
import { retryDelayMs } from './retry.ts';

test('pauses grow from half a second to a quarter of a minute', () =>
  expect([1, 2, 3, 5, 6, 7, 1000].map(retryDelayMs)).toEqual([500, 1000, 2000, 8000, 15_000, 15_000, 15_000]));

test.each([
  [0, true],
  [404, false],
  [429, true],
  [500, false],
  [502, true],
  [503, true],
])('what failed with %j is asked for again: %j', (status, again) =>
  expect(isRetryable(new ApiError(status, 'failed'))).toBe(again),
);
