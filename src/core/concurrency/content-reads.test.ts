import { describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { type ContentRead, type ContentReadsOptions, createContentReads, type Reader } from './content-reads.ts';
import { createMemoryReservations } from './memory-reservations.ts';

const open = (options: Partial<ContentReadsOptions> = {}) => {
  const memory = createMemoryReservations({
    maxPerAccount: 4,
    totalBytes: 100,
    maxWaitMs: 60_000,
    stalledReaderMs: 1000,
    monotonic: () => 0,
  });
  const reads = createContentReads({
    maxPerAccount: 2,
    maxPerTeam: 3,
    maxWaiting: 2,
    maxWaitMs: 60_000,
    memory,
    ...options,
  });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    reads,
    started,
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await settled();
    },
    /** A read that runs until the test ends it. */
    start: (name: string, reader: Reader | undefined, onStart: (read: ContentRead) => Promise<void> = async () => {}) =>
      reads.run(reader, async read => {
        started.push(name);
        await onStart(read);
        await new Promise<void>(resolve => ends.set(name, resolve));
        return name;
      }),
  };
};
const settled = () => new Promise(resolve => setImmediate(resolve));
const reader = (accountId: string, more: Partial<Reader> = {}): Reader => ({ accountId, teamId: 'team', ...more });

describe('reads', () => {
  test('run a few at a time for each account and for each team, the others in order of arrival', async () => {
    const { reads, start, started, end } = open();
    const all = ['a1', 'a2', 'a3'].map(name => start(name, reader('ada')));
    all.push(start('b1', reader('bob')), start('b2', reader('bob')));
    all.push(start('other', reader('eve', { teamId: 'other' })));
    await settled();
    expect([started, reads.running()]).toEqual([['a1', 'a2', 'b1', 'other'], 4]);
    await end('a1');
    expect(started.slice(4)).toEqual(['b2']);
    await end('b1');
    expect(started.slice(5)).toEqual(['a3']);
    for (const name of ['a2', 'a3', 'b2', 'other']) await end(name);
    await Promise.all(all);
    expect(reads.running()).toBe(0);
  });

  test('leave the line when their clients leave', async () => {
    const { start, started, end } = open();
    const gone = new AbortController();
    const all = [start('first', reader('ada')), start('second', reader('ada'))];
    const left = start('left', reader('ada', { signal: gone.signal }));
    all.push(start('last', reader('ada')));
    gone.abort(new Error('gone'));
    expect(await thrownBy(left)).toThrow('gone');
    for (const name of ['first', 'last', 'second']) await end(name);
    await Promise.all(all);
    expect(started).toEqual(['first', 'second', 'last']);
  });

  test('are refused when many wait, or after a wait, but live streams wait', async () => {
    const { reads, start, end } = open({ maxWaitMs: 1 });
    const refusal = { code: 'rate_limited', retryAfterSeconds: 5 };
    const running = [start('first', reader('ada')), start('second', reader('ada'))];
    const waiting = [start('third', reader('ada')), start('fourth', reader('ada'))];
    const refused = start('one too many', reader('ada'));
    const stream = start('stream', reader('ada', { isPatient: true }));
    const outcomes = await Promise.allSettled([refused, ...waiting]);
    expect(outcomes).toMatchObject([{ reason: refusal }, { reason: refusal }, { reason: refusal }]);
    expect(reads.running()).toBe(2);
    for (const name of ['first', 'second', 'stream']) await end(name);
    expect(await Promise.all([...running, stream])).toEqual(['first', 'second', 'stream']);
  });

  test('of background work run at once', async () => {
    const { start, end, reads } = open();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const all = names.map(name => start(name, undefined, read => read.hold(1000)));
    await settled();
    expect(reads.heldBytes()).toBe(0);
    for (const name of names) await end(name);
    expect(await Promise.all(all)).toEqual(names);
  });
});

describe('the memory of a read', () => {
  test('counts what it holds now, and is free again when it ends or fails', async () => {
    const { reads, start, end } = open();
    const counted: number[] = [];
    const one = start('one', reader('ada'), async read => {
      for (const bytes of [40, 30, 0, 20]) {
        await read.hold(bytes);
        counted.push(reads.heldBytes());
      }
    });
    await settled();
    expect(counted).toEqual([40, 30, 0, 20]);
    await end('one');
    await one;
    expect(reads.heldBytes()).toBe(0);
    const failing = reads.run(reader('ada'), async read => {
      await read.hold(10);
      throw new Error('damaged');
    });
    expect(await thrownBy(failing)).toThrow('damaged');
    expect([reads.heldBytes(), reads.running()]).toEqual([0, 0]);
  });

  test('is waited for, and never by two reads that wait for each other', async () => {
    const { reads } = open();
    let most = 0;
    const read = async (read: ContentRead) => {
      for (let i = 0; i < 20; i++) {
        await read.hold(30);
        most = Math.max(most, reads.heldBytes());
        await settled();
      }
    };
    await Promise.all(['ada', 'ada', 'bob'].map(id => reads.run(reader(id), read)));
    expect(most).toBeGreaterThan(30);
    expect(most).toBeLessThanOrEqual(100);
  });

  test('can be kept by a response, which releases it', async () => {
    const { reads } = open();
    const kept = await reads.run(reader('ada'), async read => {
      await read.hold(30);
      return read.keep();
    });
    expect([reads.heldBytes(), reads.running()]).toEqual([30, 0]);
    kept?.release();
    expect(reads.heldBytes()).toBe(0);
  });

  test('is not given to a read whose client has left', async () => {
    const { reads, start } = open();
    const gone = new AbortController();
    let held = 0;
    const one = start('one', reader('ada', { signal: gone.signal }), async read => {
      await read.hold(10);
      held++;
      gone.abort(new Error('gone'));
      await read.hold(10);
      held++;
    });
    expect(await thrownBy(one)).toThrow('gone');
    await eventually(() => reads.running() === 0);
    expect([held, reads.heldBytes()]).toEqual([1, 0]);
  });
});
