import { describe, expect, test } from 'bun:test';
import { eventually } from '../testing/poll.ts';
import { createMemorySlots, type MemorySlot } from './memory-slots.ts';

const open = (options: { perHolder?: number; patienceMs?: number } = {}) => {
  let now = 0;
  const slots = createMemorySlots({
    perHolder: 2,
    totalBytes: 100,
    patienceMs: 60_000,
    stalledMs: 1000,
    monotonic: () => now,
    ...options,
  });
  const got: string[] = [];
  return {
    slots,
    got,
    pass: (ms: number): void => {
      now += ms;
    },
    ask: (name: string, holder: string, bytes: number): Promise<MemorySlot> =>
      slots.take(holder, bytes).then(slot => {
        got.push(name);
        return slot;
      }),
  };
};
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('a slot', () => {
  test('beyond the share of its account is waited for, and others go first', async () => {
    const { ask, got, slots } = open();
    const first = await ask('first', 'ada', 10);
    await ask('second', 'ada', 10);
    void ask('third', 'ada', 10);
    await ask('other', 'bob', 10);
    await settled();
    expect([got, slots.heldBytes()]).toEqual([['first', 'second', 'other'], 30]);
    first.release();
    first.release();
    await settled();
    expect([got.at(-1), slots.heldBytes()]).toEqual(['third', 30]);
  });

  test('is given to an account that has some while it leaves as many bytes free as it holds, so that others get theirs', async () => {
    const { ask, got, slots } = open({ perHolder: 4 });
    const first = await ask('first', 'ada', 30);
    await ask('small', 'ada', 20);
    void ask('one more', 'ada', 10);
    await ask('other', 'bob', 35);
    await settled();
    expect([got, slots.heldBytes()]).toEqual([['first', 'small', 'other'], 85]);
    first.release();
    await settled();
    expect(got.at(-1)).toBe('one more');
  });

  test('of bytes that are not there is waited for in turn, so that small ones do not keep out a large one', async () => {
    const { ask, got } = open();
    const first = await ask('first', 'ada', 60);
    void ask('large', 'bob', 80);
    void ask('small', 'cid', 10);
    await settled();
    expect(got).toEqual(['first']);
    first.release();
    await settled();
    expect(got).toEqual(['first', 'large', 'small']);
  });

  test('for more than there is in all is given to one alone', async () => {
    const { ask, got, slots } = open();
    const huge = await ask('huge', 'ada', 1000);
    void ask('small', 'bob', 1);
    await settled();
    expect(got).toEqual(['huge']);
    huge.release();
    await settled();
    expect([got, slots.heldBytes()]).toEqual([['huge', 'small'], 1]);
  });

  test('is refused after a while: to its own account, or because there is no memory', async () => {
    const { slots } = open({ perHolder: 1, patienceMs: 1 });
    await slots.take('ada', 90);
    await expect(slots.take('ada', 5)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 5 });
    await expect(slots.take('bob', 20)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 });
    expect(slots.heldBytes()).toBe(90);
  });

  test('is not waited for any more once the client has gone', async () => {
    const { slots, ask } = open({ perHolder: 1 });
    const first = await ask('first', 'ada', 90);
    const gone = new AbortController();
    const waiting = slots.take('ada', 10, gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(slots.take('ada', 10, gone.signal)).rejects.toThrow('gone');
    first.release();
    expect(slots.heldBytes()).toBe(0);
  });
});

describe('a reader that takes nothing', () => {
  test('loses its slot to one that waits, and keeps it otherwise', async () => {
    const { ask, got, pass } = open();
    const stopped: string[] = [];
    for (const name of ['first', 'second']) {
      const slot = await ask(name, 'ada', 10);
      slot.offered(() => {
        stopped.push(name);
        slot.release();
      });
      pass(500);
    }
    pass(60_000);
    await settled();
    expect(stopped).toEqual([]);
    void ask('third', 'ada', 10);
    await eventually(() => got.includes('third'));
    expect(stopped).toEqual(['first']);
  });

  test('is not one that has just taken something, or whose answer is still being made', async () => {
    const { ask, got, pass } = open();
    const [making, reading] = [await ask('making', 'ada', 50), await ask('reading', 'bob', 50)];
    const stopped: string[] = [];
    making.offered(() => stopped.push('making'));
    making.taken();
    pass(60_000);
    reading.offered(() => {
      stopped.push('reading');
      reading.release();
    });
    void ask('third', 'cid', 10);
    pass(999);
    await settled();
    expect([stopped, got.length]).toEqual([[], 2]);
    pass(1);
    await eventually(() => got.includes('third'));
    expect(stopped).toEqual(['reading']);
    making.release();
  });
});
