import { describe, expect, test } from 'bun:test';
import { eventually } from '../../testing/poll.ts';
import { thrownBy } from '../../testing/thrown-by.ts';
import { createMemoryReservations, type MemoryReservation } from './memory-reservations.ts';

const open = (options: { maxPerAccount?: number; maxWaitMs?: number } = {}) => {
  let now = 0;
  const reservations = createMemoryReservations({
    maxPerAccount: 2,
    totalBytes: 100,
    maxWaitMs: 60_000,
    stalledReaderMs: 1000,
    monotonic: () => now,
    ...options,
  });
  const got: string[] = [];
  return {
    reservations,
    got,
    pass: (ms: number): void => {
      now += ms;
    },
    ask: (name: string, accountId: string, bytes: number): Promise<MemoryReservation> =>
      reservations.reserve({ accountId }, bytes).then(reservation => {
        got.push(name);
        return reservation;
      }),
  };
};
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('a reservation', () => {
  test('waits while its account has all of its own, and other accounts go first', async () => {
    const { ask, got, reservations } = open();
    const first = await ask('first', 'ada', 10);
    await ask('second', 'ada', 10);
    void ask('third', 'ada', 10);
    await ask('other', 'bob', 10);
    await settled();
    expect([got, reservations.heldBytes()]).toEqual([['first', 'second', 'other'], 30]);
    first.release();
    first.release();
    await settled();
    expect([got.at(-1), reservations.heldBytes()]).toEqual(['third', 30]);
  });

  test('waits while its account holds more bytes than stay free, so that other accounts get theirs', async () => {
    const { ask, got, reservations } = open({ maxPerAccount: 4 });
    const first = await ask('first', 'ada', 30);
    await ask('small', 'ada', 20);
    void ask('one more', 'ada', 10);
    await ask('other', 'bob', 35);
    await settled();
    expect([got, reservations.heldBytes()]).toEqual([['first', 'small', 'other'], 85]);
    first.release();
    await settled();
    expect(got.at(-1)).toBe('one more');
  });

  test('waits for memory in order of arrival, so that small requests do not starve a large one', async () => {
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

  test('of more than the total is granted when it is the only one', async () => {
    const { ask, got, reservations } = open();
    const huge = await ask('huge', 'ada', 1000);
    void ask('small', 'bob', 1);
    await settled();
    expect(got).toEqual(['huge']);
    huge.release();
    await settled();
    expect([got, reservations.heldBytes()]).toEqual([['huge', 'small'], 1]);
  });

  test('is refused after a while, with the reason: the share of its account, or memory', async () => {
    const { reservations } = open({ maxPerAccount: 1, maxWaitMs: 1 });
    await reservations.reserve({ accountId: 'ada' }, 90);
    expect(await thrownBy(reservations.reserve({ accountId: 'ada' }, 5))).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        retryAfterSeconds: 5,
      }),
    );
    expect(await thrownBy(reservations.reserve({ accountId: 'bob' }, 20))).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        retryAfterSeconds: 5,
      }),
    );
    expect(reservations.heldBytes()).toBe(90);
  });

  test('is given up when the client leaves', async () => {
    const { reservations, ask } = open({ maxPerAccount: 1 });
    const first = await ask('first', 'ada', 90);
    const gone = new AbortController();
    const waiting = reservations.reserve({ accountId: 'ada', signal: gone.signal }, 10);
    gone.abort(new Error('gone'));
    expect(await thrownBy(waiting)).toThrow('gone');
    expect(await thrownBy(reservations.reserve({ accountId: 'ada', signal: gone.signal }, 10))).toThrow('gone');
    first.release();
    expect(reservations.heldBytes()).toBe(0);
  });
});

describe('a client that reads nothing', () => {
  test('loses its reservation only while another request waits', async () => {
    const { ask, got, pass } = open();
    const stopped: string[] = [];
    for (const name of ['first', 'second']) {
      const reservation = await ask(name, 'ada', 10);
      reservation.offered(() => {
        stopped.push(name);
        reservation.release();
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

  test('is not one that has just read a chunk, or whose next chunk is being made', async () => {
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
