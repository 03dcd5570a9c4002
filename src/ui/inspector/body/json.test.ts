import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isJsonDocument,
  type JsonDocument,
  keyOf,
  parseJson,
  pathOf,
  prettyJson,
  sourceText,
  valueText,
} from './json.ts';

const parsed = (text: string): JsonDocument => {
  const document = parseJson(text);
  if (!isJsonDocument(document)) throw new Error(`${document.problem} at ${document.offset}`);
  return document;
};
const leaves = (text: string): string[] => {
  const document = parsed(text);
  return document.nodes.filter(node => node.size === 0).map(node => sourceText(document, node));
};

describe('lossless', () => {
  test('numbers are kept as written', () => {
    expect(leaves('[12345678901234567890, 1.0, 1e400, -0, 0.10]')).toEqual([
      '12345678901234567890',
      '1.0',
      '1e400',
      '-0',
      '0.10',
    ]);
  });

  test('keys keep their order and duplicates, and `__proto__` is an ordinary key', () => {
    const document = parsed('{"b":1,"a":2,"b":3,"__proto__":4,"10":5}');
    expect(document.nodes.slice(1).map(node => keyOf(document, node))).toEqual(['b', 'a', 'b', '__proto__', '10']);
  });

  test('strings are unescaped for copying and unchanged in the source text', () => {
    const document = parsed('["\\u00e9\\n\\ud83d\\ude00"]');
    const node = document.nodes[1];
    if (!node) throw new Error('no node');
    expect(valueText(document, node)).toBe('é\n😀');
    expect(sourceText(document, node)).toBe('"\\u00e9\\n\\ud83d\\ude00"');
  });
});

describe('grammar', () => {
  test('accepts and rejects the same texts as JSON.parse', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      'a',
      '\\',
      '0',
      '-',
      '1',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\n',
      '"k"',
      '\\u12',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(isJsonDocument(parseJson(text))).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  test('any value survives tokenising and re-indenting', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(JSON.parse(prettyJson(parsed(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('a problem has its line and column', () => {
    expect(parseJson('{\n  "a": 1,\n}')).toEqual({
      problem: 'expected a key in double quotes',
      offset: 12,
      line: 3,
      column: 1,
    });
    expect(parseJson('')).toMatchObject({ problem: 'unexpected end of text, expected a value' });
  });

  test('a byte order mark is skipped', () => expect(leaves('\ufeff[1]')).toEqual(['1']));
});

describe('size', () => {
  test('100,000 levels deep', () => {
    const deep = 100_000;
    const document = parsed(`${'['.repeat(deep)}${']'.repeat(deep)}`);
    expect(document.nodes).toHaveLength(deep);
    expect(document.nodes[0]?.after).toBe(deep);
    expect(pathOf(document, 3)).toBe('$[0][0][0]');
  });

  test('a string of 4 MB with escapes at every chunk boundary', () => {
    const value = 'x\\"\\u00e9\\\\'.repeat(400_000);
    expect(leaves(`["${value}"]`)).toEqual([`"${value}"`]);
    expect(isJsonDocument(parseJson(`["${value}\\x"]`))).toBe(false);
  });
});

test('paths quote only the keys that need it', () => {
  const document = parsed('{"a":[{"odd \\"key":1}]}');
  expect(pathOf(document, 3)).toBe('$.a[0]["odd \\"key"]');
});
