import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { lettersOf, markOf } from '../event/platform-marks.ts';
import { createRowLayout } from './use-virtual.ts';

describe('the layout of rows', () => {
  test('has a gap above some rows', () => {
    const layout = createRowLayout({ count: 5, rowHeight: 10, gaps: [2, 4], gapHeight: 3 });
    expect(layout.height).toBe(56);
    expect([0, 1, 2, 3, 4].map(layout.topOf)).toEqual([0, 10, 23, 33, 46]);
    expect([0, 9, 10, 19, 20, 22, 23, 32, 33, 42, 43, 45, 46, 55].map(layout.rowAt)).toEqual([
      0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4,
    ]);
    expect([0, 1, 2, 3, 4].map(layout.hasGap)).toEqual([false, false, true, false, true]);
  });

  test('without gaps is even, as far as the offset goes', () => {
    const layout = createRowLayout({ count: 100_000, rowHeight: 60 });
    expect([layout.height, layout.topOf(99_999), layout.rowAt(5_999_999), layout.rowAt(0)]).toEqual([
      6_000_000, 5_999_940, 99_999, 0,
    ]);
  });

  test('finds at the top of a row, and anywhere in it and its gap, that row', () => {
    const gaps = fc
      .uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 20 })
      .map(all => all.sort((a, b) => a - b));
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 90 }),
        (all, rowHeight, gapHeight) => {
          const layout = createRowLayout({ count: 51, rowHeight, gaps: all, gapHeight });
          for (let row = 0; row < 51; row++) {
            const top = layout.topOf(row);
            expect(layout.rowAt(top)).toBe(row);
            expect(layout.rowAt(top + rowHeight - 1)).toBe(row);
            if (layout.hasGap(row)) expect(layout.rowAt(top - gapHeight)).toBe(row);
          }
          expect(layout.height).toBe(layout.topOf(50) + rowHeight);
        },
      ),
    );
  });
});

describe('what stands for a platform', () => {
  test('GitHub, GitLab and Gitea have marks that differ', () => {
    expect(new Set(['github', 'gitlab', 'gitea'].map(markOf)).size).toBe(3);
    expect([markOf('acme'), markOf('constructor')]).toEqual([undefined, undefined]);
  });

  test.each([
    ['Strapi', 'St'],
    ['Standard Webhooks', 'SW'],
    ['monday.com', 'MC'],
    ['x', 'X'],
    ['\u202e', '?'],
  ])('others have two letters of their title: %j is %s', (title, letters) => expect(lettersOf(title)).toBe(letters));
});
