import { describe, expect, test } from 'bun:test';
import { FilterError } from '../../../shared/filter/filter.ts';
import { xssPayloads } from '../../../testing/browser/xss.ts';
import { complete } from './completion.ts';
import { parse } from './filter-text.ts';
import type { SeenValues } from './seen-values.ts';

const now = Date.UTC(2026, 10, 22, 14);
const seen: SeenValues = {
  types: ['invoice.paid', 'invoice.voided', 'Order Paid'],
  platforms: ['stripe', 'github'],
  methods: ['POST'],
  paths: ['/orders/7'],
  tags: ['golden', 'two words'],
  ips: ['127.0.0.1'],
  fields: [
    { field: 'header.x-shop-domain', value: 'acme.test' },
    { field: 'query.page', value: '2' },
    { field: 'body.data.object.amount', value: '4900' },
    { field: 'body.items[].sku', value: 'A-1' },
    { field: 'body.long', value: undefined },
  ],
};

/** The suggestions where the text has a `|`. */
const texts = (marked: string, values = seen): string[] => {
  const caret = marked.indexOf('|');
  return complete(marked.replace('|', ''), caret, values, now).suggestions.map(({ text }) => text);
};
/** The text after the first suggestion was taken. */
const taken = (marked: string): string => {
  const text = marked.replace('|', '');
  const { start, end, suggestions } = complete(text, marked.indexOf('|'), seen, now);
  return text.slice(0, start) + (suggestions[0]?.text ?? '') + text.slice(end);
};

describe('completion of a filter', () => {
  test('an empty place suggests all fields with a line about each', () => {
    const { suggestions } = complete('', 0, seen, now);
    expect(suggestions.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['type:', 'received>', 'size>', 'header.', 'body.', 'has:', 'is:']),
    );
    expect(suggestions.every(({ hint, isWhole }) => hint !== '' && !isWhole)).toBe(true);
    expect(texts('type:x |')).toContain('platform:');
  });

  test('a word is completed to a field, a seen value, or a field of the body', () => {
    expect(texts('ty|')[0]).toBe('type:');
    expect(texts('inv|')).toEqual(['type:invoice.paid', 'type:invoice.voided', 'type:invoice.*']);
    expect(texts('amount|')).toEqual(['body.data.object.amount:']);
    expect(texts('zzz|')).toEqual([]);
  });

  test.each([
    ['a ty| b', 'a type: b'],
    ['-ty|', '-type:'],
    ['(a OR plat|)', '(a OR platform:)'],
    ['type:inv|', 'type:invoice.paid'],
    ['type:inv|oice.voided', 'type:invoice.paid'],
    ['type:order|', 'type:"Order Paid"'],
    ['tag:"two|', 'tag:"two words"'],
    ['platform:G|', 'platform:github'],
    ['method:|', 'method:POST'],
    ['verdict:inv|', 'verdict:invalid'],
    ['is:pi|', 'is:pinned'],
    ['header.shop|', 'header.x-shop-domain:'],
    ['header.x-shop-domain:|', 'header.x-shop-domain:acme.test'],
    ['body.sku|', 'body.items[].sku:'],
    ['body.data.object.amount>|', 'body.data.object.amount>4900'],
    ['has:body.it|', 'has:body.items[].sku'],
    ['received>|', 'received>15m'],
    ['received:|', 'received:2026-11-22'],
    ['size>=|', 'size>=1k'],
    ['𝕏𝕏 ip:|', '𝕏𝕏 ip:127.0.0.1'],
  ])('%s becomes %s', (marked, expected) => expect(taken(marked)).toBe(expected));

  test('what is already written is not suggested', () => {
    expect(texts('is:pinned|')).toEqual([]);
    expect(texts('type:invoice.paid|')).not.toContain('type:invoice.paid');
  });

  test('nothing is suggested for an unknown field', () => expect(texts('tpye:|')).toEqual([]));

  test('every whole suggestion is a filter of one term, also of hostile values', () => {
    const hostile: SeenValues = {
      types: [...xssPayloads],
      platforms: [...xssPayloads],
      methods: [...xssPayloads],
      paths: [...xssPayloads],
      tags: [...xssPayloads],
      ips: [...xssPayloads],
      fields: xssPayloads.map(text => ({ field: 'header.x', value: text })),
    };
    for (const field of ['type', 'platform', 'method', 'path', 'tag', 'ip', 'header.x', 'received', 'verdict', 'has']) {
      const { suggestions } = complete(`${field}:`, field.length + 1, hostile, now);
      for (const { text, isWhole } of suggestions) {
        const filter = parse(text);
        expect(isWhole).toBe(true);
        expect(filter instanceof FilterError ? filter.message : filter.root?.kind).toBe('term');
      }
    }
  });
});
