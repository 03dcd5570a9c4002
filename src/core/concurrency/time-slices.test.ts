import { describe, expect, test } from 'bun:test';
import { createAnswerSlices, createTimeSlices, type YieldIfDue } from './time-slices.ts';

/** A clock that only work moves; pauses are recorded and end at once. */
function holdTime() {
  let now = 0;
  const pauses: number[] = [];
  return {
    pauses,
    monotonic: () => now,
    wait: async (ms: number): Promise<void> => {
      pauses.push(ms);
    },
    work: (yieldIfDue: YieldIfDue, ms: number): Promise<void> | undefined => {
      now += ms;
      return yieldIfDue();
    },
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

test('work yields when its slice is over, and the next slice starts afterwards', async () => {
  const { monotonic, wait, work, pauses } = holdTime();
  const yieldIfDue = createTimeSlices({ monotonic, wait, sliceMs: 3 });
  expect(work(yieldIfDue, 2)).toBeUndefined();
  await work(yieldIfDue, 1);
  expect(work(yieldIfDue, 2)).toBeUndefined();
  expect(pauses).toEqual([0]);
});

describe('long answers', () => {
  function answersWhile(load: { isHigh: boolean }) {
    const time = holdTime();
    const { monotonic, wait } = time;
    return { ...time, createSlices: createAnswerSlices({ monotonic, wait, isCaptureHigh: () => load.isHigh }) };
  }

  test('pause six times as long as they worked while many deliveries arrive', async () => {
    const { createSlices, work, pauses } = answersWhile({ isHigh: true });
    const yieldIfDue = createSlices();
    expect(work(yieldIfDue, 1)).toBeUndefined();
    await work(yieldIfDue, 1);
    expect(pauses).toEqual([12]);
  });

  test('only yield while few deliveries arrive', async () => {
    const load = { isHigh: true };
    const { createSlices, work, pauses } = answersWhile(load);
    const yieldIfDue = createSlices();
    await work(yieldIfDue, 2);
    load.isHigh = false;
    await work(yieldIfDue, 2);
    expect(pauses).toEqual([12, 0]);
  });

  test('start the next slice when the pause is over', async () => {
    const { createSlices, work, pass } = answersWhile({ isHigh: true });
    const yieldIfDue = createSlices();
    const paused = work(yieldIfDue, 2);
    pass(12);
    await paused;
    expect(work(yieldIfDue, 1)).toBeUndefined();
  });

  test('do not pause for time that they waited for the database or a slow client', async () => {
    const { createSlices, work, pauses } = answersWhile({ isHigh: true });
    await work(createSlices(), 60_000);
    expect(pauses).toEqual([18]);
  });

  test('share the time that is left to them', async () => {
    const { createSlices, work, pauses } = answersWhile({ isHigh: true });
    const [one, other] = [createSlices(), createSlices()];
    await Promise.all([work(one, 2), work(other, 0)]);
    expect(pauses).toEqual([12, 24]);
  });
});
