import { describe, expect, test } from 'bun:test';
import { type BodyPaceLimits, bodyPaceLimits, keepsPace, startPace } from './body-pace.ts';

const limits: BodyPaceLimits = { silence: 20_000, grace: 10_000, window: 30_000, bytesPerSecond: 1000 };

/** @returns after how many seconds it is too slow; undefined when it never is in the first ten minutes */
function tooSlowAfter(bytesBy: (second: number) => number, given = limits): number | undefined {
  const pace = startPace(bytesBy(0), 0, given);
  for (let second = 1; second <= 600; second++)
    if (!keepsPace(pace, bytesBy(second), 1000 * second, given)) return second;
  return undefined;
}

describe('keepsPace', () => {
  test.each<[string, (second: number) => number, number | undefined]>([
    ['nothing comes', () => 0, 21],
    ['it stalls after a fast beginning', second => (second < 5 ? second << 20 : 17 << 20), 26],
    ['the least rate', second => 1000 * second, undefined],
    ['somewhat less', second => 990 * second, 40],
    ['a byte each second', second => second, 40],
    ['nothing for 20 s, twice as much for the next', s => 40_000 * Math.floor(s / 20), undefined],
    ['nothing at first, then the least rate', second => Math.max(0, second - 10) * 1000, undefined],
    [
      'much in the grace, which does not count for later',
      second => (second < 10 ? second << 20 : (10 << 20) + second),
      40,
    ],
    ['a trickle later on', second => (second < 100 ? 5000 * second : 500_000 + second), 130],
  ])('%s', (_name, bytesBy, expected) => {
    expect(tooSlowAfter(bytesBy)).toBe(expected);
  });

  test('a 2G uplink with 1.5 kB/s and an interruption of 15 s each minute keeps the pace', () => {
    const bytesBy = (second: number): number => 1500 * (45 * Math.floor(second / 60) + Math.min(45, second % 60));
    expect(tooSlowAfter(bytesBy, bodyPaceLimits)).toBeUndefined();
  });
});
