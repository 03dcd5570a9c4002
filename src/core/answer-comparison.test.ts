import { describe, expect, test } from 'bun:test';
import { type ComparedAnswer, compareAnswers, maxDifferences } from './answer-comparison.ts';

const answer = (body: unknown, more: Partial<ComparedAnswer> = {}): ComparedAnswer => ({
  status: 200,
  headers: [],
  body: typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body)),
  ...more,
});
const compare = (left: ComparedAnswer, right: ComparedAnswer, ignore: string[] = [], headerNames: string[] = []) =>
  compareAnswers(left, right, { ignore, headerNames });

describe('compareAnswers', () => {
  test('finds seven planted differences, and exactly these', () => {
    const left = {
      id: 12345678901234567890n,
      user: { name: 'Ada', tags: ['a', 'b'], age: null },
      items: [{ sku: 'A-1', price: 1.5 }, { sku: 'B-2' }],
      same: { deep: [1, [2, { three: 3 }]] },
    };
    const write = (value: object) =>
      JSON.stringify(value, (_, one) =>
        typeof one === 'bigint' ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(`${one}`) : one,
      );
    const right = structuredClone(left) as typeof left & { extra?: boolean };
    right.id = 12345678901234567891n;
    right.user.tags = ['a', 'c', 'd'];
    right.items[0] = { sku: 'A-1', price: 1.6 };
    right.items[1] = { sku: '' };
    right.extra = true;
    const found = compare(answer(write(left)), answer(write(right), { status: 201 }));
    expect(found).toEqual([
      { path: 'status', left: 200, right: 201 },
      { path: 'body.id', left: expect.anything(), right: expect.anything() },
      { path: 'body.user.tags.1', left: 'b', right: 'c' },
      { path: 'body.user.tags.2', left: null, right: 'd', missing: 'left' },
      { path: 'body.items.0.price', left: 1.5, right: 1.6 },
      { path: 'body.items.1.sku', left: 'B-2', right: '' },
      { path: 'body.extra', left: null, right: true, missing: 'left' },
    ]);
    expect(JSON.parse(JSON.stringify(found[1]))).toEqual({
      path: 'body.id',
      left: '12345678901234567890',
      right: '12345678901234567891',
    });
  });

  test('sees no difference in white space and in the order of keys', () => {
    expect(compare(answer('{"a":1,"b":[{}]}'), answer('{ "b": [ {} ], "a": 1 }'))).toEqual([]);
  });

  test.each([
    ['null and absent', { a: null }, {}, 'body.a'],
    ['an empty list and an empty object', { a: [] }, { a: {} }, 'body.a'],
    ['a number and text', { a: 1 }, { a: '1' }, 'body.a'],
    ['a key called __proto__', '{"__proto__":1}', '{"__proto__":2}', 'body.__proto__'],
    ['a key of every object', { a: 1 }, '{"a":1,"toString":2}', 'body.toString'],
    ['text', 'a', 'b', 'body'],
    ['bytes that are no text', '\u0080', 'b', 'body'],
    ['JSON and text', { a: 1 }, 'a', 'body'],
  ])('tells %s apart', (_, left, right, path) => {
    expect(compare(answer(left), answer(right)).map(one => one.path)).toEqual([path]);
  });

  test('ignores paths with all below, items of lists, and headers', () => {
    const left = answer({
      at: 1,
      a: { b: { c: 1 }, bc: 1 },
      items: [
        { id: 1, x: 1 },
        { id: 2, x: 1 },
      ],
    });
    const right = answer({
      at: 2,
      a: { b: { c: 2 }, bc: 2 },
      items: [
        { id: 3, x: 1 },
        { id: 4, x: 2 },
      ],
    });
    expect(compare(left, right, ['body.at', 'body.a.b', 'body.items[].id']).map(one => one.path)).toEqual([
      'body.a.bc',
      'body.items.1.x',
    ]);
    expect(compare(answer(1, { status: 500 }), answer(2), ['status', 'body'])).toEqual([]);
  });

  test('compares only the headers that are named, in any case', () => {
    const left = answer('', {
      headers: [
        ['Content-Type', 'a'],
        ['Date', '1'],
        ['Vary', 'x'],
        ['vary', 'y'],
      ],
    });
    const right = answer('', {
      headers: [
        ['content-type', 'b'],
        ['date', '2'],
        ['Vary', 'x, y'],
      ],
    });
    expect(compare(left, right)).toEqual([]);
    expect(compare(left, right, [], ['CONTENT-TYPE', 'vary', 'etag'])).toEqual([
      { path: 'header.content-type', left: 'a', right: 'b' },
    ]);
    expect(compare(left, right, ['header.Content-Type'], ['content-type'])).toEqual([]);
  });

  test('is bounded, and deep bodies do not overflow the stack', () => {
    const many = (value: number) => answer(Array.from({ length: 1000 }, () => value));
    expect(compare(many(1), many(2))).toHaveLength(maxDifferences);
    const deep = (value: number) => answer(`${'['.repeat(2000)}${value}${']'.repeat(2000)}`);
    expect(compare(deep(1), deep(2))).toHaveLength(1);
  });
});
