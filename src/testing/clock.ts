/* A clock that a test controls. */
import type { Clock } from '../core/clock.ts';

export type HeldClock = Clock & {
  /** Advances the wall clock and the monotonic clock. */
  advance: (ms: number) => void;
  /** Sets only the wall clock. */
  setNow: (ms: number) => void;
};

export function holdClock(now = Date.UTC(2026, 10, 1)): HeldClock {
  let wall = now;
  let monotonic = 1_000_000;
  return {
    now: () => wall,
    monotonic: () => monotonic,
    advance: ms => {
      wall += ms;
      monotonic += ms;
    },
    setNow: ms => {
      wall = ms;
    },
  };
}
