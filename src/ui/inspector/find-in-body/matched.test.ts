import { describe, expect, test } from 'bun:test';
import { hasWholeMatch, leadTo, matchedSpans } from './matched.ts';
import { findPattern } from './pattern.ts';
import { searchOf } from './search-terms.ts';

const pattern = findPattern(['8123', 'Ada']);
const spansOf = (text: string, field = 'body.id') => matchedSpans({ field, text }, pattern);

describe('where an event meets a search', () => {
  test('the hit is marked in any case, and a whole value differs from a part of one', () => {
    expect(spansOf('8123')).toEqual({ spans: [{ start: 0, end: 4 }], isWhole: true });
    expect(spansOf('ADA')).toEqual({ spans: [{ start: 0, end: 3 }], isWhole: true });
    expect(spansOf('x8123')).toEqual({ spans: [{ start: 1, end: 5 }], isWhole: false });
    expect(spansOf('81238123').isWhole).toBe(false);
  });

  test('a value that meets a term about its field is the hit; a body is not', () => {
    expect(matchedSpans({ field: 'body.amount', text: '1500' }, undefined)).toEqual({
      spans: [{ start: 0, end: 4 }],
      isWhole: true,
    });
    expect(spansOf('{"a":1}', 'body')).toEqual({ spans: [], isWhole: false });
  });

  test('an event has a whole match if one of its matches is one', () => {
    const isWhole = (...texts: string[]) =>
      pattern &&
      hasWholeMatch(
        texts.map(text => ({ field: 'body.a', text })),
        pattern,
      );
    expect(isWhole('x8123', 'ada')).toBe(true);
    expect(isWhole('x8123', 'adam')).toBe(false);
    expect(isWhole()).toBe(false);
  });

  test('a hit far inside a value is brought near, and no character is cut', () => {
    expect(leadTo(`${'x'.repeat(16)}8123`, spansOf(`${'x'.repeat(16)}8123`).spans)).toBe(0);
    expect(leadTo(`${'x'.repeat(40)}8123`, spansOf(`${'x'.repeat(40)}8123`).spans)).toBe(28);
    const emoji = `${'x'.repeat(27)}🙂${'x'.repeat(11)}8123`;
    expect(emoji.slice(leadTo(emoji, spansOf(emoji).spans)).isWellFormed()).toBe(true);
  });
});

test.each<[where: string, words: string[], isOnlyWords: boolean, looksInside: boolean]>([
  ['8123', ['8123'], true, true],
  ['8123 "card declined"', ['8123', 'card declined'], true, true],
  ['8123 type:invoice.*', ['8123'], false, true],
  ['8123 -paid', ['8123'], false, true],
  ['a1 OR b2', ['a1', 'b2'], false, true],
  ['body.amount>1000', [], false, true],
  ['has:body.amount', [], false, true],
  ['type:invoice.*', [], false, false],
  ['-paid', [], false, false],
  ['', [], false, false],
  ['"open', [], false, false],
])('the search of %j', (where, words, isOnlyWords, looksInside) => {
  expect(searchOf(where)).toEqual({ words, isOnlyWords, looksInside });
});
