import { expect, test } from 'bun:test';
import { ApiError, isRetryable } from './api.ts';
import { retryDelayMs } from './use-query.ts';

test('delays double from 0.5 to 15 seconds', () =>
  expect([1, 2, 3, 5, 6, 7, 1000].map(retryDelayMs)).toEqual([500, 1000, 2000, 8000, 15_000, 15_000, 15_000]));

test.each([
  [0, true],
  [404, false],
  [429, true],
  [500, false],
  [502, true],
  [503, true],
])('a failure with status %j is retried: %j', (status, isRetried) =>
  expect(isRetryable(new ApiError(status, 'failed'))).toBe(isRetried),
);
