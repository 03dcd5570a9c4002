import { describe, expect, test } from 'bun:test';
import { createFairShares } from '../../core/concurrency/fair-shares.ts';
import { queuesToYield, type Running } from './yielding.ts';

describe('queues yield', () => {
  const running = (share: string, sinceMs: number, more: Partial<Running> = {}): Running => ({
    queue: { share },
    sinceMs,
    ended: undefined,
    isYielding: false,
    ...more,
  });
  /** Which of the running ones yield at 10 s. */
  const yielding = (all: readonly Running[], waiting: Record<string, number>, total = all.length): number[] => {
    const places = createFairShares({ total, reserved: 0, assured: total });
    for (const { queue } of all) places.take(queue.share);
    const chosen = queuesToYield(all, new Map(Object.entries(waiting)), places, 10_000);
    return [...all.keys()].filter(n => chosen.has(all[n] as Running));
  };

  test('after 5 s, to one that waits in their share', () => {
    expect(yielding([running('a', 6000), running('a', 5000), running('a', 0)], { a: 1 })).toEqual([1]);
    expect(yielding([running('a', 6000), running('a', 5001)], { a: 9 })).toEqual([]);
  });

  test('not when there are places, none waits, or enough are ending for that', () => {
    const leaving = running('a', 0, { ended: 'finish', isYielding: true });
    expect(yielding([running('a', 0)], { a: 1 }, 2)).toEqual([]);
    expect(yielding([running('a', 0)], {})).toEqual([]);
    expect(yielding([leaving, running('a', 0)], { a: 1 })).toEqual([]);
    expect(yielding([leaving, running('a', 0), running('a', 0, { ended: 'finish' })], { a: 5 })).toEqual([1]);
  });

  test('of the largest share to one of a smaller share, until both have the same', () => {
    const all = [...Array.from({ length: 6 }, () => running('a', 0)), running('b', 9000)];
    expect(yielding(all, { b: 100 })).toEqual([0, 1, 2]);
    expect(yielding(all, { c: 1 })).toEqual([0]);
    expect(yielding(all, { a: 1, b: 100 })).toEqual([0, 1, 2]);
    expect(yielding([running('a', 0), running('b', 0)], { b: 1 })).toEqual([1]);
  });
});
