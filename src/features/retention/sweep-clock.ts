/*
 * The time by which the sweeper removes events. A wall clock that jumps ahead would make it delete history at once, so such a jump
 * is not followed until the clock has kept its new course for an hour of uptime; until then time goes on from where it was.
 * Compared with the monotonic clock while the process runs, and with what was saved before across restarts.
 */
import type { Clock } from '../../core/clock.ts';

/** What is kept across restarts, epoch ms. `ahead`: a jump that is not followed yet, and for how long it has held. */
export type SeenClock = { trusted: number; ahead?: { since: number; heldMs: number } | undefined };

export type SweepClockOptions = {
  clock: Clock;
  store: {
    /** undefined on a database that has never held an event. */
    seenClock: () => Promise<SeenClock | undefined>;
    saveSeenClock: (seen: SeenClock) => Promise<void>;
  };
  /** The clock has jumped ahead; `aheadMs` of where it should be. */
  onAhead: (aheadMs: number) => void;
  /** It is followed again: it went back, or has held for long enough. */
  onSettled: () => void;
};

/** Corrections and short restarts. Sweeping so much too early is harmless. */
const toleranceMs = 15 * 60_000;
export const holdMs = 60 * 60_000;
const saveEveryMs = 5 * 60_000;

type Sample = { wall: number; monotonic: number };

/** What the wall clock shows at `at` if it has run evenly since `from`. */
const expected = (from: Sample, at: Sample): number => from.wall + at.monotonic - from.monotonic;

export type SweepClock = ReturnType<typeof createSweepClock>;

export function createSweepClock({ clock, store, onAhead, onSettled }: SweepClockOptions) {
  const sample = (): Sample => ({ wall: clock.now(), monotonic: clock.monotonic() });
  let trusted = sample();
  /** The jump that is not followed, and what of its hour had passed before this process started. */
  let jump: { at: Sample; heldBeforeMs: number } | undefined;
  /** The same as it was saved, until the clock is looked at for the first time. */
  let before: SeenClock['ahead'];
  let savedAt = Number.NEGATIVE_INFINITY;

  const heldMs = (at: Sample): number => (jump ? jump.heldBeforeMs + at.monotonic - jump.at.monotonic : 0);

  const look = (at: Sample): number => {
    const trustedNow = expected(trusted, at);
    const isAhead = at.wall - trustedNow > toleranceMs;
    if (isAhead && (!jump || Math.abs(at.wall - expected(jump.at, at)) > toleranceMs)) {
      // After a restart the clock is further on by the downtime; going back before the jump would be another course.
      const isSame = before !== undefined && at.wall >= before.since - toleranceMs;
      jump = { at, heldBeforeMs: isSame ? (before?.heldMs ?? 0) : 0 };
      before = undefined;
      onAhead(at.wall - trustedNow);
    }
    if (isAhead && heldMs(at) < holdMs) return trustedNow;
    trusted = at;
    if (jump) onSettled();
    jump = undefined;
    before = undefined;
    return at.wall;
  };

  return {
    /** Once, before the first question; what was saved is where the clock is expected to be. */
    async read(): Promise<void> {
      const seen = await store.seenClock();
      if (!seen) return;
      trusted = { ...trusted, wall: seen.trusted };
      before = seen.ahead;
    },

    /** Epoch ms; what was received before a window that ends here may go. */
    now: (): number => look(sample()),

    /** To be called every minute or so: notices a jump although nothing is swept, and saves what the next start has to know. */
    async watch(): Promise<void> {
      const at = sample();
      const now = look(at);
      if (at.monotonic - savedAt < saveEveryMs) return;
      savedAt = at.monotonic;
      await store.saveSeenClock({ trusted: now, ahead: jump && { since: jump.at.wall, heldMs: heldMs(at) } });
    },
  };
}
