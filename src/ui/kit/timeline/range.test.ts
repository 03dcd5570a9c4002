import { describe, expect, test } from 'bun:test';
import type { Timeline } from '../../../features/timeline/model.ts';
import { added, between, bucketsIn, moved, periodOf, placeOf, sumOf } from './range.ts';
import { bucketSentence, countedBackTo } from './words.ts';

const minute = 60_000;
const start = new Date(2026, 10, 28, 13, 50).getTime();

/** Ten buckets of a minute. The first one begins before the axis, and the last one ends after it. */
const timeline = (counts: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]): Timeline => ({
  from: start + 20_000,
  to: start + 9 * minute + 30_000,
  bucketMs: minute,
  buckets: counts.map((count, at) => ({ at: start + at * minute, count, accepted: count, failed: 0, invalid: 0 })),
  series: [],
  complete: true,
  nextCursor: null,
});

describe('keys', () => {
  const from = (cursor: number, range?: [number, number]) => ({ cursor, range });
  test.each([
    ['ArrowLeft', 4],
    ['ArrowRight', 6],
    ['PageUp', 0],
    ['PageDown', 15],
    ['Home', 0],
    ['End', 19],
  ])('%s moves, and keeps the range', (key, cursor) => {
    expect(moved(from(5, [1, 3]), key, false, 20)).toEqual({ cursor, range: [1, 3] });
  });

  test('Shift extends from the cursor, and on from the end that moved', () => {
    const first = moved(from(5), 'ArrowRight', true, 20);
    expect(first).toEqual({ cursor: 6, range: [5, 7] });
    const back = moved(moved(first ?? from(0), 'ArrowLeft', true, 20) ?? from(0), 'ArrowLeft', true, 20);
    expect(back).toEqual({ cursor: 4, range: [4, 6] });
    expect(moved(from(2, [2, 6]), 'Home', true, 20)).toEqual({ cursor: 0, range: [0, 6] });
    expect(moved(from(12, [2, 6]), 'ArrowLeft', true, 20)).toEqual({ cursor: 11, range: [11, 13] });
  });

  test('others do nothing, and the ends hold', () => {
    expect(moved(from(5), 'a', false, 20)).toBeUndefined();
    expect(moved(from(0), 'ArrowLeft', false, 20)).toEqual({ cursor: 0, range: undefined });
    expect(between(7, 3)).toEqual([3, 8]);
  });
});

describe('a range of buckets', () => {
  test('is a period that begins on the axis, and may end at the present', () => {
    expect(periodOf(timeline(), [2, 4], true)).toEqual({ from: start + 2 * minute, to: start + 4 * minute });
    expect(periodOf(timeline(), [0, 10], true)).toEqual({ from: start + 20_000, to: undefined });
    expect(periodOf(timeline(), [0, 10], false)).toEqual({ from: start + 20_000, to: start + 9 * minute + 30_001 });
  });

  test('is found again by its period, and only by that', () => {
    for (const range of [
      [0, 1],
      [0, 10],
      [3, 7],
      [9, 10],
    ] as const)
      for (const isOpen of [true, false])
        expect(bucketsIn(timeline(), periodOf(timeline(), range, isOpen))).toEqual(range);
    expect(bucketsIn(timeline(), { from: start + minute + 1, to: undefined })).toBeUndefined();
    expect(bucketsIn(timeline(), { from: start - minute, to: undefined })).toBeUndefined();
    expect(bucketsIn(timeline(), { from: undefined, to: start + 2 * minute })).toEqual([0, 2]);
  });

  test('has a place between buckets, too', () => {
    expect(placeOf(timeline(), { from: start + 90_000, to: start + 2 * minute })).toEqual({ from: 1.5, to: 2 });
    expect(placeOf(timeline(), { from: 0, to: undefined })).toEqual({ from: 0, to: 10 });
    expect(placeOf(timeline(), { from: 0, to: start })).toBeUndefined();
  });
});

test('sums are of the chosen buckets, and answers add up', () => {
  expect(sumOf(timeline().buckets, [1, 3]).count).toBe(5);
  const whole = added({ ...timeline(), complete: false }, timeline([10, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
  expect(whole.buckets.map(({ count }) => count)).toEqual([11, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(whole.complete).toBe(true);
});

test('a search has come as far as its oldest hit', () => {
  expect(countedBackTo(timeline([0, 0, 3, 0, 1, 0, 0, 0, 0, 0]))).toBe(start + 2 * minute);
  expect(countedBackTo(timeline([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
});

test('a bucket is a sentence', () => {
  const one = timeline();
  const bucket = one.buckets[3];
  if (bucket) Object.assign(bucket, { count: 1200, invalid: 2, failed: 1 });
  const now = start + 10 * minute;
  expect(bucketSentence(one, 3, true, now)).toBe(
    `13:53 to 13:54: ${(1200).toLocaleString()} events, 2 with an invalid signature, 1 refused or failed`,
  );
  expect(bucketSentence(one, 0, true, now)).toBe('13:50:20 to 13:51: 1 event');
  expect(bucketSentence(one, 9, true, now)).toBe('13:59 to now: 10 events');
});
