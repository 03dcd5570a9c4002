/* The order of deliveries and the position, in random sequences of arrivals, answers, skips and restarts. */
import { describe, expect, test } from 'bun:test';
import { createSettling, maxRetryMs, type Policy, retryDelayMs, type Settling, type Task } from './settle.ts';

const hold: Policy = { retries: 1, onFail: 'hold', concurrency: 1 };
const noChance = (): number => 1;

/** Reproducible: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const idsOf = (tasks: readonly Task<number>[]): number[] => tasks.map(({ entry }) => entry.event);
function filled(policy: Policy, count: number): Settling<number> {
  const settling = createSettling<number>(1, policy, noChance);
  for (let event = 0; event < count; event++) settling.add(event, `c${event}`, [0]);
  return settling;
}
function startOne(settling: Settling<number>, now: number): Task<number> {
  const [task, ...others] = settling.start(now);
  if (!task || others.length > 0) throw new Error(`${others.length} others`);
  return task;
}

describe('random sequences', () => {
  const policies: Policy[] = (['hold', 'skip'] as const).flatMap(onFail =>
    [1, 3].flatMap(concurrency => [0, 2].map(retries => ({ onFail, concurrency, retries }))),
  );
  test.each(policies)('%j: in order per map, the position is past nothing unsettled, all is delivered', policy => {
    for (let seed = 1; seed <= 40; seed++) runRandomly(policy, seed);
  });
});

/** Three maps, 120 events; the listener is killed at random and goes on at its position. */
function runRandomly(policy: Policy, seed: number): void {
  const random = createRandom(seed);
  const [lanes, total] = [3, 120];
  const wants = Array.from({ length: total }, () => [0, 1, 2].filter(() => random() < 0.5));
  const taken = Array.from({ length: lanes }, () => new Set<number>());
  const givenUp = Array.from({ length: lanes }, () => new Set<number>());
  const isSettled = (event: number): boolean =>
    (wants[event] ?? []).every(lane => taken[lane]?.has(event) || givenUp[lane]?.has(event));
  let saved = 0;
  let now = 0;

  for (let lives = 0; saved < total; lives++) {
    const settling = createSettling<number>(lanes, policy, random);
    const running: Task<number>[] = [];
    const lastFirst = Array.from({ length: lanes }, () => -1);
    let read = saved;
    // Fewer deaths later, so that it ends.
    const deadline = 60 + lives * 40;
    for (let step = 0; step < deadline && saved < total; step++) {
      now += Math.round(random() * maxRetryMs);
      for (let page = 0; page < 5 && read < total; page++, read++)
        settling.add(read, random() < 0.8 ? String(read + 1) : undefined, wants[read] ?? []);
      if (read > 0) settling.endPage(String(read));
      for (const task of settling.start(now)) {
        running.push(task);
        if (task.attempts === 1) {
          expect(task.entry.event).toBeGreaterThan(lastFirst[task.lane] as number);
          lastFirst[task.lane] = task.entry.event;
        }
      }
      const underWay = Map.groupBy(running, ({ lane }) => lane);
      for (const tasks of underWay.values()) expect(tasks.length).toBeLessThanOrEqual(policy.concurrency);
      for (const task of running.splice(0, 1 + Math.floor(random() * 3))) {
        const isTaken = random() < 0.7;
        if (isTaken) {
          taken[task.lane]?.add(task.entry.event);
          settling.succeed(task);
        } else if (settling.fail(task, now)?.next === 'skip') {
          givenUp[task.lane]?.add(task.entry.event);
          settling.giveUp(task);
        }
      }
      const before = saved;
      saved = Number(settling.position() ?? saved);
      for (let event = before; event < saved; event++)
        expect([seed, event, isSettled(event)]).toEqual([seed, event, true]);
      if (random() < 0.02) break;
    }
    expect(lives).toBeLessThan(200);
  }
  for (let event = 0; event < total; event++) expect(isSettled(event)).toBe(true);
}

describe('the position', () => {
  test('is undefined before anything is settled, and stays behind unsettled events', () => {
    const settling = filled({ ...hold, concurrency: 3 }, 3);
    const [first, second, third] = settling.start(0) as [Task<number>, Task<number>, Task<number>];
    expect([settling.succeed(third), settling.succeed(second), settling.position()]).toEqual([true, true, undefined]);
    expect(settling.unsettled()).toBe(1);
    settling.succeed(first);
    expect([settling.position(), settling.unsettled(), settling.size()]).toEqual(['c2', 0, 0]);
  });

  test('passes events that no map matches, and the end of a page', () => {
    const settling = createSettling<number>(2, hold, noChance);
    settling.add(0, 'a', []);
    expect(settling.position()).toBe('a');
    settling.add(1, undefined, [0, 1]);
    settling.endPage('z');
    const [left, right] = settling.start(0) as [Task<number>, Task<number>];
    expect([settling.succeed(left), settling.position()]).toEqual([false, 'a']);
    expect([settling.succeed(right), settling.position()]).toEqual([true, 'z']);
  });
});

