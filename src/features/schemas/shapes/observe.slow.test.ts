import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { compileSchema, jsonSchemaOf, learn, learnInto, storedText } from '../../../testing/schemas.ts';
import { decodeSchema, encodeSchema } from './codec.ts';
import { observe } from './observe.ts';
import { toJsonSchema } from './print-json-schema.ts';
import { toZod } from './print-zod.ts';
import { countPaths, maxPaths, newSchema } from './shape.ts';

const repeat = (count: number, make: (n: number) => unknown): string[] =>
  Array.from({ length: count }, (_, n) => JSON.stringify(make(n)));
const integer = { type: 'integer' };
const string = { type: 'string' };
const properties = (schema: object): Record<string, unknown> =>
  (schema as { properties: Record<string, unknown> }).properties;

describe('a schema', () => {
  test.each([
    ['true', { type: 'boolean' }],
    ['null', { type: 'null' }],
    ['"text"', string],
    [' {} ', { type: 'object', properties: {} }],
    ['[]', { type: 'array' }],
    ['[1, "a", null]', { type: 'array', items: { anyOf: [integer, string, { type: 'null' }] } }],
    ['[[1], []]', { type: 'array', items: { type: 'array', items: integer } }],
    [
      '[{"a":1},{"a":null,"b":"x"}]',
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: ['integer', 'null'] }, b: string }, required: ['a'] },
      },
    ],
  ])('of %s', (text, expected) => {
    expect(jsonSchemaOf([text])).toEqual(expected);
  });

  test.each([
    ['0', 'integer'],
    ['-0', 'integer'],
    ['12345678901234567890123', 'integer'],
    ['-9007199254740993', 'integer'],
    ['1.0', 'number'],
    ['1e3', 'number'],
    ['1E400', 'number'],
  ])('tells by its text that %s is of type %s', (text, type) => {
    expect(jsonSchemaOf([text])).toEqual({ type });
  });

  test('has a number where there are integers and fractions', () => {
    expect(jsonSchemaOf(['{"a":1}', '{"a":1.5}'])).toMatchObject({ properties: { a: { type: 'number' } } });
  });

  test('says which integers JSON.parse would round', () => {
    const [exact, rounded] = ['9007199254740991', '9007199254740993'].map(text => toZod(learn([text]), untitled));
    expect([exact?.includes('z.number().int();'), rounded?.includes('z.number();')]).toEqual([true, true]);
  });

  test('has a property as optional only where an object was without it', () => {
    const schema = jsonSchemaOf(['{"a":1,"o":{"x":1}}', '{"a":null,"o":{"x":2},"b":1}', '{"a":2,"o":{"x":3}}']);
    expect(schema).toMatchObject({ required: ['a', 'o'], properties: { o: { required: ['x'] } } });
    // A property that some of the objects in a list have.
    const list = jsonSchemaOf(['[{"a":1},{"a":2,"b":1}]', '[{"a":1,"b":1}]']);
    expect(list['items']).toMatchObject({ required: ['a'] });
  });

  test('counts a repeated key once', () => {
    const texts = ['{"a":1,"a":"x","b":1}', '{"a":1}'];
    expect(jsonSchemaOf(texts)).toMatchObject({ required: ['a'] });
    expect(properties(jsonSchemaOf(texts))['a']).toEqual({ anyOf: [integer, string] });
  });

  test.each([['__proto__'], ['constructor'], ['toString'], ['\ud800'], ['"'], [''], ['\0']])(
    'has the key %j as a property',
    key => {
      const text = `{${JSON.stringify(key)}:1}`;
      const schema = jsonSchemaOf([text]);
      expect(Object.entries(properties(schema))).toEqual([[key, integer]]);
      expect(schema['required']).toEqual([key]);
      expect(toJsonSchema(decodeSchema(encodeSchema(learn([text]))) ?? newSchema(), null)).toMatchObject(schema);
    },
  );

  test('describes 32 levels, and accepts anything below', () => {
    const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`;
    const text = JSON.stringify(jsonSchemaOf([nested(100_000)]));
    expect(text.match(/"a":/g)).toHaveLength(16);
    expect(text).toContain('"items":{}');
    expect(JSON.stringify(jsonSchemaOf([nested(32)]))).toContain('"items":{"type":"integer"}');
  });
});

describe('an object with many keys', () => {
  test('has at most 2,000 described, and says that there are more', () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `"field ${n}":${n % 2 === 0 ? 1 : '"a"'}`);
    const schema = learn([`{"first":{"x":1},${keys.join()}}`]);
    expect([schema.paths, countPaths(schema.root)]).toEqual([maxPaths, maxPaths]);
    const printed = toJsonSchema(schema, null);
    expect(printed['additionalProperties']).toBe(true);
    expect(Object.keys(properties(printed))).toHaveLength(maxPaths - 1);
    expect(properties(printed)['first']).toEqual({ type: 'object', properties: { x: integer }, required: ['x'] });
    expect(toZod(schema, untitled)).toContain('.passthrough();');
    expect(storedText(schema).length).toBeLessThan(200_000);
  });

  test('is read in slices', () => {
    const keys = Array.from({ length: 20_000 }, (_, n) => `"field ${n}":${n % 2 === 0 ? 1 : '"a"'}`);
    expect([...observe(newSchema(), `{${keys.join()}}`)].length).toBeGreaterThan(30);
    const skipped = `${'['.repeat(40)}${'[1,2],'.repeat(100_000)}1${']'.repeat(40)}`;
    expect([...observe(newSchema(), skipped)].length).toBeGreaterThan(10);
  });

  test('is a map when its keys are ids, and then has one shape for all values', () => {
    const ids = (from: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`cus_${from + n}x9a81b`, { n, at: n % 2 ? n : null }]));
    const schema = learn(repeat(5, n => ({ kept: 1, usage: ids(1000 * n) })));
    expect(properties(toJsonSchema(schema, null))['usage']).toEqual({
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { n: integer, at: { type: ['integer', 'null'] } },
        required: ['n', 'at'],
      },
    });
    expect(schema.paths).toBe(5);
  });

  test('is a map when its keys change all the time, whatever they look like', () => {
    const word = (n: number): string => `k${String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26))}`;
    const schema = jsonSchemaOf(repeat(100, n => ({ metadata: { [word(n)]: n, [word(n + 1)]: n } })));
    expect(properties(schema)['metadata']).toEqual({ type: 'object', additionalProperties: integer });
  });

  test('is no map when its values are of different kinds or its keys stay the same', () => {
    const mixed = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`field_${'ab'.repeat(n + 1)}`, n % 2 ? n : 'x']),
    );
    const alike = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`field_${'cd'.repeat(n % 40)}${n % 3}`, 'x']),
    );
    for (const object of [mixed, alike])
      expect(Object.keys(properties(jsonSchemaOf(repeat(30, () => object))))).toEqual(
        Object.keys(object).filter(key => key.length <= 100),
      );
  });

  test('never keeps addresses of people as keys', () => {
    const alone = learn(repeat(3, n => ({ byPerson: { [`ada${n}@example.com`]: n } })));
    expect(properties(toJsonSchema(alone, null))['byPerson']).toEqual({
      type: 'object',
      additionalProperties: integer,
    });
    const mixed = learn(repeat(3, n => ({ total: 1, [`ada${n}@example.com`]: n })));
    expect(toJsonSchema(mixed, null)).toMatchObject({ properties: { total: integer }, additionalProperties: true });
    for (const schema of [alone, mixed]) expect(storedText(schema)).not.toContain('@');
  });
});

describe('every schema', () => {
  const json = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, 0, -1, 1.5, 'paid', 'open', '2026-11-22T10:00:00Z', 'https://example.com/', 'a b'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'type', '__proto__', 'x y', '1'), tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  test('accepts what it was learned from, in all forms, also when it is stored after each event', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 12 }), values => {
        const texts = values.map(value => JSON.stringify(value));
        const schema = learn(texts);
        let stored = newSchema();
        for (const text of texts) {
          learnInto(stored, [text]);
          stored = decodeSchema(encodeSchema(stored)) ?? newSchema();
        }
        const printed = toJsonSchema(schema, null);
        expect(toJsonSchema(stored, null)).toEqual(printed);
        expect(schema.paths).toBe(countPaths(schema.root));
        const isValid = compileSchema(printed);
        const source = toZod(schema, untitled);
        const parsers = [z, z3].map(library => evaluate(source, library));
        for (const text of texts) {
          expect([isValid(JSON.parse(text)), isValid.errors]).toEqual([true, null]);
          for (const parser of parsers) parser.parse(JSON.parse(text));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('keeps no values but those of small enums', () => {
    const texts = repeat(40, n => ({
      status: ['paid', 'open'][n % 2],
      total: 424242 + n,
      name: ['ada', 'bob'][n % 2],
      note: 'a free text',
      customer: { email: 'ada@example.com', nick: 'ada', tier: ['gold', 'basic'][n % 2] },
      token: 'sosecret',
      ref: `ord${n}`,
    }));
    const stored = storedText(learn(texts));
    for (const kept of ['paid', 'open', 'gold', 'basic']) expect(stored).toContain(`"${kept}"`);
    for (const secret of ['ada', 'bob', '424242', 'free', 'example', 'sosecret', 'ord1'])
      expect(stored).not.toContain(secret);
  });
});

const untitled = { platform: null, type: null };

function evaluate(source: string, library: unknown): { parse: (value: unknown) => unknown } {
  const expression = source.replace("import { z } from 'zod';", '').replace('export const WebhookEvent =', 'return');
  return new Function('z', expression)(library) as { parse: (value: unknown) => unknown };
}
