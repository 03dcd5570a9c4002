/*
 * Chooses the queues that give up their places to waiting queues. A queue that has run for 5 s yields to one of its own share,
 * and to one of a share that has fewer places. It then starts nothing more, and its place is free once its running requests have
 * ended.
 */
import type { FairShares } from '../../core/concurrency/fair-shares.ts';

/** For how long a queue may run while others wait. */
const turnMs = 5000;

/** A queue that has a place. `isYielding`: it stops only because others wait. */
export type Running = {
  queue: { share: string };
  sinceMs: number;
  ended: 'finish' | 'abort' | undefined;
  isYielding: boolean;
};

/** @param waiting the number of due queues of each share without a place */
export function queuesToYield<T extends Running>(
  running: readonly T[],
  waiting: ReadonlyMap<string, number>,
  { canTake, held }: Pick<FairShares, 'canTake' | 'held'>,
  nowMs: number,
): Set<T> {
  const chosen = new Set<T>();
  /** Adds queues of the share until `wanted` of them yield. */
  const choose = (share: string, wanted: number): void => {
    const own = running.filter(({ queue }) => queue.share === share);
    const isLeaving = (one: T): boolean => one.isYielding || chosen.has(one);
    const canLeave = own.filter(one => !isLeaving(one) && one.ended === undefined && nowMs - one.sinceMs >= turnMs);
    const missing = wanted - own.filter(isLeaving).length;
    for (const one of canLeave.slice(0, Math.max(0, missing))) chosen.add(one);
  };
  const most = Math.max(0, ...held.values());
  const largest = [...held.keys()].find(share => held.get(share) === most) ?? '';
  for (const [share, count] of waiting) {
    if (canTake(share)) continue;
    choose(share, count);
    const surplus = most - (held.get(share) ?? 0);
    if (surplus > 0) choose(largest, Math.min(count, Math.ceil(surplus / 2)));
  }
  return chosen;
}