describe('a failure', () => {
  test('is tried again later, then held; nothing overtakes it; success lets the others go on', () => {
    const settling = filled(hold, 2);
    const task = startOne(settling, 0);
    expect(settling.fail(task, 0)).toEqual({ next: 'retry', dueAt: 500 });
    expect([idsOf(settling.start(499)), settling.nextDueAt()]).toEqual([[], 500]);
    expect(idsOf(settling.start(500))).toEqual([0]);
    expect(settling.fail(task, 500)).toEqual({ next: 'hold', dueAt: 500 + maxRetryMs });
    expect(settling.laneStates()).toEqual([{ waiting: 1, isBlocked: true }]);
    expect(idsOf(settling.start(1000))).toEqual([]);
    expect(idsOf(settling.start(500 + maxRetryMs))).toEqual([0]);
    expect(settling.succeed(task)).toBe(true);
    expect(idsOf(settling.start(500 + maxRetryMs))).toEqual([1]);
  });

  test('holds only its own map', () => {
    const settling = createSettling<number>(2, { ...hold, retries: 0 }, noChance);
    for (const event of [0, 1]) settling.add(event, `c${event}`, [0, 1]);
    const [left, right] = settling.start(0) as [Task<number>, Task<number>];
    expect(settling.fail(left, 0)?.next).toBe('hold');
    settling.succeed(right);
    const next = settling.start(1);
    expect(next.map(({ lane, entry }) => [lane, entry.event])).toEqual([[1, 1]]);
    expect(settling.position()).toBeUndefined();
  });

  test('with concurrency takes one place until it is held', () => {
    const settling = filled({ ...hold, concurrency: 2 }, 5);
    const [first, second] = settling.start(0) as [Task<number>, Task<number>];
    settling.fail(first, 0);
    settling.succeed(second);
    expect(idsOf(settling.start(1))).toEqual([2]);
    expect(idsOf(settling.start(500))).toEqual([0]);
    expect(settling.fail(first, 500)?.next).toBe('hold');
    expect(idsOf(settling.start(501))).toEqual([]);
  });

  test('is to be given up with skip, and ends everything with stop', () => {
    const skipping = filled({ ...hold, retries: 0, onFail: 'skip' }, 2);
    const task = startOne(skipping, 0);
    expect(skipping.fail(task, 0)).toEqual({ next: 'skip' });
    expect([skipping.giveUp(task), skipping.position()]).toEqual([true, 'c0']);
    expect(idsOf(skipping.start(0))).toEqual([1]);

    const stopping = filled({ ...hold, retries: 0, onFail: 'stop' }, 2);
    expect(stopping.fail(startOne(stopping, 0), 0)).toEqual({ next: 'stop' });
    expect([stopping.start(1e9), stopping.position(), stopping.running(), stopping.nextDueAt()]).toEqual([
      [],
      undefined,
      0,
      undefined,
    ]);
  });

  test('of a delivery that was skipped by hand is ignored, and the event settles only once', () => {
    const settling = filled(hold, 2);
    const task = startOne(settling, 0);
    expect([settling.giveUp(task), settling.giveUp(task), settling.succeed(task)]).toEqual([true, false, false]);
    expect(settling.fail(task, 0)).toBeUndefined();
    expect([settling.unsettled(), settling.position()]).toEqual([1, 'c0']);
  });

  test('that is not the target’s does not count as a try', () => {
    const settling = filled({ ...hold, retries: 0, onFail: 'skip' }, 1);
    const task = startOne(settling, 0);
    settling.putBack(task, 100);
    expect([settling.start(99), startOne(settling, 100).attempts]).toEqual([[], 1]);
  });

  test('waits as long as the target asks, at most a minute, and doubles by itself', () => {
    for (const [asked, dueAt] of [
      [7000, 7000],
      [1e9, maxRetryMs],
    ] as const) {
      const settling = filled(hold, 1);
      expect(settling.fail(startOne(settling, 0), 0, asked)).toEqual({ next: 'retry', dueAt });
    }
    expect([1, 2, 3, 7, 8, 1e6].map(failures => retryDelayMs(failures, 1))).toEqual([
      500, 1000, 2000, 32_000, 60_000, 60_000,
    ]);
    expect(retryDelayMs(1, 0)).toBe(250);
  });
});

test('a task that waits can be given up before its turn', () => {
  const settling = filled(hold, 3);
  const entry = settling.find(event => event === 1);
  expect(settling.giveUp(entry?.tasks[0] as Task<number>)).toBe(true);
  settling.succeed(startOne(settling, 0));
  expect([settling.position(), idsOf(settling.start(0))]).toEqual(['c1', [2]]);
});

test('100,000 events pass in order', () => {
  const settling = filled({ ...hold, concurrency: 4 }, 100_000);
  const seen: number[] = [];
  for (let tasks = settling.start(0); tasks.length > 0; tasks = settling.start(0))
    for (const task of tasks) {
      seen.push(task.entry.event);
      settling.succeed(task);
    }
  expect([seen.length, seen.every((event, at) => event === at), settling.size()]).toEqual([100_000, true, 0]);
});
