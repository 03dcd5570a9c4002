import { describe, expect, test } from 'bun:test';
import {
  axisLabel,
  axisOf,
  axisTimes,
  axisWords,
  instantText,
  noChoice,
  readAxis,
  spanReaching,
  spans,
} from './axis.ts';

const hour = 3_600_000;
const now = new Date(2026, 10, 28, 14, 32, 10).getTime();
const read = (text: string) => readAxis(new URLSearchParams(text));

describe('the axis of a URL', () => {
  test('a duration, all events, a time, two times', () => {
    expect(read('from=7d')).toEqual({ from: '7d', to: '' });
    expect(read('from=all&to=2026-11-28T14:00Z')).toEqual({ from: 'all', to: '' });
    expect(read('from=2026-11-28T13:50Z')).toEqual({ from: '2026-11-28T13:50Z', to: '' });
    const chosen = axisOf(now - hour, now);
    expect(read(`${new URLSearchParams(chosen)}`)).toEqual(chosen);
    expect(axisTimes(chosen, now)).toEqual({ from: now - hour, to: now });
    expect(axisTimes({ from: 'all', to: '' }, now)).toEqual({ from: undefined, to: undefined });
  });

  test.each([
    '',
    'from=',
    'from=0',
    'from=-1h',
    'from=<b>',
    'to=2026-11-28T13:50Z',
    'from=2026-13-01T00:00Z',
    'from=1969-01-01T00:00Z',
  ])('what is not understood is left out: %s', text => expect(read(text)).toEqual(noChoice));

  test('an end before the start is left out', () => {
    expect(read('from=2026-11-28T13:50Z&to=2026-11-28T13:50Z')).toEqual({ from: '2026-11-28T13:50Z', to: '' });
  });

  test('a time is as short as it can be', () => {
    const at = Date.UTC(2026, 10, 28, 13, 50);
    expect([at, at + 5000, at + 5, at + 600_000].map(instantText)).toEqual([
      '2026-11-28T13:50Z',
      '2026-11-28T13:50:05Z',
      '2026-11-28T13:50:00.005Z',
      '2026-11-28T14:00Z',
    ]);
  });
});

describe('a usual period', () => {
  test.each(spans.slice(0, -1).map(({ from }) => from))('%s begins at a round time, a little earlier', from => {
    const start = axisTimes({ from, to: '' }, now).from ?? 0;
    const span = axisTimes({ from: axisOf(0, now).from, to: '' }, now);
    expect(span.to).toBeUndefined();
    expect(start % 60_000).toBe(0);
    const length = Number.parseInt(from, 10) * (from.endsWith('d') ? 24 : 1) * hour;
    expect(now - start).toBeGreaterThanOrEqual(length);
    expect(now - start).toBeLessThan(length * (1 + 1 / 36));
  });

  test('is long enough to reach back to an event', () => {
    const reaching = (ago: number): string => spanReaching(now - ago, now, '6h');
    expect([0, 6 * hour, 7 * hour, 30 * hour, 9 * 24 * hour, 4000 * hour].map(reaching)).toEqual([
      '6h',
      '6h',
      '24h',
      '7d',
      '30d',
      'all',
    ]);
  });

  test('has words', () => {
    const wordsOf = (from: string, to = ''): string => axisWords({ from, to }, now - 2 * hour, now);
    expect(wordsOf('1h')).toBe('in the last hour');
    expect(wordsOf('24h')).toBe('in the last 24 hours');
    expect(wordsOf('all')).toBe('since 12:32:10');
    const { from, to } = axisOf(new Date(2026, 10, 28, 13, 50).getTime(), new Date(2026, 10, 28, 14).getTime());
    expect(wordsOf(from)).toBe('since 13:50');
    expect(wordsOf(from, to)).toBe('from 13:50 to 14:00');
    expect(axisLabel({ from, to }, now)).toBe('13:50 – 14:00');
    expect(axisLabel({ from: '2d', to: '' }, now)).toBe('2 days');
    expect(axisLabel({ from: 'all', to: '' }, now)).toBe('All');
  });
});
