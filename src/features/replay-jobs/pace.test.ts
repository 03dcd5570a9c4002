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
    clock.advance(1);
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

describe('a destination that refuses', () => {
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
        control.answered(result, control.started(undefined));
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
