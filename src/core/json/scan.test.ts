import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findJsonValue, scanJson } from './scan.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('scanning JSON', () => {
  for (const [text, keys, depth] of [
    ['{}', [], 1],
    ['{"a":1,"b":{"c":[{"d":1}]},"e":"f"}', ['a', 'b', 'e'], 4],
    ['[{"a":1,"b":{"c":2}},{"d":3}]', ['a', 'b'], 3],
    ['\ufeff \t\r\n{ "a" : 1 }', ['a'], 1],
    ['{"a":"b\\":\\\\","c":"{[","d":1}', ['a', 'c', 'd'], 1],
    ['{"a":1}\n{"b":2}', ['a'], 1],
    ['["a","b"]', [], 1],
  ] as const) {
    test(text, () => {
      expect(scanJson(bytes(text))).toMatchObject({ keys, depth, closed: true });
    });
  }

  test('gives null for a body that does not start as JSON, and reports unclosed brackets and strings', () => {
    for (const text of ['', '   ', 'a=1', '"text"', '<xml>', '12']) expect(scanJson(bytes(text))).toBeNull();
    for (const text of ['{', '[[]', '{"a":"b', '{"a', '{"a":1}}']) expect(scanJson(bytes(text))?.closed).toBe(false);
  });

  test('counts the keys of all objects', () => {
    expect(scanJson(bytes('{"a":{"b":1,"c":":"},"d":[{"e":1}]}'))?.members).toBe(5);
  });

  test('finds the keys that parsing finds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ unit: 'grapheme-ascii', maxLength: 8 }).filter(key => !/["\\]/.test(key)),
          fc.jsonValue(),
        ),
        value => {
          expect(scanJson(bytes(JSON.stringify(value)))?.keys.sort()).toEqual(Object.keys(value).sort());
        },
      ),
    );
  });
});

describe('finding a value', () => {
  const body = bytes(
    '{"no":[1,{"x":"y"}], "type" : "a\\n\\u00e9", "data":{"type":"b","n":-1.5e2,"list":["p",["q"],{"r":"s"}]}, "t":true}',
  );

  for (const [path, value] of [
    ['type', 'a\né'],
    ['data.type', 'b'],
    ['data.n', -150],
    ['data.list.0', 'p'],
    ['data.list.1.0', 'q'],
    ['data.list.2.r', 's'],
    ['no.1.x', 'y'],
    ['data', undefined],
    ['t', undefined],
    ['data.list.3', undefined],
    ['data.list.x', undefined],
    ['type.x', undefined],
    ['missing', undefined],
  ] as const) {
    test(`${path}: ${value}`, () => {
      expect(findJsonValue(body, path.split('.'))).toBe(value);
    });
  }

  test('finds what parsing finds, and never throws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue(), { maxKeys: 3 })),
        fc.nat(4),
        fc.constantFrom('a', 'b', 'c'),
        (value, index, key) => {
          const parsed: unknown = JSON.parse(JSON.stringify(value))[index]?.[key];
          const expected = typeof parsed === 'string' || typeof parsed === 'number' ? parsed : undefined;
          expect(findJsonValue(bytes(JSON.stringify(value, null, 1)), [String(index), key])).toBe(expected);
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\a1 ') }), text => {
        findJsonValue(bytes(text), ['a', '0', 'a']);
        scanJson(bytes(text));
      }),
    );
  });
});
