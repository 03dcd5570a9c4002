import { describe, expect, test } from 'bun:test';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import fc from 'fast-check';
import { isJson } from './json-valid.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('isJson', () => {
  test.each([
    '{"type":"a"}{"type":"b"}',
    '{"type":"x",}',
    '{"type":"x"} x',
    '{"type":"x"}]',
    '{"type":"x"',
    '{"type":"x","a":[1,]}',
    '{"type":"x","a":[1}}',
    '{"type":"x","a":{"b":1]}',
    '{"type":"x" "a":1}',
    '{"type":"x","a":01}',
    '{"type":"x","a":1.}',
    '{"type":"x","a":.5}',
    '{"type":"x","a":+1}',
    '{"type":"x","a":1e}',
    '{"type":"x","a":-}',
    '{"type":"x","a":tru}',
    '{"type":"x","a":True}',
    '{"type":"x","a":NaN}',
    '{"type":"x","a":"\n"}',
    '{"type":"x","a":"\\x41"}',
    '{"type":"x","a":"\\u12g4"}',
    '{"type":"x","a":"\\u12"}',
    '{"type":"x","a":"\\',
    '{"type":"x",a:1}',
    "{'type':'x'}",
    '{"type":"x"}\0',
    '{"type":"x"}\u00a0',
    '{"type":"x","a"}',
    '{"type":"x","a":}',
    '{"type":"x",,"a":1}',
    '{:1}',
    '[,1]',
    '',
    ' ',
    ',',
    ':',
    '}',
  ])('%j is not', text => {
    expect(parses(text)).toBe(false);
    expect(isJson(bytes(text))).toBe(false);
  });

  test.each([
    '0',
    '-0',
    '-0.0e+10',
    '1E5',
    '"a"',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[[],{}]',
    ' \t\r\n{ "a" : [ 1 , 2 ] } \n',
    '"\\ud800"',
    '{"":""}',
  ])('%j is', text => {
    expect(parses(text)).toBe(true);
    expect(isJson(bytes(text))).toBe(true);
    expect(isJson(bytes(`\ufeff${text}`))).toBe(true);
  });

  test('says of any text what parsing it says', () => {
    const piece = fc.constantFrom(
      ...'{}[]",:\\ \n-+.0123eEutrfalsn\u0001é',
      '"a"',
      '{"a":1}',
      '[1]',
      'true',
      'null',
      '\\u00e9',
    );
    fc.assert(
      fc.property(fc.string({ unit: piece }), text => {
        expect(isJson(bytes(text))).toBe(parses(text));
      }),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(), piece, (text, from, length, other) => {
        expect(isJson(bytes(text))).toBe(true);
        const at = from % (text.length + 1);
        const changed = text.slice(0, at) + other + text.slice(at + (length % 3));
        expect(isJson(bytes(changed))).toBe(parses(changed));
      }),
      { numRuns: 2000 },
    );
  });

  test('takes every example of GitHub', () => {
    const bodies = examples.flatMap(one => one.examples.map(example => JSON.stringify(example, null, 2)));
    expect(bodies.filter(text => !isJson(bytes(text)))).toEqual([]);
  });

  test('any depth', () => {
    const depth = 500_000;
    expect(isJson(bytes('['.repeat(depth) + ']'.repeat(depth)))).toBe(true);
    expect(isJson(bytes('['.repeat(depth) + ']'.repeat(depth - 1)))).toBe(false);
    expect(isJson(bytes(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth - 1)}]`))).toBe(false);
  });
});
