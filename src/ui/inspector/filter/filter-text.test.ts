import { describe, expect, test } from 'bun:test';
import { FilterError } from '../../../shared/filter/filter.ts';
import { xssPayloads } from '../../../testing/browser/xss.ts';
import {
  indexAt,
  joinParts,
  parse,
  partsOf,
  positionAt,
  termFor,
  timePartsOf,
  withNearest,
  withoutPart,
  withPart,
  withTimeParts,
} from './filter-text.ts';

describe('a term for a value', () => {
  test.each([
    ['type', 'invoice.paid', 'type:invoice.paid'],
    ['type', 'Order Paid', 'type:"Order Paid"'],
    ['type', 'a*', 'type:"a*"'],
    ['type', '', 'type:""'],
    ['type', 'say "hi" \\', 'type:"say \\"hi\\" \\\\"'],
    ['platform', 'stripe', 'platform:stripe'],
    ['path', '/orders/7', 'path:/orders/7'],
    ['path', '/orders/', 'path:/orders/'],
    ['header.x', '/re/', 'header.x:"/re/"'],
    ['ip', '::1', 'ip:"::1"'],
    ['tag', '(a OR b)', 'tag:"(a OR b)"'],
    ['body.n', '-5', 'body.n:-5'],
    ['body."a.b"[].c', 'x', 'body."a.b"[].c:x'],
  ])('%s %s', (field, value, term) => {
    expect(termFor(field, value)).toBe(term);
  });

  test('a text that looks like a number or a JSON word is quoted', () => {
    expect(termFor('body.n', '12', { isText: true })).toBe('body.n:"12"');
    expect(termFor('body.n', 'null', { isText: true })).toBe('body.n:"null"');
    expect(termFor('body.n', 'null')).toBe('body.n:null');
  });

  test('there is none for a value that cannot be typed in a line, or that the field does not take', () => {
    expect(termFor('type', 'a\nb')).toBeUndefined();
    expect(termFor('type', 'a\u0000b')).toBeUndefined();
    expect(termFor('type', '\ud800')).toBeUndefined();
    expect(termFor('type', 'x'.repeat(401))).toBeUndefined();
    expect(termFor('ip', 'unknown')).toBeUndefined();
    expect(termFor('tpye', 'x')).toBeUndefined();
  });

  test('hostile values stay one term with exactly this value', () => {
    for (const value of xssPayloads) {
      const term = termFor('body.x', value);
      if (term === undefined) continue;
      const filter = parse(`${term} b`);
      if (filter instanceof FilterError) throw filter;
      expect(filter.parts).toHaveLength(2);
      expect(filter.root).toMatchObject({ kind: 'and', nodes: [{ on: 'content', value: { text: value } }, {}] });
    }
  });
});

describe('parts of a filter', () => {
  test('a group, a negation and a choice are one part each', () => {
    expect(partsOf('type:a  (b OR c) -tag:x NOT d')).toEqual(['type:a', '(b OR c)', '-tag:x', 'NOT d']);
    expect(partsOf('a OR b')).toEqual(['a OR b']);
    expect(partsOf('type:')).toEqual([]);
    expect(partsOf('')).toEqual([]);
  });

  test('one is removed wherever it stands, with the word that connected it', () => {
    expect(withoutPart('𝕏 type:a "b c"', 1)).toBe('𝕏 "b c"');
    expect(withoutPart('a AND b', 1)).toBe('a');
    expect(withoutPart('a', 0)).toBe('');
    expect(withoutPart('a OR b', 0)).toBe('');
  });

  test('one is added once, and to the whole of a choice', () => {
    expect(withPart('', 'tag:x')).toBe('tag:x');
    expect(withPart('a tag:x', 'tag:x')).toBe('a tag:x');
    expect(withPart('a OR b', 'tag:x')).toBe('(a OR b) tag:x');
    expect(withPart('(a OR b)', 'tag:x')).toBe('(a OR b) tag:x');
    expect(withPart('(a) OR (b)', 'tag:x')).toBe('((a) OR (b)) tag:x');
    expect(withPart('tpye:x', 'tag:x')).toBe('tag:x');
    expect(joinParts(['a OR b'])).toBe('a OR b');
  });

  test('the time is replaced and the rest stays', () => {
    const where = 'received>1h type:a received<2026-11-22 -received:2026-11-20';
    expect(timePartsOf(where)).toEqual(['received>1h', 'received<2026-11-22']);
    expect(withTimeParts(where, ['received>7d'])).toBe('type:a -received:2026-11-20 received>7d');
    expect(withTimeParts(where, [])).toBe('type:a -received:2026-11-20');
  });
});

describe('a misspelt field', () => {
  test.each([
    ['𝕏 tpye:push x', '𝕏 type:push x'],
    ['-(heder.x:1)', '-(header.x:1)'],
    ['siez>10k', 'size>10k'],
    ['has:boddy.x', 'has:body.x'],
  ])('%s becomes %s', (text, corrected) => {
    const problem = parse(text);
    expect(problem instanceof FilterError && withNearest(text, problem)).toBe(corrected);
  });

  test('without a near one nothing is offered', () => {
    const problem = parse('type:');
    expect(problem instanceof FilterError && withNearest('type:', problem)).toBeUndefined();
  });
});

test('characters beyond the Basic Multilingual Plane count as one, and as two in a text field', () => {
  expect(indexAt('a𝕏b', 2)).toBe(3);
  expect(positionAt('a𝕏b', 3)).toBe(2);
});
