import { expect, test } from 'bun:test';
import { createHolds } from './holds.ts';
import { runAnswer } from './timing.ts';

const recorder = () => {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(name);
  return { steps, all: { answer: step('answer'), head: step('head'), close: step('close'), reset: step('reset') } };
};

test('when the server stops, it sends delayed answers at once and closes stalled connections, and does so with later ones, too', () => {
  const holds = createHolds();
  const { steps, all } = recorder();
  runAnswer({ delayMs: 60_000, fault: null, hold: holds.take(1, 0) }, all);
  runAnswer({ delayMs: 0, fault: 'stall', hold: holds.take(1, 0) }, all);
  runAnswer({ delayMs: 60_000, fault: 'reset', hold: holds.take(2, 0) }, all);
  expect(steps).toEqual(['head']);
  holds.stop();
  expect(steps).toEqual(['head', 'answer', 'close', 'reset']);
  runAnswer({ delayMs: 60_000, fault: 'stall', hold: holds.take(1, 0) }, all);
  expect(steps.slice(4)).toEqual(['head', 'close']);
  expect(holds.count()).toBe(0);
});

test('after its sender has left, nothing is sent', () => {
  const holds = createHolds();
  const { steps, all } = recorder();
  const hold = holds.take(1, 0);
  runAnswer({ delayMs: 60_000, fault: null, hold }, all);
  hold?.release();
  holds.stop();
  expect(steps).toEqual([]);
});

test('places are limited for each endpoint and in all', () => {
  const holds = createHolds({ perEndpoint: 2, total: 3 });
  const first = holds.take(1, 0);
  expect([holds.take(1, 0), holds.take(1, 0), holds.take(2, 0), holds.take(2, 0)].map(Boolean)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  first?.giveWay();
  first?.release();
  expect(holds.count()).toBe(2);
  expect(holds.take(1, 0)).toBeDefined();
});

test('the memory of waiting bodies is limited, and free again once the answer is sent, not when the sender half-closes', () => {
  const holds = createHolds({ totalBytes: 100 });
  const first = holds.take(1, 50);
  expect(first).toBeDefined();
  expect([holds.take(1, 1), holds.take(1, 0)].map(Boolean)).toEqual([false, true]);
  first?.giveWay();
  expect(holds.take(1, 1)).toBeUndefined();
  const other = holds.take(2, 25);
  expect(other).toBeDefined();
  expect(holds.take(3, 26)).toBeUndefined();
  first?.release();
  first?.release();
  expect([holds.take(1, 51), holds.take(1, 37)].map(Boolean)).toEqual([false, true]);
});
