import { describe, expect, test } from 'bun:test';
import { parseFilter } from '../../../shared/filter/parser.ts';
import { ApiError } from '../../kit/api.ts';
import { matchingUntil, nameOf } from './matching.ts';
import { runEach } from './run-each.ts';

const events = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `evt_${n}` }));
const options = (signal = new AbortController().signal) => ({ signal, onProgress: () => {}, sleep: async () => {} });

describe('an action on many events', () => {
  test('does each once, and tells which failed', async () => {
    const seen: string[] = [];
    const result = await runEach(
      events(10),
      async ({ id }) => {
        seen.push(id);
        if (id === 'evt_3') throw new ApiError(409, 'The event has 10 tags.');
      },
      options(),
    );
    expect(seen.sort()).toEqual(events(10).map(({ id }) => id));
    expect(result).toEqual({ done: 9, failures: [{ id: 'evt_3', problem: 'The event has 10 tags.' }], waitS: 0 });
  });

  test('waits for the rate limit and tries again, and says so', async () => {
    let refusals = 2;
    const waits: number[] = [];
    const slept: number[] = [];
    const result = await runEach(
      events(1),
      async () => {
        if (refusals-- > 0) throw new ApiError(429, 'Too many requests.', {}, 20);
      },
      { ...options(), onProgress: ({ waitS }) => waits.push(waitS), sleep: async seconds => void slept.push(seconds) },
    );
    expect([result.done, slept, waits]).toEqual([1, [20, 20], [20, 20, 0]]);
  });

  test('leaves the rest when the server cannot be reached, and when it is stopped', async () => {
    const failing = await runEach(
      events(100),
      async () => {
        throw new ApiError(0, 'unreachable');
      },
      options(),
    );
    expect(failing.failures.length).toBeLessThan(10);
    const controller = new AbortController();
    const stopped = await runEach(
      events(100),
      async ({ id }) => {
        if (id === 'evt_5') controller.abort();
      },
      options(controller.signal),
    );
    expect(stopped.done).toBeLessThan(12);
  });
});

test('all that match are those up to the newest event of that moment', () => {
  const until = Date.UTC(2026, 10, 22, 14, 3, 22, 123);
  const { bounded } = matchingUntil('ep_1', ' type:a OR type:b ', until);
  expect(bounded).toBe('(type:a OR type:b) received<=2026-11-22T14:03:22.123Z');
  expect(() => parseFilter(bounded)).not.toThrow();
  expect(matchingUntil('ep_1', '', until).bounded).toBe('received<=2026-11-22T14:03:22.123Z');
});

test('what is picked is named with its number', () => {
  const all = { ...matchingUntil('ep_1', 'type:a', 0), count: 1240 };
  expect(nameOf({ ids: ['a'] })).toBe('1 event');
  expect(nameOf({ all })).toBe('all 1,240 events that match');
  expect(nameOf({ all: { ...all, where: '', count: undefined } })).toBe('all events');
});
