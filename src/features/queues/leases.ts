/*
 * Leases on queues, for several processes on one database. A queue's row names its holder and a heartbeat counter. A process
 * takes over a queue if it has seen the same counter for 7 s on its own monotonic clock. A process that could not send a
 * heartbeat for 5 s aborts its requests and sends nothing more. A process that was suspended for longer finds that out before it
 * starts an item, and cannot write results of a queue that it has lost. No wall clocks are compared, so they may jump.
 */
import type { Clock } from '../../core/clock.ts';
import type { DueQueue, QueuesStore } from './store.ts';

const beatMs = 1500;
const giveUpMs = 5000;
const takeOverMs = 7000;

/** The queues that this process still holds, and whether each is paused. */
export type HeldQueues = ReadonlyMap<number, { isPaused: boolean }>;

export function createLeases(options: {
  store: Pick<QueuesStore, 'beat'>;
  holder: string;
  clock: Clock;
  /** Whether this process works on any queue. Without one, it sends no heartbeats. */
  holdsAny: () => boolean;
  /**
   * Called after each heartbeat. With an empty map, everything must stop.
   * @param askedMs when the heartbeat began (monotonic): queues that were claimed since may be missing
   */
  onHeld: (held: HeldQueues, askedMs: number) => void;
  onError: (error: unknown) => void;
}) {
  const { store, holder, clock, holdsAny, onHeld, onError } = options;
  /** The last seen counters of other holders, and since when (monotonic ms). */
  const seen = new Map<number, { beats: number; sinceMs: number }>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let endTimer: ReturnType<typeof setTimeout> | undefined;
  let lastBeatMs = 0;

  const isAlive = (): boolean => timer === undefined || clock.monotonic() - lastBeatMs < giveUpMs;
  /** Stops everything once the last heartbeat is too old. A timer may fire early: then it waits for the rest. */
  const watch = (): void => {
    clearTimeout(endTimer);
    if (!timer) return;
    const leftMs = lastBeatMs + giveUpMs - clock.monotonic();
    if (leftMs > 0) endTimer = setTimeout(watch, Math.ceil(leftMs)).unref();
    else onHeld(new Map(), clock.monotonic());
  };
  let beating: Promise<void> | undefined;
  const sendBeat = async (): Promise<void> => {
    const startedMs = clock.monotonic();
    watch();
    try {
      const held = await store.beat(holder);
      lastBeatMs = startedMs;
      watch();
      onHeld(new Map(held.map(({ seq, pausedAt }) => [seq, { isPaused: pausedAt !== null }])), startedMs);
    } catch (error) {
      onError(error);
    } finally {
      beating = undefined;
    }
  };
  /** One heartbeat at a time, because a slow database would only get slower. */
  const beat = (): Promise<void> => {
    beating ??= sendBeat();
    return beating;
  };

  return {
    /**
     * In how many ms the queue may be claimed, unless its holder sends a heartbeat; 0 if it is free, or its holder's counter has not
     * changed for long enough.
     */
    untilFreeMs({ seq, holder: other, beats }: DueQueue): number {
      const nowMs = clock.monotonic();
      const before = seen.get(seq);
      const sinceMs = before?.beats === beats ? before.sinceMs : nowMs;
      const ms = other === null || other === holder ? 0 : Math.max(0, sinceMs + takeOverMs - nowMs);
      if (ms === 0) seen.delete(seq);
      else seen.set(seq, { beats, sinceMs });
      return ms;
    },
    /** Whether this process may send: its last heartbeat is recent enough that no other process takes over. */
    isAlive,
    /** Sends a heartbeat first if one is due. @returns whether this process may claim queues and send */
    async ensureAlive(): Promise<boolean> {
      if (timer && clock.monotonic() - lastBeatMs >= beatMs) await beat();
      return isAlive();
    },
    start(): void {
      lastBeatMs = clock.monotonic();
      timer = setInterval(() => holdsAny() && void beat(), beatMs).unref();
      watch();
    },
    stop(): void {
      clearInterval(timer);
      clearTimeout(endTimer);
      timer = undefined;
    },
  };
}
