import { describe, expect, test } from 'bun:test';
import { type Term, timeRangeAt } from './filter.ts';
import { parseFilter } from './parser.ts';

const term = (text: string): Term => {
  const { root } = parseFilter(text);
  if (root?.kind !== 'term') throw new Error(`${text} is not one term`);
  return root;
};

describe('numbers of columns, as the integers that they accept', () => {
  test.each([
    ['size:500', 500, 500],
    ['size:0', 0, 0],
    ['size>10k', 10_241, undefined],
    ['size>=10k', 10_240, undefined],
    ['size<1M', undefined, 1_048_575],
    ['size<=1MiB', undefined, 1_048_576],
    ['size>=2g', 2 ** 31, undefined],
    ['size>="10 k"', 'error', undefined],
    ['size>1.5k', 1537, undefined],
    ['size>0.1k', 103, undefined],
    ['size>=0.1K', 103, undefined],
    ['size<0.1k', undefined, 102],
    ['size<=0.1kB', undefined, 102],
    ['attempt:2', 2, 2],
    ['attempt>1', 2, undefined],
    ['answered:404', 404, 404],
    ['answered:5xx', 500, 599],
    ['answered>4XX', 500, undefined],
    ['answered>=4xx', 400, undefined],
    ['answered<5xx', undefined, 499],
    ['answered<=2xx', undefined, 299],
  ])('%s', (text, min, max) => {
    if (min === 'error') expect(() => term(text)).toThrow();
    else expect(term(text)).toMatchObject({ range: { min, max } });
  });
});

describe('times, as the instants that they accept', () => {
  const now = Date.UTC(2026, 10, 22, 12);
  const at = (text: string): number => Date.parse(text);
  const hour = 3_600_000;
  test.each([
    ['received>2h', now - 2 * hour + 1, undefined],
    ['received>=2h', now - 2 * hour, undefined],
    ['received<2h', undefined, now - 2 * hour],
    ['received<=1d', undefined, now - 24 * hour + 1],
    ['received>500ms', now - 499, undefined],
    ['received>0', now + 1, undefined],
    ['received:2h..1h', now - 2 * hour, now - hour + 1],
    ['received:2026-11-20', at('2026-11-20T00:00Z'), at('2026-11-21T00:00Z')],
    ['received>2026-11-20', at('2026-11-21T00:00Z'), undefined],
    ['received>=2026-11-20', at('2026-11-20T00:00Z'), undefined],
    ['received<2026-11-20', undefined, at('2026-11-20T00:00Z')],
    ['received<=2026-11-20', undefined, at('2026-11-21T00:00Z')],
    ['received:2026-11-20..2026-11-21', at('2026-11-20T00:00Z'), at('2026-11-22T00:00Z')],
    ['received:2026-11-20..2026-11-20', at('2026-11-20T00:00Z'), at('2026-11-21T00:00Z')],
    ['received:2026-11-20..1h', at('2026-11-20T00:00Z'), now - hour + 1],
    ['received>2026-11-20T10:00:00Z', at('2026-11-20T10:00:00.001Z'), undefined],
    ['received>=2026-11-20T10:00:00Z', at('2026-11-20T10:00:00Z'), undefined],
    ['received<2026-11-20T10:00:00.5Z', undefined, at('2026-11-20T10:00:00.500Z')],
    ['received<=2026-11-20t12:00:00+02:00', undefined, at('2026-11-20T10:00:00.001Z')],
    ['received>=2026-11-20T00:00:00-05:30', at('2026-11-20T05:30:00Z'), undefined],
    ['received>=2026-11-20T10:00', at('2026-11-20T10:00:00Z'), undefined],
    ['received:2026-11-20T10:00:00Z', at('2026-11-20T10:00:00Z'), at('2026-11-20T10:00:01Z')],
    ['received:2026-11-20T10:00Z', at('2026-11-20T10:00:00Z'), at('2026-11-20T10:01:00Z')],
    ['received:2026-11-20T10:00:00.123456Z', at('2026-11-20T10:00:00.123Z'), at('2026-11-20T10:00:00.124Z')],
    ['received:2026-11-20T10:00:00Z..2026-11-20T11:00:00Z', at('2026-11-20T10:00:00Z'), at('2026-11-20T11:00:00.001Z')],
    ['received:2026-11-20T10:00Z..', at('2026-11-20T10:00:00Z'), undefined],
    ['received:2h..', now - 2 * hour, undefined],
    ['received:..2026-11-20', undefined, at('2026-11-21T00:00Z')],
    ['received:..2026-11-20T10:59:59.999Z', undefined, at('2026-11-20T11:00:00Z')],
    ['received:"2026-11-20"', at('2026-11-20T00:00Z'), at('2026-11-21T00:00Z')],
    ['received>=2026-12-31T23:59:60Z', at('2027-01-01T00:00Z'), undefined],
  ])('%s', (text, from, to) => {
    const found = term(text);
    if (found.on !== 'column' || found.column !== 'received') throw new Error('not a time');
    expect(timeRangeAt(found.range, now)).toEqual({ from, to });
  });

  test.each([
    'received>2026-13-01',
    'received>2026-11-31',
    'received>2026-11-20T24:00:00Z',
    'received>2026-11-20T10:60:00Z',
    'received>2026-11-20T10:00:61Z',
    'received>2026-11-20T10:00:00+24:00',
    'received>2026-11-20T10',
    'received>20261120',
    'received>-2h',
    'received>2w',
    'received>2h30m',
    'received:2026-11-20..2026-11-21..2026-11-22',
    'received:..',
    'received:...',
    'received:2026-11-20..soon',
    'received:soon..',
  ])('refuses %s', text => {
    expect(() => parseFilter(text)).toThrow(/received takes/);
  });
});
