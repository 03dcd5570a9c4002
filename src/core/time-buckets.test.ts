import { describe, expect, test } from 'bun:test';
import { timeBuckets } from './time-buckets.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const noon = Date.UTC(2026, 10, 24, 12);

describe('the size of buckets', () => {
  test.each([
    [noon, noon, 1, second],
    [noon, noon + 59_999, 60, second],
    [noon, noon + 60_000, 60, 5 * second],
    [noon, noon + 24 * hour - 1, 24, hour],
    [noon, noon + 24 * hour, 24, 3 * hour],
    [noon + 1, noon + 24 * hour, 24, 3 * hour],
    [noon, noon + 6 * day, 60, 3 * hour],
    [0, 60 * day - 1, 60, day],
    [0, 60 * 7 * day - 1, 60, 7 * day],
    [0, 60 * 7 * day, 60, 30 * day],
    [0, 60 * 30 * day, 60, 60 * day],
  ])('from %d to %d in at most %d buckets is %d ms', (from, to, buckets, size) => {
    expect(timeBuckets(from, to, buckets).bucketMs).toBe(size);
  });

  test('is never below the least one', () => {
    expect(timeBuckets(noon, noon, 60, minute).bucketMs).toBe(minute);
    expect(timeBuckets(noon, noon + day, 60, minute).bucketMs).toBe(30 * minute);
  });
});
