import { describe, expect, test } from 'bun:test';
import { unauthorized } from '../../core/errors.ts';
import { holdClock } from '../../testing/clock.ts';
import { createFakeSource, type FakeSource, summaryOf } from '../../testing/tail-source.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createTail, type Tail } from './tail.ts';

const waitMs = 10_000;
const follow = (
  source: FakeSource,
  { position = 0, isShared = false, verify = async (): Promise<void> => {}, monotonic = (): number => 0 } = {},
) => createTail({ source, position, isShared, access: { verify, isDue: () => false }, monotonic });

const take = async (tail: Tail, count: number): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < count) {
    const next = await tail.next({ waitMs });
    if (next.kind === 'events') ids.push(...next.events.map(({ id }) => id));
  }
  return ids;
};
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `evt_${from + i}`);

describe('a tail', () => {
  test('gives out the history first, then new events, each once although some were notified twice', async () => {
    const source = createFakeSource();
    source.store(250);
    const tail = follow(source, { position: 20 });
    for (let seq = 240; seq <= 250; seq++) tail.recorded(seq);
    expect(await take(tail, 230)).toEqual(ids(21, 250));
    tail.recorded(source.store());
    expect(await take(tail, 1)).toEqual(['evt_251']);
    expect(tail.position()).toBe(251);
  });

  test('reads nothing for a reader that does not call, and misses nothing when it does', async () => {
    const source = createFakeSource();
    const tail = follow(source);
    for (let i = 0; i < 5000; i++) tail.recorded(source.store());
    expect(source.reads()).toBe(0);
    expect(await take(tail, 5000)).toEqual(ids(1, 5000));
  });

  test('loses no event when more arrive during a read than it holds row numbers of', async () => {
    const source = createFakeSource();
    source.store(10);
    const tail = follow(source);
    const first = tail.next({ waitMs });
    for (let i = 0; i < 1200; i++) tail.recorded(source.store());
    const next = await first;
    const head = next.kind === 'events' ? next.events.map(({ id }) => id) : [];
    expect([...head, ...(await take(tail, 1210 - head.length))]).toEqual(ids(1, 1210));
  });

  test('finds events of other processes when the hub calls look, and skips other endpoints', async () => {
    const source = createFakeSource(seq => seq % 2 === 0);
    const tail = follow(source);
    source.store(300);
    tail.look();
    expect(await take(tail, 150)).toEqual(ids(1, 299).filter((_, i) => i % 2 === 0));
  });

  test('gives out at most `limit` events, and the rest with the next call', async () => {
    const source = createFakeSource();
    source.store(5);
    const tail = follow(source);
    expect(await tail.next({ waitMs: 0, limit: 3 })).toMatchObject({ events: [1, 2, 3].map(summaryOf) });
    for (let i = 0; i < 3; i++) tail.recorded(source.store());
    expect(await take(tail, 5)).toEqual(ids(4, 8));
  });

  test('times out without events, and wakes at once when one is stored', async () => {
    const source = createFakeSource();
    expect(await follow(source).next({ waitMs: 1 })).toEqual({ kind: 'timeout' });
    expect(await follow(source).next({ waitMs: 0 })).toEqual({ kind: 'timeout' });
    const tail = follow(source);
    const waiting = take(tail, 1);
    await Promise.resolve();
    tail.recorded(source.store());
    expect(await waiting).toEqual(['evt_1']);
  });

  test('on a shared database looks once more before it times out', async () => {
    const source = createFakeSource();
    const tail = follow(source, { isShared: true });
    const waiting = tail.next({ waitMs: 1 });
    await Promise.resolve();
    source.store();
    expect(await waiting).toEqual({ kind: 'events', events: [summaryOf(1)] });
  });

  test('closed while it waits, it ends', async () => {
    const tail = follow(createFakeSource());
    const waiting = tail.next({ waitMs });
    tail.close();
    const end = { reason: 'closed' } as const;
    expect(await waiting).toEqual({ kind: 'ended', end });
    expect(await tail.next({ waitMs })).toEqual({ kind: 'ended', end });
    expect(await tail.ended).toEqual(end);
  });

  test('gives out no event, and ends, once access has ended', async () => {
    let isAllowed = true;
    const error = unauthorized();
    const verify = async (): Promise<void> => {
      if (!isAllowed) throw error;
    };
    const source = createFakeSource();
    const tail = follow(source, { verify });
    tail.recorded(source.store());
    expect(await take(tail, 1)).toEqual(['evt_1']);
    isAllowed = false;
    tail.recorded(source.store());
    expect(await tail.next({ waitMs })).toEqual({ kind: 'ended', end: { reason: 'access_ended', error } });
  });

  test('goes on when a recheck could not find out whether access has ended', async () => {
    let fails = true;
    const verify = async (): Promise<void> => {
      if (fails) throw new Error('the database does not answer');
    };
    const source = createFakeSource();
    const tail = follow(source, { verify });
    await tail.recheck();
    source.store();
    expect(await thrownBy(tail.next({ waitMs }))).toThrow('does not answer');
    fails = false;
    tail.recorded(source.store());
    expect(await take(tail, 1)).toEqual(['evt_2']);
  });

  test('knows how long its reader has not called', async () => {
    const { monotonic, advance } = holdClock();
    const source = createFakeSource();
    const tail = follow(source, { monotonic });
    advance(30_000);
    expect(tail.idleMs()).toBe(30_000);
    const waiting = tail.next({ waitMs });
    advance(30_000);
    expect(tail.idleMs()).toBe(0);
    tail.recorded(source.store());
    await waiting;
    expect(tail.idleMs()).toBe(0);
    advance(1000);
    expect(tail.idleMs()).toBe(1000);
  });
});

test('while recorded events cannot be read, none is skipped, and they come once they can', async () => {
  const source = createFakeSource();
  let isReadable = false;
  const tail = follow({ ...source, areAllStored: async () => isReadable });
  tail.recorded(1);
  expect(await tail.next({ waitMs: 0 })).toEqual({ kind: 'timeout' });
  expect(tail.position()).toBe(0);
  const next = tail.next({ waitMs: 60_000 });
  source.store();
  isReadable = true;
  tail.look();
  expect(await next).toEqual({ kind: 'events', events: [summaryOf(1)] });
});
