import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { editJson, JsonPathError } from './edit.ts';

const edit = (text: string, set: Record<string, string>, unset: string[] = []) =>
  editJson(Buffer.from(text), {
    set: Object.entries(set).map(([path, json]) => [path.split('.'), json] as const),
    unset: unset.map(path => path.split('.')),
  }).toString();

describe('set', () => {
  test.each([
    ['{ "a" : 1 , "b":2}', { a: '"x"' }, '{ "a" : "x" , "b":2}'],
    ['{"items":[ {"sku":"A-1","n":1e400}, 2 ]}', { 'items.0.sku': '"B"' }, '{"items":[ {"sku":"B","n":1e400}, 2 ]}'],
    ['[1,\n2 ]\n', { '1': '12345678901234567890' }, '[1,\n12345678901234567890 ]\n'],
    ['\ufeff{"a":{"b":null}}', { 'a.b': '{}' }, '\ufeff{"a":{"b":{}}}'],
    ['{"caf\\u00e9":1,"caf":2}', { café: '3' }, '{"caf\\u00e9":3,"caf":2}'],
    ['{"a":"}]\\"","b":[[],{}]}', { 'b.1': '0', a: '""' }, '{"a":"","b":[[],0]}'],
    ['{"a":1,"a":2}', { a: '3' }, '{"a":1,"a":3}'],
    ['{"a":{"b":1},"a":{"c":1}}', { 'a.c': '2' }, '{"a":{"b":1},"a":{"c":2}}'],
    ['{"":1}', { '': '2' }, '{"":2}'],
  ])('%s with %j is %s', (text, set, expected) => expect(edit(text, set)).toBe(expected));

  test.each([
    ['{"a":1}', 'b'],
    ['{"a":1}', 'a.b'],
    ['[1]', '1'],
    ['[1]', '01'],
    ['[1]', '-1'],
    ['[1]', 'length'],
    ['{"a":{"b":1},"a":{}}', 'a.b'],
    ['1', 'a'],
    ['{}', '__proto__'],
  ])('%s has nothing at %s', (text, path) => {
    expect(() => edit(text, { [path]: '1' })).toThrow(JsonPathError);
    expect(() => edit(text, {}, [path])).toThrow(JsonPathError);
  });
});

describe('unset', () => {
  test.each([
    ['{"a":1, "b":2, "c":3}', ['a'], '{"b":2, "c":3}'],
    ['{"a":1, "b":2, "c":3}', ['b'], '{"a":1, "c":3}'],
    ['{"a":1, "b":2, "c":3 }', ['c'], '{"a":1, "b":2 }'],
    ['{"a":1, "b":2, "c":3}', ['b', 'c'], '{"a":1}'],
    ['{ "a":1, "b":2 }', ['a', 'b'], '{  }'],
    ['[1, 2, 3, 4]', ['0', '2'], '[2, 4]'],
    ['[1, 2, 3, 4]', ['3', '1', '0'], '[3]'],
    ['{"a":1,"b":0,"a":2}', ['a'], '{"b":0}'],
    ['{"a":{"x":1},"b":[1]}', ['a.x', 'b.0'], '{"a":{},"b":[]}'],
  ])('of %s, %j leaves %s', (text, unset, expected) => expect(edit(text, {}, unset)).toBe(expected));

  test.each([
    [{ a: '1', 'a.b': '2' }, []],
    [{ 'a.b': '1' }, ['a']],
    [{}, ['a', 'a.b']],
    [{}, ['a', 'a']],
    [{ a: '1' }, ['a']],
  ])('paths inside each other are refused: %j, %j', (set, unset) =>
    expect(() => edit('{"z":0,"a":{"b":1}}', set, unset)).toThrow('overlapping'),
  );
});

/** The paths to all values of a document, with the value as JavaScript sees it. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

const spaced = (value: unknown, space: string): string =>
  JSON.stringify(value, null, space.length === 0 ? undefined : space);

test('agrees with changing the parsed document, however it is written', () => {
  const safeKey = fc.string({ maxLength: 4 }).filter(key => key !== '__proto__' && !/^\d+$/.test(key));
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(safeKey, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(
      value,
      fc.nat(),
      fc.constantFrom('', ' ', '\t'),
      fc.json(),
      fc.boolean(),
      (document, pick, space, json, removes) => {
        const paths = pathsOf(document).filter(path => path.length > 0);
        const path = paths[pick % paths.length];
        if (path === undefined) return;
        const text = spaced(document, space);
        const edited = editJson(
          Buffer.from(text),
          removes ? { set: [], unset: [path] } : { set: [[path, json]], unset: [] },
        );
        const parent: unknown = path
          .slice(0, -1)
          .reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], document);
        const last = path.at(-1) ?? '';
        if (!removes) (parent as Record<string, unknown>)[last] = JSON.parse(json);
        else if (Array.isArray(parent)) parent.splice(Number(last), 1);
        else delete (parent as Record<string, unknown>)[last];
        expect(JSON.parse(edited.toString())).toEqual(document as object);
      },
    ),
    { numRuns: 500 },
  );
});
