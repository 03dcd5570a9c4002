import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  basisOf,
  decodeDeliveryKey,
  deliveryNumber,
  encodeDeliveryKey,
  hasGaps,
  numberOfRow,
  uncomputedRow,
} from './delivery-key.ts';

const event = {
  endpoint: 1,
  platform: 'github' as string | null,
  method: 'POST',
  path: '/a',
  query: null as string | null,
  eventType: 'push' as string | null,
  body: Buffer.from('{}') as Uint8Array,
};
const id = (text: string, basis: 'header' | 'body' = 'header') => ({ id: text, basis });

describe('the number of a delivery', () => {
  test('of a sender’s id depends on the endpoint, the platform, the basis and the id, and on nothing else', () => {
    const number = deliveryNumber(event, id('a'));
    const same = { ...event, method: 'PUT', path: '/b', query: 'q', eventType: null, body: Buffer.from('x') };
    expect(deliveryNumber(same, id('a'))).toBe(number);
    const others = [
      deliveryNumber(event, id('b')),
      deliveryNumber(event, id('a', 'body')),
      deliveryNumber({ ...event, endpoint: 2 }, id('a')),
      deliveryNumber({ ...event, platform: 'gitlab' }, id('a')),
      deliveryNumber({ ...event, platform: null }, id('a')),
      deliveryNumber(event, undefined),
    ];
    expect(new Set([number, ...others]).size).toBe(others.length + 1);
  });

  test('of content depends on every part of it', () => {
    const numbers = [
      event,
      { ...event, endpoint: 2 },
      { ...event, platform: null },
      { ...event, method: 'PUT' },
      { ...event, path: '/b' },
      { ...event, query: '' },
      { ...event, query: 'a' },
      { ...event, path: '', query: '/a' },
      { ...event, eventType: null },
      { ...event, eventType: '' },
      { ...event, body: Buffer.from('{ }') },
      { ...event, body: new Uint8Array(0) },
      { ...event, body: Buffer.alloc(1 << 20) },
      { ...event, body: Buffer.alloc(1 << 20).fill(1, 1 << 19, (1 << 19) + 1) },
    ].map(one => deliveryNumber(one, undefined));
    // No event type and an empty one are the same; none is stored empty.
    expect(new Set(numbers).size).toBe(numbers.length - 1);
    expect(numbers.every(number => basisOf(number) === 'content' && hasGaps(number))).toBe(true);
    expect(deliveryNumber({ ...event, body: Buffer.from('{}') }, undefined)).toBe(numbers[0] ?? 0);
  });

  test('is an integer that a column and a client can hold, and tells the basis', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.constantFrom('header' as const, 'body' as const), (text, basis) => {
        const number = deliveryNumber(event, { id: text, basis });
        expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
        expect([basisOf(number), hasGaps(number), uncomputedRow(number)]).toEqual([basis, false, undefined]);
      }),
    );
  });

  test('of an event without one is its own', () => {
    const number = numberOfRow({ seq: 12, delivery: null });
    expect([uncomputedRow(number), basisOf(number), hasGaps(number)]).toEqual([12, 'content', false]);
    expect(numberOfRow({ seq: 12, delivery: 8 })).toBe(8);
  });
});

describe('a delivery key', () => {
  test('is read back, and is safe in a URL', () => {
    const time = fc.option(fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), { nil: undefined });
    fc.assert(
      fc.property(fc.maxSafeNat(), time, (number, since) => {
        const key = encodeDeliveryKey({ number, since });
        expect(key).toMatch(/^[0-9a-z]{11,22}$/);
        expect(decodeDeliveryKey(key)).toEqual({ number, since });
      }),
    );
  });

  test.each(['', 'a', 'x'.repeat(10), 'x'.repeat(12), 'x'.repeat(23), 'ilouilouilo', 'zzzzzzzzzzz'])(
    '%j is none',
    key => {
      expect(decodeDeliveryKey(key)).toBeUndefined();
    },
  );
});
