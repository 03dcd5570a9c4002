import { describe, expect, test } from 'bun:test';
import { limitMs, resetMs } from './github-limits.ts';

const now = Date.UTC(2026, 10, 20);
const limit = (status: number, headers: Record<string, string> = {}, text = '', refusals = 0) =>
  limitMs({ status, headers: new Headers(headers), text }, refusals, now);
const spent = (seconds: number) => ({
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(now / 1000 + seconds),
});

describe('a rate limit of GitHub', () => {
  test('ends after retry-after, which counts more than the reset', () => {
    expect(limit(403, { 'retry-after': '30', ...spent(90) })).toBe(30_000);
    expect(limit(429, { 'retry-after': '0' })).toBe(1000);
  });

  test('ends at the reset, by the clock of GitHub', () => {
    expect(limit(403, spent(90))).toBe(90_000);
    expect(limit(429, { ...spent(90), date: new Date(now + 60_000).toUTCString() })).toBe(30_000);
    expect(limit(403, spent(-90))).toBe(1000);
  });

  test('without a time lasts a minute, then twice as long each time', () => {
    const text = '{"message":"You have exceeded a secondary rate limit."}';
    expect([0, 1, 2].map(refusals => limit(403, {}, text, refusals))).toEqual([60_000, 120_000, 240_000]);
    expect(limit(429)).toBe(60_000);
    expect(limit(429, { 'retry-after': '-1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' })).toBe(60_000);
  });

  test('is not a refusal for another reason, or another status', () => {
    expect(limit(403, { 'x-ratelimit-remaining': '12' }, '{"message":"Resource not accessible"}')).toBeUndefined();
    expect(limit(404, { 'retry-after': '30' })).toBeUndefined();
  });

  test('is known before it is reached, if no request is left', () => {
    expect(resetMs(new Headers(spent(90)), now)).toBe(90_000);
    expect(resetMs(new Headers({ ...spent(90), 'x-ratelimit-remaining': '1' }), now)).toBeUndefined();
  });
});
