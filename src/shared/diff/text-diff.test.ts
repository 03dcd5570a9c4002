import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { diffLines, diffPairs } from './text-diff.ts';

describe('lines', () => {
  test('both texts can be rebuilt from the lines', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map(lines => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (left, right) => {
        const lines = diffLines(left, right);
        const side = (not: string): string =>
          lines
            .filter(line => line.kind !== not)
            .map(line => line.text)
            .join('\n');
        expect([side('added'), side('removed')]).toEqual([left, right]);
      }),
    );
  });
});

test('pairs match by case-insensitive name, repeated names in order', () =>
  expect(
    diffPairs(
      [
        ['X-A', '1'],
        ['x-b', '2'],
        ['x-b', '3'],
      ],
      [
        ['x-a', '1'],
        ['X-B', '2'],
        ['x-b', '4'],
        ['new', ''],
      ],
    ),
  ).toEqual([
    { kind: 'changed', name: 'x-b', before: '3', after: '4' },
    { kind: 'added', name: 'new', after: '' },
  ]));
