/*
 * Who works on a queue, when several processes share the database: it is written there, with a number that grows while that process
 * lives. A process takes over a queue after it has seen the same number for 40 s of its own monotonic time, and a process that
 * could not show life for 25 s stops sending. No clocks are compared, so they may jump.
 */
import type { Clock } from '../../core/clock.ts';
import type { DueQueue, QueuesStore } from './store.ts';

const beatMs = 10_000;
const giveUpMs = 25_000;
const takeOverMs = 40_000;

/** Of the queues that this process still has: whether each is paused. */
export type HeldQueues = ReadonlyMap<number, { isPaused: boolean }>;

export type Leases = ReturnType<typeof createLeases>;

export function createLeases({
  store,
  holder,
  clock,
  onHeld,
  onError,
}: {
  store: Pick<QueuesStore, 'beat'>;
  holder: string;
  clock: Clock;
  /**
   * Called after each sign of life. An empty map: everything has to stop.
   * @param askedMs when it was asked for (monotonic): queues that were taken since may be missing
   */
  onHeld: (held: HeldQueues, askedMs: number) => void;
  onError: (error: unknown) => void;
}) {
  /** The last seen numbers of other holders, and since when (monotonic ms). */
  const seen = new Map<number, { beats: number; sinceMs: number }>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let lastBeatMs = 0;

  const isAlive = (): boolean => timer === undefined || clock.monotonic() - lastBeatMs < giveUpMs;
  const beat = async (): Promise<void> => {
    const startedMs = clock.monotonic();
    if (!isAlive()) onHeld(new Map(), startedMs);
    try {
      const held = await store.beat(holder);
      lastBeatMs = startedMs;
      onHeld(new Map(held.map(({ seq, pausedAt }) => [seq, { isPaused: pausedAt !== null }])), startedMs);
    } catch (error) {
      onError(error);
    }
  };

  return {
    /** Whether the queue may be taken: it is free, or its holder's number has not changed for long enough. */
    isAbandoned({ seq, holder: other, beats }: DueQueue): boolean {
      if (other === null || other === holder) return true;
      const before = seen.get(seq);
      const nowMs = clock.monotonic();
      if (before?.beats !== beats) seen.set(seq, { beats, sinceMs: nowMs });
      return before?.beats === beats && nowMs - before.sinceMs >= takeOverMs;
    },
    /** Whether this process may send: others believe that it lives. */
    isAlive,
    /** Shows life at once. */
    beat,
    start(): void {
      lastBeatMs = clock.monotonic();
      timer = setInterval(() => void beat(), beatMs).unref();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
