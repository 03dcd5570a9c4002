import { describe, expect, test } from 'bun:test';
import { holdClock } from '../../testing/clock.ts';
import { createPaceControl, type Pace, readPace } from './pace.ts';

/** Sends `count` requests of which `answer` says what comes back, and returns when each was started, in ms. */
function simulate(
  pace: Pace,
  count: number,
  options: {
    answer?: (sent: number[]) => 'ok' | 'failed' | 'refused';
    receivedAt?: (n: number) => number;
    lateMs?: (n: number) => number;
    answerMs?: number;
  } = {},
): number[] {
  const clock = holdClock();
  const begin = clock.monotonic();
  const control = createPaceControl(pace, clock.monotonic);
  const sent: number[] = [];
  for (let n = 0; n < count; n++) {
    const receivedAt = options.receivedAt?.(n);
    for (let wait = control.startInMs(receivedAt); wait > 0; wait = control.startInMs(receivedAt)) clock.advance(wait);
    clock.advance(options.lateMs?.(n) ?? 0);
    const started = control.started(receivedAt);
    sent.push(clock.monotonic() - begin);
    clock.advance(options.answerMs ?? 1);
    control.ended();
    control.answered(options.answer?.(sent) ?? 'ok', started);
  }
  return sent;
}

/** Refuses what is more than `limit` in any second, counting all requests, or only those that it accepted. */
const limited = (limit: number, counts: 'all' | 'accepted') => {
  const accepted: number[] = [];
  return (sent: number[]): 'ok' | 'refused' => {
    const now = sent.at(-1) ?? 0;
    const before = (counts === 'all' ? sent.slice(0, -1) : accepted).filter(at => now - at < 1000).length;
    if (before >= limit) return 'refused';
    accepted.push(now);
    return 'ok';
  };
};

describe('the pace', () => {
  test.each([[1], [5], [37.5], [400]])('of %d/s is kept within 2 %%, although timers are late', perSecond => {
    const sent = simulate({ kind: 'rate', perSecond }, 1000, { lateMs: n => (n % 3) * 0.4 });
    const took = (sent.at(-1) ?? 0) - (sent[0] ?? 0);
    expect(took / ((999 * 1000) / perSecond)).toBeWithin(0.98, 1.02);
  });

  test('of the original keeps the distances, divided', () => {
    const times = [0, 500, 500, 2000, 60_000, 60_100];
    const sent = simulate({ kind: 'original', factor: 10 }, times.length, { receivedAt: n => 1e12 + (times[n] ?? 0) });
    expect(sent.map(at => Math.round(at - (sent[0] ?? 0)))).toEqual([0, 50, 51, 200, 6000, 6010]);
  });

  test('without one is at once', () => {
    expect(simulate({ kind: 'unlimited' }, 100).at(-1)).toBe(99);
  });

  test('after a long pause does not make up for it', () => {
    const sent = simulate({ kind: 'rate', perSecond: 10 }, 200, { lateMs: n => (n === 50 ? 60_000 : 0) });
    expect((sent[199] ?? 0) - (sent[50] ?? 0)).toBeGreaterThan(14_800);
  });
});

describe('a job that fell behind, since the process was busy', () => {
  /** It stalls for so long at the 200th of 1000 requests. @returns the starts from the stall on, in ms since the first */
  const afterStall = (perSecond: number, stallMs: number): number[] => {
    const sent = simulate({ kind: 'rate', perSecond }, 1000, { lateMs: n => (n === 200 ? stallMs : 0), answerMs: 0 });
    return sent.slice(200).map(at => at - (sent[0] ?? 0));
  };

  test.each([[20], [100], [500]])('is back on the schedule of %d/s', perSecond => {
    expect((afterStall(perSecond, 200).at(-1) ?? 0) / ((999 * 1000) / perSecond)).toBeCloseTo(1, 2);
  });

  test.each([
    [5, 2000],
    [100, 4000],
    [500, 1000],
  ])(
    'of %d/s by %d ms is at most a fifth faster meanwhile, and never sends more at once than 20 ms allow',
    (perSecond, stallMs) => {
      const sent = afterStall(perSecond, stallMs);
      const fastest = 1000 / perSecond / 1.2;
      const aheadMs = sent.flatMap((at, i) =>
        sent.slice(i + 1, i + 100).map((other, more) => (more + 1) * fastest - (other - at)),
      );
      expect(Math.max(...aheadMs)).toBeLessThanOrEqual(20.001);
    },
  );

  test('does not make up for it while the destination is spared', () => {
    const clock = holdClock();
    const control = createPaceControl({ kind: 'rate', perSecond: 10 }, clock.monotonic);
    for (let n = 0; n < 5; n++) {
      clock.advance(control.startInMs(undefined));
      const started = control.started(undefined);
      control.ended();
      control.answered('failed', started);
    }
    clock.advance(3000);
    control.started(undefined);
    expect(control.startInMs(undefined)).toBeCloseTo(200);
  });
});

/**
 * Several requests at once; either process stands still now and then, for up to 2 s.
 * @returns when the requests arrived, in ms since the first
 */
