/*
 * The sweeper's clock. A wall clock that jumps ahead would make the sweeper delete history at once, so a jump is trusted only
 * after it has lasted for an hour of uptime; until then time continues from before the jump. Jumps are found by comparing the
 * wall clock with the monotonic clock, and across restarts with the time that was saved.
 */
import type { Clock } from '../../core/clock.ts';

/** Saved for the next start; epoch ms. `ahead`: a jump that is not trusted yet, and its duration so far. */
export type SeenClock = { trusted: number; ahead?: { since: number; heldMs: number } | undefined };

export type SweepClockOptions = {
  clock: Clock;
  store: {
    /** Undefined on a database that has never had an event. */
    seenClock: () => Promise<SeenClock | undefined>;
    saveSeenClock: (seen: SeenClock) => Promise<void>;
  };
  /** The wall clock jumped ahead by `aheadMs`. */
  onJump: (aheadMs: number) => void;
  /** The wall clock is trusted again: it went back, or the jump has lasted long enough. */
  onTrusted: () => void;
};

/** Covers clock corrections and short restarts. Sweeping this much too early is harmless. */
const toleranceMs = 15 * 60_000;
export const holdMs = 60 * 60_000;
const saveEveryMs = 5 * 60_000;

type Sample = { wall: number; monotonic: number };

/** The wall clock at `at` if it has run evenly since `from`. */
const expected = (from: Sample, at: Sample): number => from.wall + at.monotonic - from.monotonic;

export type SweepClock = ReturnType<typeof createSweepClock>;

export function createSweepClock({ clock, store, onJump, onTrusted }: SweepClockOptions) {
  const sample = (): Sample => ({ wall: clock.now(), monotonic: clock.monotonic() });
  let trusted = sample();
  /** The jump that is not trusted yet, and how long it had lasted before this process started. */
  let jump: { at: Sample; heldBeforeMs: number } | undefined;
  let savedJump: SeenClock['ahead'];
  let savedAt = Number.NEGATIVE_INFINITY;

  const heldMs = (at: Sample): number => (jump ? jump.heldBeforeMs + at.monotonic - jump.at.monotonic : 0);

  const timeAt = (at: Sample): number => {
    const trustedNow = expected(trusted, at);
    const isAhead = at.wall - trustedNow > toleranceMs;
    if (isAhead && (!jump || Math.abs(at.wall - expected(jump.at, at)) > toleranceMs)) {
      // After a restart, the downtime adds to the jump. A wall clock earlier than the saved jump means that this is a new jump.
      const isSameJump = savedJump !== undefined && at.wall >= savedJump.since - toleranceMs;
      jump = { at, heldBeforeMs: isSameJump ? (savedJump?.heldMs ?? 0) : 0 };
      savedJump = undefined;
      onJump(at.wall - trustedNow);
    }
    if (isAhead && heldMs(at) < holdMs) return trustedNow;
    trusted = at;
    if (jump) onTrusted();
    jump = undefined;
    savedJump = undefined;
    return at.wall;
  };

  return {
    /** Loads the saved clock. Call it once, before `now`. */
    async read(): Promise<void> {
      const seen = await store.seenClock();
      if (!seen) return;
      trusted = { ...trusted, wall: seen.trusted };
      savedJump = seen.ahead;
    },

    /** Epoch ms. Retention windows end here. */
    now: (): number => timeAt(sample()),

    /** Call it every minute or so: it notices jumps when nothing is swept, and saves the clock for the next start. */
    async watch(): Promise<void> {
      const at = sample();
      const now = timeAt(at);
      if (at.monotonic - savedAt < saveEveryMs) return;
      savedAt = at.monotonic;
      await store.saveSeenClock({ trusted: now, ahead: jump && { since: jump.at.wall, heldMs: heldMs(at) } });
    },
  };
}
