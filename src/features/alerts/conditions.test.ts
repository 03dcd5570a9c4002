/* When an alert fires and is resolved, on a clock that the test turns. */
import { describe, expect, test } from 'bun:test';
import { type Condition, changeOf, check, newState, nextCheckAt, type Seen } from './conditions.ts';

const nothing: Seen = { matching: 0, changes: 0, items: [], stuckMs: 0, isPaused: false };
const minute = 60_000;

function follow(condition: Condition) {
  let [state, firing, now] = [newState(0), false, 0];
  return (elapsedMs: number, seen: Partial<Seen> = {}, isWaiting = false) => {
    now += elapsedMs;
    const found = check(condition, { state, firing, isWaiting }, { ...nothing, ...seen }, now);
    ({ state, firing } = found);
    return found.notice && { type: found.notice.type, held: found.notice.held, count: found.notice.count };
  };
}
const fired = (held = 0, count: number | null = null) => ({ type: 'alert.fired' as const, held, count });
const resolved = (held = 0, count: number | null = null) => ({ type: 'alert.resolved' as const, held, count });

describe('silence', () => {
  const silence: Condition = { kind: 'silence', minutes: 5, count: null };

  test('fires once after its time, and is resolved once by an event', () => {
    const at = follow(silence);
    expect(at(5 * minute - 1)).toBeUndefined();
    expect(at(1)).toEqual(fired());
    expect(at(10 * minute)).toBeUndefined();
    expect(at(minute, { matching: 3 })).toEqual(resolved());
    expect(at(minute, { matching: 1 })).toBeUndefined();
    expect(at(5 * minute)).toEqual(fired());
  });

  test('an event begins the time anew', () => {
    const at = follow(silence);
    expect([at(4 * minute), at(1, { matching: 1 }), at(4 * minute), at(minute - 1)]).toEqual(Array(4).fill(undefined));
    expect(at(1)).toEqual(fired());
  });

  test('while the endpoint is paused no time passes', () => {
    const at = follow(silence);
    expect(at(4 * minute)).toBeUndefined();
    expect(at(0, { isPaused: true })).toBeUndefined();
    expect(at(10 * minute, { isPaused: true })).toBeUndefined();
    expect(at(0)).toBeUndefined();
    expect(at(minute - 1)).toBeUndefined();
    expect(at(1)).toEqual(fired());
  });
});

describe('bad_signatures', () => {
  const bad: Condition = { kind: 'bad_signatures', minutes: 5, count: 3 };

  test('fires when enough come within the time, and is resolved when they have passed', () => {
    const at = follow(bad);
    expect([at(minute, { matching: 1 }), at(minute, { matching: 1 })]).toEqual([undefined, undefined]);
    expect(at(minute, { matching: 1 })).toEqual(fired(0, 3));
    expect(at(minute)).toBeUndefined();
    expect(at(2 * minute)).toEqual(resolved(0, 2));
    expect(at(5 * minute)).toBeUndefined();
  });

  test('does not fire when they come slowly', () => {
    const at = follow(bad);
    for (let i = 0; i < 20; i++) expect(at(2.5 * minute + 1, { matching: 1 })).toBeUndefined();
  });

  test('a million at once are one notification', () => {
    const at = follow(bad);
    expect(at(1000, { matching: 1_000_000 })).toEqual(fired(0, 3));
    for (let i = 0; i < 100; i++) expect(at(1000, { matching: 1_000_000 })).toBeUndefined();
  });
});

test('changes to and fro within a minute are counted, and not sent', () => {
  const at = follow({ kind: 'forward_stuck', minutes: 1, count: null });
  const stuck = { stuckMs: minute };
  expect(at(1000, stuck)).toEqual(fired());
  const edges = Array.from({ length: 10 }, (_, n) => at(5000, n % 2 ? stuck : {}));
  expect(edges).toEqual(Array(10).fill(undefined));
  // After the minute the state is the one that was reported last, so nothing is sent.
  expect(at(10_000, stuck)).toBeUndefined();
  expect(at(1000)).toEqual(resolved(10));
  expect(at(minute)).toBeUndefined();
});

test('each change is one for agents, whether or not a notification reports it', () => {
  const condition: Condition = { kind: 'forward_stuck', minutes: 1, count: null };
  let [state, firing] = [newState(0), false];
  const at = (now: number, stuckMs: number) => {
    const [before, seen] = [state, { ...nothing, stuckMs }];
    ({ state, firing } = check(condition, { state, firing, isWaiting: true }, seen, now));
    return changeOf(condition, before, state, seen)?.firing;
  };
  expect([at(0, 0), at(1, minute), at(2, minute + 1), at(3, 0), at(4, minute)]).toEqual([
    undefined,
    true,
    undefined,
    false,
    true,
  ]);
  const report: Condition = { kind: 'new_type', minutes: null, count: null };
  const found = (changes: number) =>
    changeOf(report, newState(0), newState(0), { ...nothing, changes, items: Array(changes).fill('a') });
  expect(found(0)).toBeUndefined();
  expect(found(12)).toMatchObject({ firing: true, reason: '12 new event types', count: 12 });
  expect(found(12)?.items).toHaveLength(10);
});

