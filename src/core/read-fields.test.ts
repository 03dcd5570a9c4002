import { describe, expect, test } from 'bun:test';
import { Type as t } from '@sinclair/typebox';
import { pathText, problemText } from './field-problems.ts';
import { fittingPart, readFields } from './read-fields.ts';

const Rule = t.Object(
  { status: t.Integer({ minimum: 200, maximum: 599 }), name: t.Optional(t.String({ minLength: 1, maxLength: 5 })) },
  { additionalProperties: false },
);
const Input = t.Object(
  {
    rules: t.Array(Rule, { maxItems: 2 }),
    mode: t.Optional(t.Union([t.Literal('fast'), t.Literal('slow')])),
    count: t.Optional(t.Union([t.Integer({ minimum: 1 }), t.Null()])),
    pair: t.Optional(t.Tuple([t.String(), t.String()])),
    isOn: t.Optional(t.Boolean()),
    host: t.Optional(t.String({ pattern: '^[a-z]+$', problem: 'must be lower-case letters' })),
    'a/b': t.Optional(t.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: false },
);

const problemsOf = (value: unknown): string[] => {
  const read = readFields(Input, value);
  return 'problems' in read ? read.problems.map(problemText) : [];
};

describe('readFields', () => {
  test('returns a value that fits', () => {
    const value = { rules: [{ status: 200 }], count: null };
    expect(readFields(Input, value)).toEqual({ value });
  });

  test.each([
    [{}, 'rules: required'],
    [{ rules: {} }, 'rules must be a list'],
    [{ rules: [{ status: 200 }, { status: 600 }] }, 'rules[1].status must be a whole number from 200 to 599'],
    [{ rules: [{ status: '200' }] }, 'rules[0].status must be a whole number from 200 to 599'],
    [{ rules: [{}] }, 'rules[0].status: required'],
    [{ rules: [{ status: 200, nmae: 'a' }] }, 'rules[0].nmae: no such field; did you mean name?'],
    [{ rules: [{ status: 200, name: '' }] }, 'rules[0].name must not be empty'],
    [{ rules: [{ status: 200, name: 'abcdef' }] }, 'rules[0].name must have at most 5 characters'],
    [{ rules: [1, 2, 3].map(() => ({ status: 200 })) }, 'rules must have at most 2 elements'],
    [{ rules: [null] }, 'rules[0] must be an object'],
    [{ rules: [], mode: 'quick' }, 'mode must be fast or slow'],
    [{ rules: [], count: 0 }, 'count must be a whole number, at least 1'],
    [{ rules: [], pair: ['a'] }, 'pair must be a list of 2 elements'],
    [{ rules: [], pair: ['a', 1] }, 'pair[1] must be a text'],
    [{ rules: [], isOn: 1 }, 'isOn must be true or false'],
    [{ rules: [], host: 'A' }, 'host must be lower-case letters'],
    [{ rules: [], 'a/b': 2 }, 'a/b must be a number from 0 to 1'],
    [[], 'must be an object'],
    ['text', 'must be an object'],
  ])('%j: %s', (value, problem) => {
    expect(problemsOf(value)[0]).toBe(problem);
  });

  test('reports each field once, and all fields', () => {
    expect(problemsOf({ isOn: 1, mode: 2, undeclared: 3 })).toEqual([
      'rules: required',
      'undeclared: no such field',
      'mode must be fast or slow',
      'isOn must be true or false',
    ]);
  });

  test('stops after 20 problems', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, i]));
    expect(problemsOf(many)).toHaveLength(20);
  });

  test('does not repeat the value', () => {
    expect(JSON.stringify(readFields(Input, { rules: [{ status: 'hunter2' }], mode: 'hunter2' }))).not.toContain(
      'hunter2',
    );
  });
});

describe('fittingPart', () => {
  const Outer = t.Object(
    { name: t.Optional(t.String()), rate: t.Optional(Rule), list: t.Optional(t.Array(t.String())) },
    { additionalProperties: false },
  );
  test.each([
    [{ name: 'a' }, { name: 'a' }],
    [{ name: 1, list: ['a'] }, { list: ['a'] }],
    [{ name: 'a', rate: { name: 'b' } }, { name: 'a' }],
    [{ name: 'a', rate: { status: '200' } }, { name: 'a' }],
    [{ name: 'a', list: [2, 1] }, { name: 'a' }],
    [{ nmae: 'a', name: 'b' }, { name: 'b' }],
    ['text', undefined],
  ])('of %j is %j', (value, part) => {
    expect(fittingPart(Outer, value)).toEqual(part as never);
  });

  test('an object without a required field does not fit', () => {
    expect(fittingPart(Rule, { name: 'a' })).toBeUndefined();
  });
});

test.each([
  [[], ''],
  [['name'], 'name'],
  [['endpoints', 0, 'guard', 'tokens', 1, 'header'], 'endpoints[0].guard.tokens[1].header'],
])('the path %j is written %p', (path, text) => {
  expect(pathText(path)).toBe(text);
});
