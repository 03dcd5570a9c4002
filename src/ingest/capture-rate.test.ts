import { expect, test } from 'bun:test';
import { holdClock } from '../testing/clock.ts';
import { createCaptureRate } from './capture-rate.ts';

test('is high while hundreds arrive per second, and low soon after', () => {
  const clock = holdClock();
  const activity = createCaptureRate(clock.monotonic);
  activity.stored(199);
  expect(activity.isHigh()).toBe(false);
  activity.stored(1);
  expect(activity.isHigh()).toBe(true);
  expect(activity.recent()).toBe(200);
  clock.advance(1500);
  expect(activity.isHigh()).toBe(true);
  clock.advance(1000);
  expect(activity.isHigh()).toBe(false);
  expect(activity.recent()).toBe(0);
});

test('a few deliveries per second are never high', () => {
  const clock = holdClock();
  const activity = createCaptureRate(clock.monotonic);
  for (let i = 0; i < 1000; i++) {
    activity.stored(1);
    clock.advance(20);
    expect(activity.isHigh()).toBe(false);
  }
});
