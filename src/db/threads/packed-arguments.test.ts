import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { packArguments, unpackArguments } from './packed-arguments.ts';

const value = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.boolean(),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array(),
);

describe('packed arguments', () => {
  test('come out as they went in', () => {
    fc.assert(
      fc.property(fc.array(value), args => {
        const back = unpackArguments(packArguments(args), args.length);
        expect(back.length).toBe(args.length);
        for (const [i, one] of back.entries()) {
          const given = args[i];
          if (given instanceof Uint8Array) expect(Buffer.compare(one as Uint8Array, given)).toBe(0);
          else expect(Object.is(one, given)).toBe(true);
        }
      }),
    );
  });

  test('a view is its own bytes only, an ArrayBuffer all of them', () => {
    const whole = Uint8Array.of(1, 2, 3, 4);
    const [view, all] = unpackArguments(packArguments([whole.subarray(1, 3), whole.buffer]), 2);
    expect([...(view as Uint8Array)]).toEqual([2, 3]);
    expect([...(all as Uint8Array)]).toEqual([1, 2, 3, 4]);
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [2n ** 64n]])('%p is refused', wrong => {
    expect(() => packArguments([wrong])).toThrow();
  });
});
