/*
 * The connections that delayed and stalled answers hold open. Their number is limited, because each is one that no
 * other sender can use, and so is the memory of the bodies that wait. When the server stops, none waits any longer.
 */
import type { Hold } from '../../core/answer.ts';
import { maxHeldBodyBytes, maxHeldConnections, maxHeldPerEndpoint } from '../../core/answers/limits.ts';
import { createMemoryBudget } from '../../core/memory-budget.ts';

export type Holds = ReturnType<typeof createHolds>;

export function createHolds({
  perEndpoint = maxHeldPerEndpoint,
  total = maxHeldConnections,
  totalBytes = maxHeldBodyBytes,
} = {}) {
  const bodies = createMemoryBudget({ totalBytes, maxBytesPerHolder: totalBytes / 2 });
  const held = new Map<number, number>();
  const waiting = new Set<() => void>();
  let count = 0;
  let isStopped = false;

  const change = (endpoint: number, by: 1 | -1): void => {
    const now = (held.get(endpoint) ?? 0) + by;
    if (now === 0) held.delete(endpoint);
    else held.set(endpoint, now);
  };

  return {
    /**
     * A place for one answer; undefined when there is none.
     * @param endpoint its row number
     * @param bytes the memory that only this answer needs, until it is released
     */
    take(endpoint: number, bytes: number): Hold | undefined {
      if (count >= total || (held.get(endpoint) ?? 0) >= perEndpoint) return undefined;
      const holders = [String(endpoint)];
      if (bytes > 0 && !bodies.take(bytes, holders)) return undefined;
      count++;
      change(endpoint, 1);
      let [isCounted, isReleased] = [true, false];
      let stop: (() => void) | undefined;
      const cancel = (): void => {
        if (stop) waiting.delete(stop);
        stop = undefined;
      };
      const giveWay = (): void => {
        if (!isCounted) return;
        isCounted = false;
        count--;
        change(endpoint, -1);
      };
      return {
        after(ms, run) {
          if (isReleased) return;
          if (isStopped) return void run();
          const finish = (): void => {
            clearTimeout(timer);
            cancel();
            if (!isReleased) run();
          };
          const timer = setTimeout(finish, ms);
          stop = finish;
          waiting.add(finish);
        },
        giveWay,
        release() {
          if (isReleased) return;
          isReleased = true;
          giveWay();
          // Not earlier: a sender that has closed its side may still read the answer.
          if (bytes > 0) bodies.give(bytes, holders);
          stop?.();
          cancel();
        },
      };
    },

    /** How many connections are held, without those whose sender has closed its side. */
    count: (): number => count,

    /** From now on nothing waits. */
    stop(): void {
      isStopped = true;
      for (const finish of [...waiting]) finish();
    },
  };
}