test('changes while a notification waits are counted, and the next one has the present state', () => {
  const at = follow({ kind: 'forward_stuck', minutes: 1, count: null });
  const stuck = { stuckMs: minute };
  expect(at(1000, stuck)).toEqual(fired());
  for (let i = 0; i < 100; i++) expect(at(5 * minute, i % 2 ? stuck : {}, true)).toBeUndefined();
  expect(at(5000, stuck)).toBeUndefined();
  expect(at(5000, {}, true)).toBeUndefined();
  expect(at(5000)).toEqual(resolved(100));
});

describe.each(['new_type', 'schema_change'] as const)('%s', kind => {
  test('reports at once, then at most once a minute, with the number of changes since', () => {
    const at = follow({ kind, minutes: null, count: null });
    expect(at(1000)).toBeUndefined();
    expect(at(1000, { changes: 2, items: ['a', 'b'] })).toEqual(fired(0, 2));
    for (let i = 0; i < 11; i++) expect(at(5000, { changes: 10, items: ['c'] })).toBeUndefined();
    expect(at(5000)).toEqual(fired(0, 110));
    expect(at(10 * minute)).toBeUndefined();
  });

  test('reports what changed while a notification waited in one', () => {
    const at = follow({ kind, minutes: null, count: null });
    expect(at(1000, { changes: 1, items: ['a'] })).toEqual(fired(0, 1));
    for (let i = 0; i < 11; i++) expect(at(5 * minute, { changes: 10, items: ['c'] }, true)).toBeUndefined();
    expect(at(5000)).toEqual(fired(0, 110));
  });
});

test('a flood of changes keeps the first ten in words', () => {
  const first = check(
    { kind: 'new_type', minutes: null, count: null },
    { state: newState(0), firing: false, isWaiting: false },
    { ...nothing, changes: 500, items: Array.from({ length: 500 }, (_, n) => `type ${n}`) },
    1,
  );
  expect(first.notice).toMatchObject({ count: 500, reason: '500 new event types' });
  expect(first.notice?.items).toHaveLength(10);
});

describe('without anything that wakes it, an alert is checked again', () => {
  const next = (condition: Condition, more: { isFiring?: boolean; isPaused?: boolean; stuckMs?: number } = {}) => {
    const { isFiring = false, isPaused = false, stuckMs = 0 } = more;
    const bad = isFiring ? [minute, 2 * minute] : [];
    const state = { ...newState(minute), bad, isFiring };
    const seen = { ...nothing, isPaused, stuckMs };
    return nextCheckAt(condition, { state, firing: isFiring, isWaiting: false }, seen, 2 * minute);
  };
  const silence: Condition = { kind: 'silence', minutes: 5, count: null };
  const bad: Condition = { kind: 'bad_signatures', minutes: 5, count: 2 };
  const stuck: Condition = { kind: 'forward_stuck', minutes: 5, count: null };

  test('about silence when it has lasted, but not while it fires or the endpoint is paused', () => {
    expect(next(silence)).toBe(6 * minute);
    expect([next(silence, { isFiring: true }), next(silence, { isPaused: true })]).toEqual([null, null]);
  });
  test('about signatures when the oldest bad one no longer counts', () => {
    expect([next(bad), next(bad, { isFiring: true })]).toEqual([null, 6 * minute]);
  });
  test('about a forward only while it fails: when it has failed for long enough, and at least every minute', () => {
    expect([next(stuck), next(stuck, { isFiring: true, stuckMs: 6 * minute })]).toEqual([null, null]);
    expect(next(stuck, { stuckMs: 5 * minute - 10_000 })).toBe(2 * minute + 10_000);
    expect(next(stuck, { stuckMs: 10_000 })).toBe(3 * minute);
  });
  test('never about new types and schema changes', () => {
    expect([next({ ...bad, kind: 'new_type' }), next({ ...bad, kind: 'schema_change' })]).toEqual([null, null]);
  });
  test('a minute after its last notification if it has something to report, and 10 minutes later if one is queued', () => {
    const state = { ...newState(0), pending: 1, notifiedAt: 90_000 };
    const at = (isWaiting: boolean) =>
      nextCheckAt({ ...bad, kind: 'new_type' }, { state, firing: false, isWaiting }, nothing, 100_000);
    // A notification that is dropped while it waits wakes nothing.
    expect([at(false), at(true)]).toEqual([150_000, 700_000]);
    const ended = { ...newState(0), notifiedAt: 90_000 };
    expect(nextCheckAt(stuck, { state: ended, firing: true, isWaiting: false }, nothing, 100_000)).toBe(150_000);
  });
});
