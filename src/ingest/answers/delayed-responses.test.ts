import { expect, test } from 'bun:test';
import { createDelayedResponses } from './delayed-responses.ts';
import { runAnswer } from './timing.ts';

/** The team of endpoint 110 is `team 11`, and so is that of 111. */
const teamOf = (endpoint: number): string => `team ${Math.floor(endpoint / 10)}`;

const recorder = () => {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(name);
  return { steps, all: { answer: step('answer'), head: step('head'), close: step('close'), reset: step('reset') } };
};

test('when the server stops, it sends delayed answers at once and closes stalled connections, and does so with later ones, too', () => {
  const holds = createDelayedResponses({ teamOf });
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
  const holds = createDelayedResponses({ teamOf });
  const { steps, all } = recorder();
  const hold = holds.take(1, 0);
  runAnswer({ delayMs: 60_000, fault: null, hold }, all);
  hold?.release();
  holds.stop();
  expect(steps).toEqual([]);
});

test('places are limited for each endpoint and in all', () => {
  const holds = createDelayedResponses({ teamOf, perEndpoint: 2, connections: { total: 3, reserved: 0, assured: 3 } });
  const first = holds.take(1, 0);
  expect([holds.take(1, 0), holds.take(1, 0), holds.take(2, 0), holds.take(2, 0)].map(Boolean)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  first?.releaseSlot();
  first?.release();
  expect(holds.count()).toBe(2);
  expect(holds.take(1, 0)).toBeDefined();
});

test('endpoints of one team leave places for other teams, whose endpoints may each hold 200', () => {
  const holds = createDelayedResponses({ teamOf });
  const takeAll = (endpoint: number, bytes = 0): number => {
    let taken = 0;
    while (taken < 1000 && holds.take(endpoint, bytes)) taken++;
    return taken;
  };
  const ofTeam = (team: number, endpoints: number): number[] =>
    Array.from({ length: endpoints }, (_, n) => takeAll(team * 10 + n));
  expect(ofTeam(1, 9)).toEqual([200, 200, 200, 200, 0, 0, 0, 0, 0]);
  expect(ofTeam(2, 3)).toEqual([200, 200, 0]);
  for (const team of [3, 4, 5, 6]) expect(ofTeam(team, 2)).toEqual([200, 0]);
});

test('endpoints of one team leave memory for the bodies of other teams', () => {
  const holds = createDelayedResponses({ teamOf, totalBytes: 1000 });
  const bytesOf = (endpoint: number): number => {
    let taken = 0;
    while (holds.take(endpoint, 10)) taken += 10;
    return taken;
  };
  expect([10, 11, 12, 13, 20].map(bytesOf)).toEqual([500, 0, 0, 0, 250]);
});

test('the memory of waiting bodies is limited, and free again once the answer is sent, not when the sender half-closes', () => {
  const holds = createDelayedResponses({ teamOf, totalBytes: 100 });
  const first = holds.take(1, 50);
  expect(first).toBeDefined();
  expect([holds.take(1, 1), holds.take(1, 0)].map(Boolean)).toEqual([false, true]);
  first?.releaseSlot();
  expect(holds.take(1, 1)).toBeUndefined();
  const other = holds.take(20, 25);
  expect(other).toBeDefined();
  expect(holds.take(30, 26)).toBeUndefined();
  first?.release();
  first?.release();
  expect([holds.take(1, 51), holds.take(1, 37)].map(Boolean)).toEqual([false, true]);
});
