import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor.ts';

describe('cursors', () => {
  test('decode to the encoded position, also for clocks before 1970', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e14 }), fc.maxSafeNat(), (receivedAt, seq) => {
        const cursor = encodeCursor({ receivedAt, seq });
        expect(decodeCursor(cursor)).toEqual({ receivedAt, seq });
        expect(encodeURIComponent(cursor)).toBe(cursor);
      }),
    );
  });

  const good = encodeCursor({ receivedAt: 1_700_000_000_000, seq: 9 });
  test.each([
    '',
    ' ',
    good.slice(1),
    `${good}0`,
    good.toUpperCase(),
    `${good.slice(0, -1)}u`,
    'z'.repeat(22),
    '-1',
    'null',
    '%00',
  ])('%j is none', cursor => {
    expect(decodeCursor(cursor)).toBeUndefined();
  });
});
