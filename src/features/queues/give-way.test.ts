/* What is sent leaves time for deliveries that come in, and takes all of it when none do. */
import { expect, test } from 'bun:test';
import { createGiveWay } from './give-way.ts';

/** How long so many starts took, by a clock that advances as long as is waited. */
async function starts(count: number, load: { recent: number; busyMs?: number }): Promise<number> {
  let now = 1000;
  let busyMs = load.busyMs ?? 0;
  const untilTurn = createGiveWay({
    monotonic: () => now,
    wait: async ms => {
      now += ms;
      busyMs -= ms;
    },
    isBusy: () => busyMs > 0,
    recentDeliveries: () => load.recent,
  });
  for (let n = 0; n < count; n++) await untilTurn();
  return now - 1000;
}

test('without deliveries, and beside a few, nothing waits', async () => {
  expect(await starts(1000, { recent: 0 })).toBe(0);
  expect(await starts(1000, { recent: 19 })).toBe(0);
});

test('while more come in, 150 are started in a second, or as many as come in', async () => {
  expect(Math.round(await starts(151, { recent: 20 }))).toBe(990);
  expect(Math.round(await starts(151, { recent: 75 }))).toBe(990);
  expect(Math.round(await starts(601, { recent: 600 }))).toBe(990);
});

test('deliveries that wait for their commit go first, for a while', async () => {
  expect(await starts(1, { recent: 1, busyMs: 20 })).toBe(20);
  expect(await starts(1, { recent: 1, busyMs: 20_000 })).toBe(50);
});
