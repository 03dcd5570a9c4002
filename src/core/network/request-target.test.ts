import { describe, expect, test } from 'bun:test';
import { isIngestTarget, queryPairs, splitTarget } from './request-target.ts';

describe('splitTarget', () => {
  test.each([
    ['/in/a', '/in/a', null],
    ['/in/a?', '/in/a', ''],
    ['/in/a??', '/in/a', '?'],
    ['/in/a?x=1?y=2', '/in/a', 'x=1?y=2'],
    ['/in/a%3Fb', '/in/a%3Fb', null],
    ['?x', '', 'x'],
  ])('%s', (target, path, query) => expect(splitTarget(target)).toEqual({ path, query }));
});

describe('isIngestTarget', () => {
  test.each([
    ['/in/', true],
    ['/in/a', true],
    ['/in', true],
    ['/in?x=1', true],
    ['/inside', false],
    ['/IN/a', false],
    ['//in/a', false],
    ['/%69n/a', false],
    ['/x/../in/a', false],
    ['in/a', false],
  ])('%s: %p', (target, expected) => expect(isIngestTarget(target)).toBe(expected));
});

describe('queryPairs', () => {
  test.each<[string | null, [string, string][]]>([
    [null, []],
    ['', []],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['a', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a+b=c%20d', [['a b', 'c d']]],
    ['?a=1', [['?a', '1']]],
    ['%zz=%', [['%zz', '%']]],
    ['x=%ff', [['x', '\ufffd']]],
    ['&&a&', [['a', '']]],
    ['__proto__=1', [['__proto__', '1']]],
  ])('%p', (query, pairs) => expect(queryPairs(query)).toEqual(pairs));
});
