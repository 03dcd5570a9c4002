import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createRateLimiter } from './rate-limit.ts';

const windowMs = 60_000;

describe('the rate limiter', () => {
  test('any minute holds at most the limit; a request is refused only when its minute is full, and Retry-After is honest', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.oneof(fc.nat(200), fc.nat(20_000), fc.constant(windowMs)), { maxLength: 200 }),
        (limit, gaps) => {
          let now = 0;
          const limiter = createRateLimiter(() => now);
          const accepted: number[] = [];
          for (const gap of gaps) {
            now += gap;
            const inWindow = accepted.filter(at => at > now - windowMs).length;
            const wait = limiter.take('key', limit);
            expect(wait === 0).toBe(inWindow < limit);
            if (wait === 0) accepted.push(now);
            else {
              const later = now + wait * 1000;
              const full = (at: number) => accepted.filter(one => one > at - windowMs).length >= limit;
              expect([full(later), full(later - 1000)]).toEqual([false, true]);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a limit that is as good as none costs nothing until it is used', () => {
    let now = 0;
    const limiter = createRateLimiter(() => now);
    for (let credential = 0; credential < 1000; credential++) expect(limiter.take(`${credential}`, 1e10)).toBe(0);
    for (let i = 0; i < 100; i++) {
      now += 10;
      expect(limiter.take('busy', 90)).toBe(i < 90 ? 0 : 60);
    }
  });

  test('counts each credential for itself', () => {
    const limiter = createRateLimiter(() => 0);
    expect(['a', 'a', 'b', 'a', 'b', 'b'].map(one => limiter.take(one, 2) === 0)).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  test('keeps every active client, however many other clients there are', () => {
    let now = 0;
    const limiter = createRateLimiter(() => now);
    expect(limiter.take('slow', 1)).toBe(0);
    now = windowMs - 1;
    for (let i = 0; i < 5000; i++) limiter.take(`other ${i}`, 1);
    expect(limiter.take('slow', 1)).toBe(1);
    now = windowMs;
    expect(limiter.take('slow', 1)).toBe(0);
  });
});
