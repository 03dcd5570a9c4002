import { describe, expect, test } from 'bun:test';
import { compareDecimals, parseDecimal } from './decimal.ts';

function order(a: string, b: string): number {
  const [left, right] = [parseDecimal(a), parseDecimal(b)];
  if (!left || !right) throw new Error(`${a} or ${b} is not a number`);
  return Math.sign(compareDecimals(left, right));
}

describe('decimals', () => {
  test.each([
    '',
    '-',
    '+',
    '.',
    '1.',
    '1.e5',
    'e5',
    '1e',
    '1e+',
    '1e5.5',
    ' 1',
    '1 ',
    '1k',
    '0x10',
    'NaN',
    'Infinity',
    '1_000',
    '--1',
    '١',
  ])('%j is not a number', text => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  test.each([
    ['0', '-0', 0],
    ['0', '0e999', 0],
    ['10', '10.0', 0],
    ['10', '1e1', 0],
    ['10', '+010', 0],
    ['.5', '0.50', 0],
    ['1E-3', '0.001', 0],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['-1', '0', -1],
    ['0.001', '0', 1],
    ['9', '10', -1],
    ['99.9', '100', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['0.1', '0.1000000000000000000001', -1],
    ['1e999999999', '1e999999998', 1],
    ['-1e999999999', '1e-999999999', -1],
    ['1e-999999999999999999999', '0', 1],
    ['1e999999999999999999999', '1e5', 1],
    [`1${'0'.repeat(500)}`, '1e500', 0],
    [`1${'0'.repeat(500)}1`, '1e501', 1],
  ])('%s against %s', (a, b, expected) => {
    expect(order(a, b)).toBe(expected);
    expect(order(b, a)).toBe(0 - expected);
  });

  test('agree with exact fractions', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const draw = (): string => {
      const digits = Array.from({ length: 1 + random(6) }, () => '0019'[random(4)]).join('');
      const point = random(digits.length + 1);
      const fraction = digits.slice(point);
      const number = `${digits.slice(0, point) || '0'}${fraction ? `.${fraction}` : ''}`;
      return `${random(2) ? '-' : ''}${number}${random(2) ? `e${random(9) - 4}` : ''}`;
    };
    /** Times 10^20. */
    const exact = (text: string): bigint => {
      const [, sign, whole = '', fraction = '', exponent = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? [];
      const size = BigInt(whole + fraction) * 10n ** BigInt(20 + Number(exponent) - fraction.length);
      return sign ? -size : size;
    };
    for (let i = 0; i < 20_000; i++) {
      const [a, b] = [draw(), draw()];
      const [left, right] = [exact(a), exact(b)];
      expect(`${a} ${b} ${order(a, b)}`).toBe(`${a} ${b} ${left < right ? -1 : Number(left > right)}`);
    }
  });

  test('of millions of digits take linear time', () => {
    const long = '1234567890'.repeat(300_000);
    expect(order(`${long}1`, `${long}2`)).toBe(-1);
    expect(parseDecimal(`${long}x`)).toBeUndefined();
    expect(order(`1e${long}`, '1')).toBe(1);
  });
});
