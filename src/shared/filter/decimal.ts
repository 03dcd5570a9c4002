/* Decimal numbers of any length, compared exactly. Exponents end at ±10^15, so that comparing costs no more than reading. */

/** 0.DIGITS × 10^exponent. `digits` has no leading or trailing 0, and is empty for zero. */
export type Decimal = { readonly isNegative: boolean; readonly digits: string; readonly exponent: number };

const maxExponent = 1e15;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function afterDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** `1`, `-2.50`, `+.5`, `1e3`; undefined for any other text, including text with white space. */
export function parseDecimal(text: string): Decimal | undefined {
  const isNegative = text.charCodeAt(0) === 0x2d;
  const start = isNegative || text.charCodeAt(0) === 0x2b ? 1 : 0;
  const point = afterDigits(text, start);
  const hasPoint = text.charCodeAt(point) === 0x2e;
  const end = hasPoint ? afterDigits(text, point + 1) : point;
  const count = end - start - (hasPoint ? 1 : 0);
  if (count === 0 || (hasPoint && end === point + 1)) return undefined;
  let exponent = 0;
  if (end < text.length) {
    if ((text.charCodeAt(end) | 0x20) !== 0x65) return undefined;
    const sign = text.charCodeAt(end + 1);
    const first = sign === 0x2b || sign === 0x2d ? end + 2 : end + 1;
    if (first === text.length || afterDigits(text, first) !== text.length) return undefined;
    exponent = exponentOf(text, first) * (sign === 0x2d ? -1 : 1);
  }
  const digits = hasPoint ? text.slice(start, point) + text.slice(point + 1, end) : text.slice(start, end);
  return normalize(isNegative, digits, exponent + point - start);
}

/** The digits from `start` on as a number, at most `maxExponent`. */
function exponentOf(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === 0x30) at++;
  return text.length - at > 15 ? maxExponent : Number(text.slice(at));
}

function normalize(isNegative: boolean, digits: string, exponent: number): Decimal {
  let from = 0;
  while (from < digits.length && digits.charCodeAt(from) === 0x30) from++;
  let to = digits.length;
  while (to > from && digits.charCodeAt(to - 1) === 0x30) to--;
  if (from === to) return { isNegative: false, digits: '', exponent: 0 };
  return { isNegative, digits: digits.slice(from, to), exponent: exponent - from };
}

/** Below 0 if `a` is less than `b`, 0 if they are equal. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1;
  return a.isNegative ? compareSizes(b, a) : compareSizes(a, b);
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.digits === '' || b.digits === '') return a.digits.length - b.digits.length;
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  return a.digits < b.digits ? -1 : Number(a.digits > b.digits);
}
