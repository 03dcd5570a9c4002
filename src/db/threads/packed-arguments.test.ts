import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { packArguments, unpackArguments } from './packed-arguments.ts';

const anyValue = fc.oneof(
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.boolean(),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array(),
);

describe('packed arguments', () => {
  test('are the same after unpacking', () => {
    fc.assert(
      fc.property(fc.array(anyValue), args => {
        const unpacked = unpackArguments(packArguments(args), args.length);
        expect(unpacked.length).toBe(args.length);
        for (const [i, value] of unpacked.entries()) {
          const packed = args[i];
          if (packed instanceof Uint8Array) expect(Buffer.compare(value as Uint8Array, packed)).toBe(0);
          else expect(Object.is(value, packed)).toBe(true);
        }
      }),
    );
  });

  test('contain only the bytes of a view, and all bytes of an ArrayBuffer', () => {
    const whole = Uint8Array.of(1, 2, 3, 4);
    const [view, all] = unpackArguments(packArguments([whole.subarray(1, 3), whole.buffer]), 2);
    expect([...(view as Uint8Array)]).toEqual([2, 3]);
    expect([...(all as Uint8Array)]).toEqual([1, 2, 3, 4]);
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [2n ** 64n]])('refuse %p', value => {
    expect(() => packArguments([value])).toThrow();
  });
});
