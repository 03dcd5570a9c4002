/*
 * Leases on queues, for several processes on one database. A queue's row names its holder and a heartbeat counter. A process
 * takes over a queue if it has seen the same counter for 40 s on its own monotonic clock. A process that could not send a
 * heartbeat for 25 s stops sending. No wall clocks are compared, so they may jump.
 */
import type { Clock } from '../../core/clock.ts';
import type { DueQueue, QueuesStore } from './store.ts';

const beatMs = 10_000;
const giveUpMs = 25_000;
const takeOverMs = 40_000;

/** The queues that this process still holds, and whether each is paused. */
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
   * Called after each heartbeat. With an empty map, everything must stop.
   * @param askedMs when the heartbeat began (monotonic): queues that were claimed since may be missing
   */
  onHeld: (held: HeldQueues, askedMs: number) => void;
  onError: (error: unknown) => void;
}) {
  /** The last seen counters of other holders, and since when (monotonic ms). */
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
    /** Whether the queue may be claimed: it is free, or its holder's counter has not changed for long enough. */
    isAbandoned({ seq, holder: other, beats }: DueQueue): boolean {
      if (other === null || other === holder) return true;
      const before = seen.get(seq);
      const nowMs = clock.monotonic();
      if (before?.beats !== beats) seen.set(seq, { beats, sinceMs: nowMs });
      return before?.beats === beats && nowMs - before.sinceMs >= takeOverMs;
    },
    /** Whether this process may send: its last heartbeat is recent enough that no other process takes over. */
    isAlive,
    /** Sends a heartbeat at once. */
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
