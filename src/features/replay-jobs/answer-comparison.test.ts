import { describe, expect, test } from 'bun:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
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
    ['JSON and damaged JSON', { a: 1 }, '{"a":1', 'body'],
    ['a large number and its digits as text', '{"a":12345678901234567890}', '{"a":"12345678901234567890"}', 'body.a'],
    ['nothing and null', '', 'null', 'body'],
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

  test('compares what compressed answers contain, not how they are compressed', () => {
    const packed = (text: string, level: number) =>
      answer('', { body: gzipSync(text, { level }), headers: [['Content-Encoding', 'GZIP']] });
    const brotli = answer('', { body: brotliCompressSync('{"b":2,"a":1}'), headers: [['content-encoding', 'br']] });
    for (const other of [packed('{"b":2,"a":1}', 9), brotli, answer({ a: 1, b: 2 })])
      expect(compare(packed('{"a":1,"b":2}', 1), other)).toEqual([]);
    expect(compare(packed('{"a":1}', 1), packed('{"a":2}', 9))).toEqual([{ path: 'body.a', left: 1, right: 2 }]);
  });

  test('compares the bytes of answers that are damaged, too large, or not compressed as they say', () => {
    const claims = (body: Uint8Array, name = 'gzip') => answer('', { body, headers: [['content-encoding', name]] });
    const bomb = (of: string) => gzipSync(of.repeat(8 << 20));
    for (const [left, right] of [
      [Buffer.from('{"a":1}'), Buffer.from('{"a":2}')],
      [gzipSync('{"a":1}').subarray(0, 15), gzipSync('{"a":2}').subarray(0, 20)],
      [bomb('a'), bomb('b')],
    ] as const)
      expect(compare(claims(left), claims(right))).toHaveLength(1);
    expect(compare(claims(Buffer.from('{"a":1}'), 'constructor'), answer({ a: 2 }))).toHaveLength(1);
  });

  test('tells a header that is missing, one that comes twice, and another charset', () => {
    const left = answer('', {
      headers: [
        ['X-Gone', '1'],
        ['X-Twice', '1'],
        ['X-Twice', '2'],
        ['Content-Type', 'text/plain; charset=utf-8'],
      ],
    });
    const right = answer('', {
      headers: [
        ['X-Twice', '1'],
        ['Content-Type', 'text/plain; charset=latin1'],
      ],
    });
    expect(compare(left, right, [], ['x-gone', 'x-twice', 'content-type']).map(one => [one.path, one.right])).toEqual([
      ['header.x-gone', null],
      ['header.x-twice', '1'],
      ['header.content-type', 'text/plain; charset=latin1'],
    ]);
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

  test.each(['body.a[0', 'body.a[z-a]', 'body.a]', 'body.('])('the path %s ignores what it says', path => {
    const [left, right] = [answer({ a: 1, [path.slice('body.'.length)]: 1 }), answer({ a: 2 })];
    expect(compare(left, right, [path]).map(one => one.path)).toEqual(['body.a']);
  });

  test('ignores a path, what is below it and any item, and nothing that only begins alike', () => {
    const answerOf = (n: number) => {
      const item = { id: n, n };
      return answer({ a: n, ab: n, items: [item, item], '0': { x: n } });
    };
    const [left, right] = [answerOf(1), answerOf(2)];
    const paths = (...ignore: string[]) => compare(left, right, ignore).map(({ path }) => path);
    expect(paths('body.a', 'body.items[].id', 'body.items.1.n', 'body.0')).toEqual(['body.ab', 'body.items.0.n']);
    expect(paths('body')).toEqual([]);
    expect(paths('bod', 'body.')).toHaveLength(7);
  });
});
