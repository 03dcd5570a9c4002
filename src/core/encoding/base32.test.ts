import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeBytes, decodeNumber, encodeBytes, encodeNumber } from './base32.ts';

describe('bytes', () => {
  test.each([
    [[], ''],
    [[0], '00'],
    [[255], 'zw'],
    [[0, 0, 0, 0, 1], '00000001'],
    [[255, 255, 255, 255, 255], 'zzzzzzzz'],
    [[0xde, 0xad, 0xbe, 0xef], 'vtpvxvr'],
  ])('%j is %j', (bytes, text) => {
    expect(encodeBytes(Uint8Array.from(bytes))).toBe(text);
    expect(decodeBytes(text)).toEqual(Uint8Array.from(bytes));
  });

  test('any bytes are encoded as exactly one text, which decodes to them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), bytes => {
        const text = encodeBytes(bytes);
        expect(text).toHaveLength(Math.ceil((bytes.length * 8) / 5));
        expect(decodeBytes(text)).toEqual(bytes);
      }),
    );
  });

  test.each(['0i', '0l', '0o', '0u', '0A', '0-', '01', 'zx', 'é0'])('%j is not decoded', text => {
    expect(decodeBytes(text)).toBeUndefined();
  });
});

describe('numbers', () => {
  test.each([
    [0, 3, '000'],
    [31, 3, '00z'],
    [32, 3, '010'],
    [Number.MAX_SAFE_INTEGER, 11, '7zzzzzzzzzz'],
  ])('%p in %p letters', (value, length, text) => {
    expect(encodeNumber(value, length)).toBe(text);
    expect(decodeNumber(text)).toBe(value);
  });

  test('sort as they count', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
        expect(encodeNumber(a, 11) < encodeNumber(b, 11)).toBe(a < b);
      }),
    );
  });

  test.each(['80000000000', 'zzzzzzzzzzz', 'i', '-1'])('%j is none', text => {
    expect(decodeNumber(text)).toBeUndefined();
  });
});
