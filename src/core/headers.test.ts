import { describe, expect, test } from 'bun:test';
import {
  applyHeaderRules,
  type HeaderPair,
  joinHeaders,
  lowerName,
  readFieldLines,
  toFieldLines,
  toPairs,
} from './headers.ts';

test('flat raw headers become pairs, case, order and repeats kept', () => {
  expect(toPairs(['B', '1', 'a', '2', 'b', ''])).toEqual([
    ['B', '1'],
    ['a', '2'],
    ['b', ''],
  ]);
  expect(toPairs([])).toEqual([]);
});

describe('field lines', () => {
  const any = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i).filter(i => i > 0x20 && i !== 0x7f));

  test.each([
    ['none', []],
    ['case, order and repeats', ['B', '1', 'a', '2', 'b', '3']],
    ['no value', ['X', '']],
    ['colons and blanks inside a value', ['X', 'a: b\t: c']],
    ['every byte of a value', ['X', any]],
    ['bytes that only look blank', ['X', '\xa0b\xa0']],
  ])('%s', (_name, raw) => {
    const lines = toFieldLines(raw);
    expect(readFieldLines(lines)).toEqual(toPairs(raw));
  });

  test('the blanks around a value are not its own', () =>
    expect(readFieldLines(Buffer.from('A:b\r\nC: \t d \t\r\nE: \r\n'))).toEqual([
      ['A', 'b'],
      ['C', 'd'],
      ['E', ''],
    ]));

  test.each(['x', 'x: y', 'x: y\r\nz'])('%j is not whole', text =>
    expect(() => readFieldLines(Buffer.from(text))).toThrow(RangeError),
  );
});

test('a name is looked up in lower case, however many spellings there are, and however long', () => {
  const spellings = Array.from({ length: 5000 }, (_, i) => `X-Name-${i}`).concat('A'.repeat(5000));
  for (const _ of ['anew', 'known'])
    for (const spelling of spellings) if (lowerName(spelling) !== spelling.toLowerCase()) throw new Error(spelling);
});

test('a name that no wire can carry is taken for no other', () => {
  // Its first letter ends in the byte of an A.
  expect(lowerName('\u0141uthorization')).toBe('\u0142uthorization');
  expect(applyHeaderRules([['Authorization', 'secret']])).toEqual([['Authorization', '[redacted]']]);
});

describe('the header rules', () => {
  test.each(['Authorization', 'COOKIE', 'proxy-Authorization'])('%s is kept redacted', name => {
    expect(applyHeaderRules([[name, 'secret']])).toEqual([[name, '[redacted]']]);
  });

  test.each(['CF-Ray', 'cf-', 'Cf-Connecting-IP', 'X-Forwarded-For', 'x-forwarded-', 'X-Real-IP', 'True-Client-IP'])(
    '%s is not kept',
    name => expect(applyHeaderRules([[name, 'x']])).toEqual([]),
  );

  test.each([
    'X-Forwarded',
    'X-Forward-For',
    'Forwarded',
    'CFRay',
    'X-CF-Ray',
    'X-Real-IP2',
    'Set-Cookie',
    'Cookie2',
    'X-Authorization',
    'X-Hub-Signature-256',
    'Via',
    '__proto__',
    'constructor',
  ])('%s is kept as it is', name => expect(applyHeaderRules([[name, 'x']])).toEqual([[name, 'x']]));
});

describe('joinHeaders', () => {
  const joined = (...pairs: HeaderPair[]) => Object.entries(joinHeaders(pairs));
  test.each<[string, HeaderPair[], [string, string][]]>([
    ['lower-case names', [['X-A', '1']], [['x-a', '1']]],
    [
      'repeats in order',
      [
        ['X-A', '1'],
        ['b', ''],
        ['x-a', '2'],
      ],
      [
        ['x-a', '1, 2'],
        ['b', ''],
      ],
    ],
    [
      'an empty repeat',
      [
        ['a', ''],
        ['a', ''],
      ],
      [['a', ', ']],
    ],
    [
      'names of objects',
      [
        ['__proto__', 'p'],
        ['toString', 's'],
      ],
      [
        ['__proto__', 'p'],
        ['tostring', 's'],
      ],
    ],
  ])('%s', (_name, pairs, expected) => expect(joined(...pairs)).toEqual(expected));
});
