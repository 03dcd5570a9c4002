import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { markDifferences, type Piece } from './char-diff.ts';

/** Changed pieces in brackets. */
const shown = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');
const marked = (before: string, after: string): string[] => {
  const { before: left, after: right } = markDifferences(before, after);
  return [shown(left), shown(right)];
};

describe('the differences of two values', () => {
  test.each([
    ['"paid"', '"unpaid"', '"paid"', '"[un]paid"'],
    ['100', '250', '[10]0', '[25]0'],
    ['a', 'a', 'a', 'a'],
    ['', 'x', '', '[x]'],
    ['order 7 of shop 12', 'order 8 of shop 13', 'order [7] of shop 1[2]', 'order [8] of shop 1[3]'],
    // Single letters in common are a coincidence.
    ['axbxc', 'dxexf', '[axbxc]', '[dxexf]'],
    ['👩‍👩‍👧!', '👩‍👩‍👦!', '[👩‍👩‍👧]!', '[👩‍👩‍👦]!'],
  ])('%s and %s', (before, after, left, right) => expect(marked(before, after)).toEqual([left, right]));

  test('long values are shown around the first difference', () => {
    const [left, right] = marked(`${'x'.repeat(9000)}a${'y'.repeat(9000)}`, `${'x'.repeat(9000)}b${'y'.repeat(9000)}`);
    expect(left).toStartWith('…xxx');
    expect(left).toContain('x[a]y');
    expect(right).toContain('x[b]y');
    expect(left?.length).toBeLessThan(2100);
  });

  test('the pieces make up the values', () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.string({ maxLength: 50 }), (before, after) => {
        const { before: left, after: right } = markDifferences(before, after);
        expect([left, right].map(pieces => pieces.map(({ text }) => text).join(''))).toEqual([before, after]);
      }),
    ));
});
