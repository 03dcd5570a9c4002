import { describe, expect, test } from 'bun:test';
import { findPattern, spansIn } from './pattern.ts';
import { searchTermsOf, withPaths } from './search-terms.ts';

describe('the texts that a filter looks for', () => {
  test.each([
    ['', []],
    ['refund', ['refund']],
    ['refund "card was declined" refund', ['refund', 'card was declined']],
    ['type:push platform:github size>1k', []],
    ['body.name:Ada* header.x-shop:"acme.test"', ['Ada', 'acme.test']],
    ['body.name:*love*lace', ['love', 'lace']],
    ['body.amount:10 body.amount>5 body.paid:true body.id:"10"', ['10']],
    ['a OR (b -c) NOT (d OR e)', ['a', 'b']],
    ['"\\"key\\": 1"', ['"key": 1']],
    ['not a filter"', []],
  ])('%j', (where, terms) => expect(searchTermsOf(where)).toEqual(terms));

  test('the same array for the same filter, so that rows are not rendered again', () =>
    expect(searchTermsOf('a b')).toBe(searchTermsOf('a b')));
});

describe('looking for words in paths, too', () => {
  test.each([
    ['orders', 'orders OR path:*orders*'],
    ['/orders/7', '/orders/7 OR path:*/orders/7*'],
    ['"/orders/"', '"/orders/" OR path:*/orders/*'],
    ['size>1k orders -old', 'size>1k (orders OR path:*orders*) -old'],
    ['é a b', 'é (a OR path:*a*) (b OR path:*b*)'],
  ])('%j', (where, expected) => expect(withPaths(where)).toBe(expected));

  test.each(['', 'type:push', '-orders', '"two words"', 'orders path:/x', 'not a filter"'])(
    '%j has nothing to look for',
    where => expect(withPaths(where)).toBeUndefined(),
  );
});

describe('hits', () => {
  const hits = (text: string, ...terms: string[]): string[] => {
    const pattern = findPattern(terms);
    return pattern ? spansIn(text, pattern, 100).map(({ start, end }) => text.slice(start, end)) : [];
  };
  const inJson = (text: string, term: string): string[] => {
    const pattern = findPattern([term], { inEscapes: true });
    return pattern ? spansIn(text, pattern, 100).map(({ start, end }) => text.slice(start, end)) : [];
  };

  test('case does not matter, every other character is literal', () => {
    expect(hits('Push pushed PUSH', 'push')).toEqual(['Push', 'push', 'PUSH']);
    expect(hits('ÉCOLE straße ΣΊΣΥΦΟΣ', 'école', 'σίσυφος')).toEqual(['ÉCOLE', 'ΣΊΣΥΦΟΣ']);
    expect(hits('a.b axb [x] (1+1) {2}', 'a.b', '[x]', '(1+1)', '{2}')).toEqual(['a.b', '[x]', '(1+1)', '{2}']);
    expect(hits('anything', '')).toEqual([]);
  });

  test('of two terms at one place, the longer one is marked', () =>
    expect(hits('refunded', 'refund', 'refunded')).toEqual(['refunded']));

  test('white space between JSON tokens does not matter', () => {
    expect(hits('{"a":1,"a" :\n 1,"a b":1}', '"a": 1')).toEqual(['"a":1', '"a" :\n 1']);
    expect(hits('{"a":"x y","a":"xy"}', '"a": "x y"')).toEqual(['"a":"x y"']);
  });

  test('escapes of JSON strings are found by what they stand for', () => {
    expect(inJson('"https:\\/\\/a.b" https://a.b', 'https://a.b')).toEqual(['https:\\/\\/a.b', 'https://a.b']);
    expect(inJson('"caf\\u00e9" "CAF\\u00C9" "café"', 'café')).toEqual(['caf\\u00e9', 'CAF\\u00C9', 'café']);
    expect(inJson('"\\ud83d\\ude00 \\n\\\\"', '😀 \n\\')).toEqual(['\\ud83d\\ude00 \\n\\\\']);
  });
});
