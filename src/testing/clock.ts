/* A clock that a test holds. Wall clock and monotonic clock move apart only when a test says so. */
import type { Clock } from '../core/clock.ts';

export type HeldClock = Clock & {
  /** Both clocks go on by this much. */
  advance: (ms: number) => void;
  /** The wall clock jumps; the monotonic one does not notice. */
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
