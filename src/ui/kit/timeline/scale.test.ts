import { describe, expect, test } from 'bun:test';
import { gridlines, linePath, stackPaths, ticksOf } from './scale.ts';

describe('bars', () => {
  test('are one path for each series, stacked from the baseline', () => {
    expect(
      stackPaths(
        [
          [3, 1],
          [0, 0],
          [4, 0],
        ],
        4,
      ),
    ).toEqual(['M0.1 100h0.8V25h-0.8zM2.1 100h0.8V0h-0.8z', 'M0.1 25h0.8V0h-0.8z']);
    expect(stackPaths([], 1)).toEqual([]);
  });

  test('one event among ten thousand is seen, and no bar leaves the chart', () => {
    expect(stackPaths([[1, 0]], 10_000)[0]).toBe('M0.1 100h0.8V97.8h-0.8z');
    // A full bar makes way.
    expect(stackPaths([[9999, 1]], 10_000)).toEqual(['M0.1 100h0.8V2.2h-0.8z', 'M0.1 2.2h0.8V0h-0.8z']);
  });

  test('of other lengths are placed in units of the axis', () => {
    expect(stackPaths([[1]], 1, { first: 2, width: 6 })).toEqual(['M2.6 100h4.8V0h-4.8z']);
  });
});

test('a line has gaps, and a value alone is a dash', () => {
  expect(linePath([10, 20, null, 5, null, null, 20], 20)).toBe('M0.5 50L1.5 0M3.2 75h0.6M6.2 0h0.6');
  expect(linePath([null, null], 1)).toBe('');
});

test.each([
  [0, []],
  [1, [1]],
  [3, [1, 2, 3]],
  [10, [5, 10]],
  [240, [100, 200]],
  [1_000_000, [500_000, 1_000_000]],
])('gridlines below %d are %j', (max, lines) => expect(gridlines(max)).toEqual(lines));

describe('ticks', () => {
  const day = new Date(2026, 10, 24).getTime();
  const hour = 3_600_000;
  const labels = (from: number, to: number, most = 7, now = to): string[] =>
    ticksOf({ from, to, most, end: undefined, now }).map(({ label }) => label);

  test('are both ends and round local times between them', () => {
    const ticks = ticksOf({
      from: day - 9.5 * hour,
      to: day + 14.5 * hour,
      most: 7,
      end: 'now',
      now: day + 14.5 * hour,
    });
    expect(ticks.map(({ label }) => label)).toEqual(['14:30', '18:00', '24 Nov', '06:00', '12:00', 'now']);
    expect(ticks.map(({ place }) => Math.round(place * 100))).toEqual([0, 15, 40, 65, 90, 100]);
  });

  test('are seconds, minutes, days, months', () => {
    expect(labels(day + 5, day + 20_000)).toContain('00:00:10');
    expect(labels(day + hour, day + 2 * hour)).toEqual(['01:00', '01:10', '01:20', '01:30', '01:40', '01:50', '02:00']);
    expect(labels(day - 72 * hour, day)).toEqual(['21 Nov', '12:00', '22 Nov', '12:00', '23 Nov', '12:00', '24 Nov']);
    expect(labels(new Date(2020, 0, 1).getTime(), day).length).toBeLessThanOrEqual(8);
    expect(labels(new Date(2020, 0, 1).getTime(), day)[0]).toBe('1 Jan 2020');
  });

  test.each([1, 61, 3599, 86_400, 90_000, 40 * 86_400, 4000 * 86_400])(
    'there are few of them in %d seconds',
    seconds => {
      for (const shift of [0, 1, 12_345_678]) {
        const ticks = ticksOf({ from: day + shift, to: day + shift + seconds * 1000, most: 7, now: day });
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect(ticks.every(({ place }) => place >= 0 && place <= 1)).toBe(true);
      }
    },
  );
});
