/* Limits connections and memory of delayed and stalled responses, by team. When the server stops, all continue at once. */

import { heldConnections, maxHeldBodyBytes, maxHeldPerEndpoint } from '../../core/answers/limits.ts';
import { createFairShares, type FairSharesOptions } from '../../core/concurrency/fair-shares.ts';
import { createMemoryBudget } from '../../core/concurrency/memory-budget.ts';
import { createSemaphore } from '../../core/concurrency/semaphore.ts';
import type { DelayedResponse } from '../../core/delivery-response.ts';

export type DelayedResponses = ReturnType<typeof createDelayedResponses>;

export type DelayedResponsesOptions = {
  /** The team of an endpoint, by its row number. An endpoint without one has a share of its own. */
  teamOf: (endpoint: number) => string | undefined;
  perEndpoint?: number;
  connections?: FairSharesOptions;
  totalBytes?: number;
};

export function createDelayedResponses({
  teamOf,
  perEndpoint = maxHeldPerEndpoint,
  connections = heldConnections,
  totalBytes = maxHeldBodyBytes,
}: DelayedResponsesOptions) {
  const bodies = createMemoryBudget({ totalBytes, maxBytesPerHolder: totalBytes / 2 });
  const ofEndpoints = createSemaphore(perEndpoint);
  const places = createFairShares(connections);
  const waiting = new Set<() => void>();
  let isStopped = false;

  /** Takes a slot for the endpoint and its team. @returns a function that releases it */
  const takePlace = (endpoint: number, team: string): (() => void) | undefined => {
    const release = ofEndpoints.tryAcquire(String(endpoint));
    if (!release) return undefined;
    if (!places.take(team)) return void release();
    return () => {
      release();
      places.give(team);
    };
  };

  return {
    /** Undefined if no slot is free. @param endpoint its row number @param bytes the memory that only this response needs */
    take(endpoint: number, bytes: number): DelayedResponse | undefined {
      const team = teamOf(endpoint) ?? `endpoint ${endpoint}`;
      const place = takePlace(endpoint, team);
      if (!place) return undefined;
      if (bytes > 0 && !bodies.take(bytes, [team])) return void place();
      let [isCounted, isReleased] = [true, false];
      let stop: (() => void) | undefined;
      const cancel = (): void => {
        if (stop) waiting.delete(stop);
        stop = undefined;
      };
      const releaseSlot = (): void => {
        if (!isCounted) return;
        isCounted = false;
        place();
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
        releaseSlot,
        release() {
          if (isReleased) return;
          isReleased = true;
          releaseSlot();
          // Not earlier, because a sender that has closed its side may still read the response.
          if (bytes > 0) bodies.give(bytes, [team]);
          stop?.();
          cancel();
        },
      };
    },

    /** The number of held connections, except connections whose sender has closed its side. */
    count: (): number => connections.total - places.free(),

    /** Continues all waiting responses; later ones do not wait. */
    stop(): void {
      isStopped = true;
      for (const finish of [...waiting]) finish();
    },
  };
}
