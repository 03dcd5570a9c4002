import { describe, expect, test } from 'bun:test';
import { createStreamPace, type Turn } from './stream-pace.ts';

/** Exports on a clock that only their own work and rests move; a rest ends when the clock reaches its end. */
function onHeldClock() {
  let now = 0;
  let high = true;
  const rests: number[] = [];
  const turns = createStreamPace({
    monotonic: () => now,
    isCaptureHigh: () => high,
    rest: async ms => {
      rests.push(ms);
    },
  });
  return {
    turns,
    rests,
    work: (turn: Turn, ms: number): Promise<void> | undefined => {
      now += ms;
      return turn();
    },
    pass: (ms: number): void => {
      now += ms;
    },
    calm: (): void => {
      high = false;
    },
  };
}

describe('the pace of an export', () => {
  test('works on within a bite, and then rests for six times as long', async () => {
    const { turns, work, rests } = onHeldClock();
    const turn = turns();
    expect(work(turn, 1)).toBeUndefined();
    await work(turn, 1);
    expect(rests).toEqual([12]);
  });

  test('while little is captured it only lets others have their turn', async () => {
    const { turns, work, rests, calm } = onHeldClock();
    const turn = turns();
    await work(turn, 2);
    calm();
    await work(turn, 2);
    expect(rests).toEqual([12, 0]);
  });

  test('the next bite begins when the rest is over', async () => {
    const { turns, work, pass } = onHeldClock();
    const turn = turns();
    const resting = work(turn, 2);
    pass(12);
    await resting;
    expect(work(turn, 1)).toBeUndefined();
  });

  test('waiting for a page or a slow client is not work', async () => {
    const { turns, work, rests } = onHeldClock();
    await work(turns(), 60_000);
    expect(rests).toEqual([18]);
  });

  test('several share what one may have', async () => {
    const { turns, work, rests } = onHeldClock();
    const [one, other] = [turns(), turns()];
    const first = work(one, 2);
    const second = work(other, 0);
    await Promise.all([first, second]);
    expect(rests).toEqual([12, 24]);
  });
});
