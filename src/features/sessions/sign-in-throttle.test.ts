import { beforeEach, describe, expect, test } from 'bun:test';
import type { AppError } from '../../core/errors.ts';
import { type HeldClock, holdClock } from '../../testing/clock.ts';
import { createSignInThrottle, type SignInThrottle } from './sign-in-throttle.ts';

let clock: HeldClock;
let throttle: SignInThrottle;
beforeEach(() => {
  clock = holdClock();
  throttle = createSignInThrottle({ monotonic: clock.monotonic, capacity: 100 });
});

/** Makes a failing attempt. @returns the seconds to wait, 0 when it was allowed */
const attempt = (email = 'ada@example.com', ip = '192.0.2.1'): number => {
  try {
    throttle.begin(email, ip);
    return 0;
  } catch (error) {
    return (error as AppError).retryAfterSeconds ?? -1;
  }
};
const attempts = (count: number, ...from: [string?, string?]) => Array.from({ length: count }, () => attempt(...from));

describe('password guessing', () => {
  test('five failures are free, then each doubles the wait, and an attempt after the wait is allowed', () => {
    expect(attempts(5)).toEqual([0, 0, 0, 0, 0]);
    for (const wait of [1, 2, 4, 8, 16]) {
      expect(attempt()).toBe(wait);
      clock.advance(wait * 1000 - 1);
      expect(attempt()).toBe(1);
      clock.advance(1);
      expect(attempt()).toBe(0);
    }
  });

  test('the wait is at most 15 minutes, and failures are forgotten after an hour', () => {
    for (let i = 0; i < 30; i++) {
      attempt();
      clock.advance(15 * 60_000);
    }
    expect(attempt()).toBe(0);
    expect(attempt()).toBe(900);
    clock.advance(60 * 60_000);
    expect(attempts(5)).toEqual([0, 0, 0, 0, 0]);
  });

  test('failures from one network do not block sign-in from another', () => {
    attempts(10);
    expect(attempt('ada@example.com', '198.51.100.7')).toBe(0);
  });

  test('attempts on many accounts from one client are throttled too', () => {
    const waits = Array.from({ length: 31 }, (_, i) => attempt(`person${i}@example.com`));
    expect(waits.slice(0, 30)).toEqual(new Array(30).fill(0));
    expect(waits[30]).toBe(1);
  });

  test('addresses of one /64 count together, those of two separately', () => {
    for (let i = 0; i < 30; i++) attempt(`person${i}@example.com`, `2001:db8::1:${i}`);
    expect(attempt('x@example.com', '2001:db8:0:0:ffff::')).toBe(1);
    expect(attempt('x@example.com', '2001:db8:0:1::1')).toBe(0);
  });

  test('concurrent attempts count from their start', () => {
    const running = Array.from({ length: 5 }, () => throttle.begin('ada@example.com', '192.0.2.1'));
    expect(attempt()).toBe(1);
    running[0]?.succeeded();
    expect(attempt()).toBe(0);
  });

  test('a successful sign-in does not reset the failures on other accounts', () => {
    let guesses = 0;
    const guessBetween = () => {
      for (; guesses < 100; guesses++) {
        throttle.begin(`person${guesses}@example.com`, '192.0.2.1');
        throttle.begin('mallory@example.com', '192.0.2.1').succeeded();
      }
    };
    expect(guessBetween).toThrow('too many attempts');
    expect(guesses).toBeLessThan(30);
  });

  test('an attempt that is withdrawn does not count, and earlier failures still do', () => {
    for (let i = 0; i < 100; i++) throttle.begin('ada@example.com', '192.0.2.1').withdraw();
    attempts(4);
    for (let i = 0; i < 100; i++) throttle.begin('ada@example.com', '192.0.2.1').withdraw();
    expect([attempt(), attempt()]).toEqual([0, 1]);
  });

  test('withdrawing an attempt does not end the wait after one that began later', () => {
    attempts(3);
    const first = throttle.begin('ada@example.com', '192.0.2.1');
    attempt();
    first.withdraw();
    expect(attempt()).toBe(1);
  });

  test('the number of entries is bounded, and the least recently used one is dropped', () => {
    attempts(6, 'ada@example.com', '192.0.2.1');
    for (let i = 0; i < 100; i++) attempt('x@example.com', `198.51.100.${i}`);
    expect(attempt()).toBe(0);
  });
});

describe('guessing one-time codes', () => {
  const guess = (accountId = 'acc_1'): number => {
    try {
      throttle.beginCode(accountId);
      return 0;
    } catch (error) {
      return (error as AppError).retryAfterSeconds ?? -1;
    }
  };

  test('after 20 failures of an account the wait doubles, whatever the networks of other attempts', () => {
    for (let i = 0; i < 20; i++) expect(guess()).toBe(0);
    expect(guess()).toBe(1);
    expect(guess('acc_2')).toBe(0);
    for (let i = 0; i < 200; i++) attempt('ada@example.com', `198.51.100.${i}`);
    expect(guess()).toBe(1);
    clock.advance(1000);
    expect([guess(), guess()]).toEqual([0, 2]);
  });

  test('a right code is no failure, and excuses no earlier one', () => {
    for (let i = 0; i < 19; i++) guess();
    for (let i = 0; i < 3; i++) throttle.beginCode('acc_1')();
    expect([guess(), guess()]).toEqual([0, 1]);
  });
});