function simulateStalls(pace: Pace, counts: 'all' | 'accepted', seed: number): number[] {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const clock = holdClock();
  const begin = clock.monotonic();
  const control = createPaceControl(pace, clock.monotonic);
  const answer = limited(5, counts);
  const arrived: number[] = [];
  let [onWay, onWayBack]: [number[], [result: 'ok' | 'refused', startedMs: number][]] = [[], []];
  const stalledUntil = { sender: 0, destination: 0 };
  for (let ms = 0; ms < 240_000; ms++) {
    clock.advance(1);
    for (const side of ['sender', 'destination'] as const)
      if (ms > 2000 && ms > stalledUntil[side] && random() < 1 / 3000) stalledUntil[side] = ms + random() * 2000;
    if (ms > stalledUntil.destination) {
      for (const startedMs of onWay) {
        arrived.push(clock.monotonic() - begin);
        onWayBack.push([answer(arrived), startedMs]);
      }
      onWay = [];
    }
    if (ms <= stalledUntil.sender) continue;
    for (const [result, startedMs] of onWayBack) {
      control.ended();
      control.answered(result, startedMs);
    }
    onWayBack = [];
    while (onWay.length < 8 && control.startInMs(1e12) === 0) onWay.push(control.started(1e12));
  }
  return arrived.map(at => at - (arrived[0] ?? 0));
}

describe('a destination that refuses', () => {
  test.each([
    [{ kind: 'unlimited' }, 'all'],
    [{ kind: 'unlimited' }, 'accepted'],
    [{ kind: 'rate', perSecond: 100 }, 'all'],
    [{ kind: 'rate', perSecond: 20 }, 'accepted'],
    [{ kind: 'original', factor: 1 }, 'all'],
  ] as const)('above 5/s sees no more than 6 even if processes stall: %j, counting %s', (pace, counts) => {
    for (let seed = 1; seed <= 5; seed++) {
      const late = simulateStalls(pace, counts, seed).filter(at => at > 3000);
      expect(late.length).toBeGreaterThan(200);
      let first = 0;
      let most = 0;
      for (const [i, at] of late.entries()) {
        while ((late[first] ?? 0) <= at - 1000) first++;
        most = Math.max(most, i - first + 1);
      }
      expect(most).toBeLessThanOrEqual(6);
    }
  });

  test.each([
    [{ kind: 'unlimited' }, 'all'],
    [{ kind: 'unlimited' }, 'accepted'],
    [{ kind: 'rate', perSecond: 100 }, 'all'],
    [{ kind: 'rate', perSecond: 20 }, 'accepted'],
    [{ kind: 'rate', perSecond: 7 }, 'accepted'],
    [{ kind: 'original', factor: 1 }, 'all'],
  ] as const)('above 5/s sees no more than 6 in a second after 3 s: %j, counting %s', (pace, counts) => {
    const sent = simulate(pace, 400, { answer: limited(5, counts), receivedAt: () => 1e12 });
    const late = sent.filter(at => at > 3000);
    expect(late.length).toBeGreaterThan(100);
    const most = Math.max(...late.map(at => late.filter(other => other > at - 1000 && other <= at).length));
    expect(most).toBeLessThanOrEqual(6);
  });

  test('is sent to at half the pace after five failures in a row, and at the whole after 50 good answers', () => {
    const clock = holdClock();
    const control = createPaceControl({ kind: 'rate', perSecond: 10 }, clock.monotonic);
    const answer = (result: 'ok' | 'failed', times: number) => {
      for (let n = 0; n < times; n++) {
        clock.advance(control.startInMs(undefined));
        const started = control.started(undefined);
        control.ended();
        control.answered(result, started);
      }
    };
    answer('failed', 4);
    answer('ok', 1);
    expect(control.slowdown()).toBe(1);
    answer('failed', 5);
    expect(control.slowdown()).toBe(2);
    answer('failed', 5);
    expect(control.slowdown()).toBe(4);
    answer('ok', 49);
    expect(control.slowdown()).toBe(4);
    answer('ok', 1);
    expect(control.slowdown()).toBe(2);
    answer('failed', 1);
    expect(control.slowdown()).toBe(4);
    answer('ok', 100);
    expect(control.slowdown()).toBe(1);
  });

  test('slows it once for what was under way together', () => {
    const clock = holdClock();
    const control = createPaceControl({ kind: 'unlimited' }, clock.monotonic);
    const started = Array.from({ length: 32 }, () => control.started(undefined));
    clock.advance(10);
    for (const at of started) control.answered('failed', at);
    expect(control.slowdown()).toBe(2);
  });
});

test.each([
  [undefined, { kind: 'unlimited' }],
  ['5/s', { kind: 'rate', perSecond: 5 }],
  ['0.5/s', { kind: 'rate', perSecond: 0.5 }],
  ['original', { kind: 'original', factor: 1 }],
  ['original*10', { kind: 'original', factor: 10 }],
] as const)('%p is read', (text, pace) => {
  expect(readPace(text)).toEqual(pace);
});

test.each(['5', '0/s', '-1/s', '1e3/s', 'original*0', 'original*', 'fast', '99999/s'])('%p is refused', text => {
  expect(() => readPace(text)).toThrow('pace');
});
