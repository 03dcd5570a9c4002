import { describe, expect, test } from 'bun:test';
import { type ConnectionLimitOptions, createConnectionLimit } from './connection-limit.ts';

function open(options: Partial<ConnectionLimitOptions> = {}) {
  let now = 0;
  const calls: unknown[] = [];
  const closed: string[] = [];
  const limit = createConnectionLimit(
    {
      total: 3,
      perNetwork: 3,
      isShared: () => false,
      onReached: reached => calls.push(reached),
      onLeft: counts => calls.push(counts),
      ...options,
    },
    () => now,
  );
  return {
    limit,
    calls,
    closed,
    pass: (ms: number): void => {
      now += ms;
    },
    /** A connection with a name, doing this. */
    take: (name: string, phase = 'response', peer = '192.0.2.1') => {
      const place = limit.admit(peer, () => closed.push(name));
      place?.setPhase(phase);
      return place?.isReserved ? undefined : place;
    },
  };
}

describe('at the limit', () => {
  test('the connection that has been idle for longest is closed', () => {
    const { take, closed, pass } = open();
    const first = take('first', 'idle');
    take('second', 'idle');
    pass(10);
    first?.setPhase('response');
    first?.setPhase('idle');
    take('third', 'idle');
    take('fourth', 'idle');
    take('fifth', 'idle');
    expect(closed).toEqual(['second', 'first']);
  });

  test('connections whose head or body is arriving are closed only after a while, and never while they are being answered', () => {
    const { take, closed, pass } = open();
    take('head', 'head');
    take('body', 'body');
    take('response', 'response');
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

  test('a connection whose response is not read is closed after a while, before bodies are', () => {
    const { take, closed, pass } = open();
    take('body', 'body');
    take('unread', 'flush');
    take('response', 'response');
    pass(9999);
    expect(take('too early')).toBeUndefined();
    pass(1);
    expect(take('after it')).toBeDefined();
    expect(closed).toEqual(['unread']);
  });

  test('a few more connections are reserved, and replace each other by the same rules', () => {
    const { limit, take, closed, pass } = open({ total: 1 });
    take('only');
    const reserved = Array.from({ length: 8 }, (_, i) => limit.admit('192.0.2.1', () => closed.push(`reserved ${i}`)));
    expect(reserved.every(slot => slot?.isReserved)).toBe(true);
    expect(limit.admit('192.0.2.1', () => {})).toBeUndefined();
    for (const slot of reserved) slot?.setPhase('response');
    reserved[3]?.setPhase('body');
    reserved[4]?.setPhase('head');
    pass(1000);
    expect(limit.admit('192.0.2.1', () => {})?.isReserved).toBe(true);
    reserved[0]?.release();
    expect(limit.admit('192.0.2.1', () => {})?.isReserved).toBe(true);
    expect(limit.admit('192.0.2.1', () => {})).toBeUndefined();
    expect(closed).toEqual(['reserved 4']);
  });

  test('a closed connection is uncounted once', () => {
    const { take } = open({ total: 2 });
    const place = take('first');
    take('second');
    place?.release();
    place?.release();
    place?.setPhase('idle');
    expect(take('third')).toBeDefined();
    expect(take('fourth')).toBeUndefined();
  });

  test('onReached and onLeft are called once each, however often the limit is reached in between', () => {
    const { take, calls, limit, pass } = open({ total: 2 });
    take('first', 'idle');
    const second = take('second', 'response');
    expect(calls).toEqual([]);
    const third = take('third', 'response');
    for (let i = 0; i < 10; i++) take('refused');
    expect(calls).toEqual([{ open: 2, limit: 2, network: undefined }]);
    second?.release();
    third?.release();
    pass(59_000);
    limit.checkRecovered();
    expect(calls).toHaveLength(1);
    pass(1000);
    limit.checkRecovered();
    limit.checkRecovered();
    expect(calls.slice(1)).toEqual([{ closed: 1, refused: 10 }]);
  });
});

describe('the share of one client network', () => {
  test('is used up by that network alone, and only its own idle connections are closed', () => {
    const { take, closed, calls } = open({ total: 10, perNetwork: 2 });
    take('a', 'response', '192.0.2.1');
    take('b', 'idle', '192.0.2.1');
    take('other', 'idle', '192.0.2.2');
    expect(take('c', 'response', '192.0.2.1')).toBeDefined();
    expect(take('d', 'response', '192.0.2.1')).toBeUndefined();
    expect(take('e', 'response', '192.0.2.3')).toBeDefined();
    expect(closed).toEqual(['b']);
    expect(calls).toEqual([{ open: 3, limit: 2, network: '192.0.2.1' }]);
  });

  test('is shared by an IPv6 /64', () => {
    const { take } = open({ total: 10, perNetwork: 2 });
    take('a', 'response', '2001:db8::1');
    take('b', 'response', '2001:db8::ffff:1');
    expect(take('c', 'response', '2001:db8::2')).toBeUndefined();
    expect(take('d', 'response', '2001:db8:0:1::1')).toBeDefined();
  });

  test('does not apply to a trusted proxy', () => {
    const { take } = open({ total: 3, perNetwork: 1, isShared: peer => peer === '10.0.0.1' });
    for (let i = 0; i < 3; i++) expect(take('proxied', 'response', '10.0.0.1')).toBeDefined();
    expect(take('one too many', 'response', '10.0.0.1')).toBeUndefined();
  });
});
