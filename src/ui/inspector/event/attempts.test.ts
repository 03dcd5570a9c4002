import { expect, test } from 'bun:test';
import { describeAttempts, formatGap, formatStatuses } from './answered.ts';

test.each([
  [0, '0 ms'],
  [840, '840 ms'],
  [12_999, '12 s'],
  [60_000, '1 min'],
  [305_000, '5 min 5 s'],
  [4_320_000, '1 h 12 min'],
  [3_600_000 + 5000, '1 h'],
  [3 * 86_400_000, '3 d'],
  [40 * 86_400_000 + 7_200_000, '40 d 2 h'],
])('%d ms are %s', (ms, text) => expect(formatGap(ms)).toBe(text));

test('statuses are listed, many equal ones are counted, and of many different ones the last are shown', () => {
  expect(formatStatuses([500, 500, 200])).toBe('500, 500, 200');
  expect(formatStatuses([null, 200])).toBe('cut off, 200');
  expect(formatStatuses([...Array<number>(12).fill(500), 200])).toBe('500 × 12, 200');
  expect(formatStatuses([500, 200, 500, 200, 500, 200])).toBe('…, 200, 500, 200, 500, 200');
});

test('attempts are described with their span and answers once they are loaded', () => {
  const at = (receivedAt: number, status: number) => ({ receivedAt, answered: { status } });
  expect(describeAttempts(3, undefined)).toBe('3 attempts');
  expect(describeAttempts(3, [at(0, 500), at(5000, 500), at(4_320_000, 200)])).toBe(
    '3 attempts in 1 h 12 min, answered 500, 500, 200',
  );
  expect(describeAttempts(100, undefined)).toBe('100 attempts or more');
});
