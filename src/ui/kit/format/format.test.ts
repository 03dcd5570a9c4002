import { describe, expect, test } from 'bun:test';
import { isDashboardPath, safeReturnTo } from '../../../shared/return-to.ts';
import { formatBytes, formatDuration, formatLongAge, formatShortAge, formatSpan, formatTimeOfDay } from './time.ts';
import { headerText, visibleLine, visibleText } from './visible.ts';

const now = Date.UTC(2026, 10, 20, 12);

test.each([
  [0, 'now', 'just now'],
  [-5000, 'now', 'just now'],
  [12_000, '12s', '12 seconds ago'],
  [60_000, '1m', '1 minute ago'],
  [3 * 3_600_000, '3h', '3 hours ago'],
  [6 * 86_400_000, '6d', '6 days ago'],
])('age %d', (age, short, long) => {
  expect([formatShortAge(now - age, now), formatLongAge(now - age, now)]).toEqual([short, long]);
});

test('older than a month is a date', () => expect(formatShortAge(now - 40 * 86_400_000, now)).toContain('2026'));

test('the time of day stands alone today, and with its date on other days', () => {
  const at = new Date(2026, 10, 20, 14, 5).getTime();
  expect(formatTimeOfDay(at, at + 3_600_000)).toMatch(/^0?(14|2):05/);
  expect(formatTimeOfDay(at, at + 86_400_000)).toMatch(/2026.*(14|2):05/);
});

test('spans, sizes and durations', () => {
  expect([0, 7 * 86_400_000, 43_200_000, 90_000].map(formatSpan)).toEqual([
    'forever',
    '7 days',
    '12 hours',
    '90 seconds',
  ]);
  expect([0, 1023, 1024, 10_189, 33_554_432].map(formatBytes)).toEqual(['0 B', '1023 B', '1.0 KB', '10 KB', '32 MB']);
  expect([999, 2400].map(formatDuration)).toEqual(['999 ms', '2.4 s']);
});

test('invisible and reordering characters become visible', () => {
  expect(visibleLine('a\u0000b\u202ec\u200bd\ne\u007f')).toBe('a␀b‹U+202E›c‹U+200B›d␊e␡');
  expect(visibleText('a\r\nb\tc\rd')).toBe('a\nb\tc␍d');
  expect(visibleLine('héllo 👍')).toBe('héllo 👍');
});

test('header values are decoded as UTF-8 if valid, else as Latin-1', () => {
  expect(headerText('K\u00c3\u00b6ln')).toBe('Köln');
  expect(headerText('K\u00f6ln')).toBe('Köln');
  expect(headerText('plain')).toBe('plain');
});

describe('return_to', () => {
  const origin = 'https://hooks.example';
  test.each([
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    'https://evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/\n//evil.test',
    'evil.test',
    '',
    ' /app',
    '///evil.test',
    '/.//evil.test',
    '/..//evil.test',
    '/%2e//evil.test',
    'data:text/html,x',
    '/\r/evil.test',
    'https:/evil.test',
  ])('%j is replaced by /app', wish => {
    const path = safeReturnTo(wish, origin);
    expect(new URL(path, origin).origin).toBe(origin);
    expect(path).toBe('/app');
  }); // prettier-ignore

  test('paths of this origin are kept unchanged', () => {
    for (const path of ['/app/endpoints/ep_1?q=a#b', '/authorize?client_id=x&redirect_uri=https%3A%2F%2Fa.test%2F']) {
      expect(safeReturnTo(path, origin)).toBe(path);
    }
  });

  test('isDashboardPath() accepts only dashboard paths', () => {
    expect(['/', '/app', '/app/x', '/login?x', '/setup'].every(isDashboardPath)).toBe(true);
    expect(['/authorize?x', '/docs', '/apple', '/loginx'].some(isDashboardPath)).toBe(false);
  });
});
