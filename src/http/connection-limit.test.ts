import { describe, expect, test } from 'bun:test';
import { type ConnectionLimitOptions, createConnectionLimit } from './connection-limit.ts';

function open(options: Partial<ConnectionLimitOptions> = {}) {
  let now = 0;
  const told: unknown[] = [];
  const closed: string[] = [];
  const limit = createConnectionLimit(
    {
      total: 3,
      perNetwork: 3,
      isShared: () => false,
      onReached: reached => told.push(reached),
      onLeft: counts => told.push(counts),
      ...options,
    },
    () => now,
  );
  return {
    limit,
    told,
    closed,
    pass: (ms: number): void => {
      now += ms;
    },
    /** A connection with a name, doing this. */
    take: (name: string, phase = 'answer', peer = '192.0.2.1') => {
      const place = limit.take(peer, () => closed.push(name));
      place?.enter(phase);
      return place?.isGuest ? undefined : place;
    },
  };
}

describe('at the limit', () => {
  test('the connection that has been idle for longest gives way', () => {
    const { take, closed, pass } = open();
    const first = take('first', 'idle');
    take('second', 'idle');
    pass(10);
    first?.enter('answer');
    first?.enter('idle');
    take('third', 'idle');
    take('fourth', 'idle');
    take('fifth', 'idle');
    expect(closed).toEqual(['second', 'first']);
  });

  test('those that wait for a request, or for a body that does not end, only after a while, and none that is being answered', () => {
    const { take, closed, pass } = open();
    take('head', 'head');
    take('body', 'body');
    take('answer', 'answer');
    expect(take('too early')).toBeUndefined();
    pass(1000);
    expect(take('after the head')).toBeDefined();
    expect(take('before the body')).toBeUndefined();
    pass(9000);
    expect(take('after the body')).toBeDefined();
    pass(3_600_000);
    expect(take('never')).toBeUndefined();
    expect(closed).toEqual(['head', 'body']);
  });

  test('one whose answer is not taken gives way after a while, before bodies do', () => {
    const { take, closed, pass } = open();
    take('body', 'body');
    take('untaken', 'flush');
    take('answer', 'answer');
    pass(9999);
    expect(take('too early')).toBeUndefined();
    pass(1);
    expect(take('after it')).toBeDefined();
    expect(closed).toEqual(['untaken']);
  });

  test('a few more are guests, who give way to each other by the same rules', () => {
    const { limit, take, closed, pass } = open({ total: 1 });
    take('only');
    const guests = Array.from({ length: 8 }, (_, i) => limit.take('192.0.2.1', () => closed.push(`guest ${i}`)));
    expect(guests.every(guest => guest?.isGuest)).toBe(true);
    expect(limit.take('192.0.2.1', () => {})).toBeUndefined();
    for (const guest of guests) guest?.enter('answer');
    guests[3]?.enter('body');
    guests[4]?.enter('head');
    pass(1000);
    expect(limit.take('192.0.2.1', () => {})?.isGuest).toBe(true);
    guests[0]?.leave();
    expect(limit.take('192.0.2.1', () => {})?.isGuest).toBe(true);
    expect(limit.take('192.0.2.1', () => {})).toBeUndefined();
    expect(closed).toEqual(['guest 4']);
  });

  test('a connection that has ended leaves its place, once', () => {
    const { take } = open({ total: 2 });
    const place = take('first');
    take('second');
    place?.leave();
    place?.leave();
    place?.enter('idle');
    expect(take('third')).toBeDefined();
    expect(take('fourth')).toBeUndefined();
  });

  test('is told when it begins and when it has been over for a while, however often it is reached', () => {
    const { take, told, limit, pass } = open({ total: 2 });
    take('first', 'idle');
    const second = take('second', 'answer');
    expect(told).toEqual([]);
    const third = take('third', 'answer');
    for (let i = 0; i < 10; i++) take('refused');
    expect(told).toEqual([{ open: 2, limit: 2, network: undefined }]);
    second?.leave();
    third?.leave();
    pass(59_000);
    limit.look();
    expect(told).toHaveLength(1);
    pass(1000);
    limit.look();
    limit.look();
    expect(told.slice(1)).toEqual([{ closed: 1, refused: 10 }]);
  });
});

describe('the share of one client network', () => {
  test('is used up by it alone, and its own idle connections give way', () => {
    const { take, closed, told } = open({ total: 10, perNetwork: 2 });
    take('a', 'answer', '192.0.2.1');
    take('b', 'idle', '192.0.2.1');
    take('other', 'idle', '192.0.2.2');
    expect(take('c', 'answer', '192.0.2.1')).toBeDefined();
    expect(take('d', 'answer', '192.0.2.1')).toBeUndefined();
    expect(take('e', 'answer', '192.0.2.3')).toBeDefined();
    expect(closed).toEqual(['b']);
    expect(told).toEqual([{ open: 3, limit: 2, network: '192.0.2.1' }]);
  });

  test('is one for a /64 of IPv6', () => {
    const { take } = open({ total: 10, perNetwork: 2 });
    take('a', 'answer', '2001:db8::1');
    take('b', 'answer', '2001:db8::ffff:1');
    expect(take('c', 'answer', '2001:db8::2')).toBeUndefined();
    expect(take('d', 'answer', '2001:db8:0:1::1')).toBeDefined();
  });

  test('does not hold for a trusted proxy, whose connections are those of many', () => {
    const { take } = open({ total: 3, perNetwork: 1, isShared: peer => peer === '10.0.0.1' });
    for (let i = 0; i < 3; i++) expect(take('proxied', 'answer', '10.0.0.1')).toBeDefined();
    expect(take('one too many', 'answer', '10.0.0.1')).toBeUndefined();
  });
});
