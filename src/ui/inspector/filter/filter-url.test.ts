import { describe, expect, test } from 'bun:test';
import { FilterError } from '../../../shared/filter/filter.ts';
import { parse } from './filter-text.ts';
import { filterOf, filterQuery } from './filter-url.ts';

const read = (query: string): string => filterOf(new URLSearchParams(query));

describe('the filter in a URL', () => {
  test('is read as it was written', () => {
    for (const where of ['type:a', 'tag:"a b" & c=d', '𝕏 "\\"" +', '']) expect(read(filterQuery(where))).toBe(where);
    expect(filterQuery('')).toBe('');
    expect(read('where=a%0A%20b%0d')).toBe('a  b');
  });

  test.each([
    ['apple', 'apple'],
    ['invoice.paid', 'invoice.paid'],
    ['two words', '"two words"'],
    ['OR', '"OR"'],
    ['-x', '"-x"'],
    ['a*b', '"a*b"'],
    ['type:x', '"type:x"'],
    ['"n":5', '"\\"n\\":5"'],
    ['back\\', '"back\\\\"'],
  ])('a link of 1.0 with ?q=%s searches for the same text', (q, where) => {
    expect(read(`q=${encodeURIComponent(q)}`)).toBe(where);
    const filter = parse(where);
    if (filter instanceof FilterError) throw filter;
    expect(filter.root).toMatchObject({ on: 'text', text: q });
  });

  test('where has precedence', () => expect(read('q=a&where=b')).toBe('b'));
});
