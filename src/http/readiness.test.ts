import { expect, test } from 'bun:test';
import { holdClock } from '../testing/clock.ts';
import { createReadiness } from './readiness.ts';

function setUp(probe: () => Promise<void>, patienceMs = 1000) {
  const clock = holdClock();
  const failures: unknown[] = [];
  let probes = 0;
  const isReady = createReadiness({
    probe: () => {
      probes++;
      return probe();
    },
    monotonic: clock.monotonic,
    onFailure: error => failures.push(error),
    patienceMs,
  });
  return { clock, isReady, failures, probes: () => probes };
}

test('however many ask, the storage is written once a second', async () => {
  const { clock, isReady, probes } = setUp(async () => {});
  expect(await Promise.all([isReady(), isReady(), isReady()])).toEqual([true, true, true]);
  clock.advance(999);
  expect(await isReady()).toBe(true);
  expect(probes()).toBe(1);
  clock.advance(1);
  expect(await isReady()).toBe(true);
  expect(probes()).toBe(2);
});

test('a failure is said once for each probe, and over when the storage is back', async () => {
  let broken = true;
  const { clock, isReady, failures } = setUp(async () => {
    if (broken) throw new Error('full');
  });
  expect([await isReady(), await isReady()]).toEqual([false, false]);
  expect(failures).toHaveLength(1);
  broken = false;
  clock.advance(1000);
  expect(await isReady()).toBe(true);
});

test('storage that hangs is not ready, and is not asked again while it does', async () => {
  const hanging = Promise.withResolvers<void>();
  const { clock, isReady, failures, probes } = setUp(() => hanging.promise, 1);
  expect(await isReady()).toBe(false);
  clock.advance(1000);
  expect(await isReady()).toBe(false);
  expect([probes(), failures.length]).toEqual([1, 2]);
  hanging.resolve();
  await hanging.promise;
  clock.advance(1000);
  expect(await isReady()).toBe(true);
});
