import { describe, expect, test } from 'bun:test';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import fc from 'fast-check';
import { isJson, validateJson } from './validator.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const maxDepth = 100;

/** The result of validating in slices, and how many there were. */
function inSlices(text: string, sliceBytes: number): { isValid: boolean; slices: number } {
  const validation = validateJson(Buffer.from(text), { sliceBytes, maxDepth });
  for (let slices = 1; ; slices++) {
    const { done, value } = validation.next();
    if (done) return { isValid: value, slices };
  }
}

const texts = [
  ...['', ' ', '1', '-', '-0', '01', '1.', '.5', '1.5e', '1e+5', '1E-5', '1e400', '--1', '+1', '0x1', 'NaN', '1 2'],
  ...['true', 'tru', 'truex', 'nul', 'null', 'false ', 'undefined', '"', '""', '"\\', '"\\"', '"\\u12"', '"\\u12fF"'],
  ...['"\\x"', '"\t"', '"\u007f\u2028"', '"\\ud800"', '[', ']', '[]', '[1,]', '[,1]', '[1 2]', '[1,2', '[[]', '[]]'],
  ...['{', '{}', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{a:1}', '{"a":1,"a":[2]}', '{"a":1}}', '[}', '{]'],
  ...['[1}', '{"a":1]', '\ufeff1', '\u00a01', '\v1', ' \t\r\n1 ', '1,', ',', ':', '"a":1', '[:]', '{"__proto__":{}}'],
  ...['12345678901234567890', '[1.10,-0,-1,1E2,0.0,123456789012345,1234567890123456,0]', '[true,false,null]', '/**/1'],
];

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
  ])('%j is no JSON', text => {
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
  ])('%j is JSON, with a byte order mark too', text => {
    expect(parses(text)).toBe(true);
    expect(isJson(bytes(text))).toBe(true);
    expect(isJson(bytes(`\ufeff${text}`))).toBe(true);
  });

  test('agrees with JSON.parse on any text', () => {
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

  test('accepts every example of GitHub', () => {
    const bodies = examples.flatMap(one => one.examples.map(example => JSON.stringify(example, null, 2)));
    expect(bodies.filter(text => !isJson(bytes(text)))).toEqual([]);
  });

  test('reads any depth', () => {
    const depth = 500_000;
    expect(isJson(bytes('['.repeat(depth) + ']'.repeat(depth)))).toBe(true);
    expect(isJson(bytes('['.repeat(depth) + ']'.repeat(depth - 1)))).toBe(false);
    expect(isJson(bytes(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth - 1)}]`))).toBe(false);
  });
});

describe('validateJson', () => {
  test.each(texts)('agrees with JSON.parse on %j, in slices of any size', text => {
    for (const sliceBytes of [1, 2, 3, 5, 64]) expect(inSlices(text, sliceBytes).isValid).toBe(parses(text));
  });

  test('agrees with JSON.parse on damaged texts', () => {
    const whole = '{"a":[1,-2.5e3,"x\\n\\u00e9é😀",{"b":null,"c":[]}],"d":true} ';
    const marks = [...'{}[],:"\\0-.eu t\n'];
    let valid = 0;
    for (let at = 0; at < whole.length; at++)
      for (const mark of ['', ...marks])
        for (const text of [
          whole.slice(0, at) + mark + whole.slice(at),
          whole.slice(0, at) + mark + whole.slice(at + 1),
        ])
          if (text.isWellFormed()) {
            expect([text, inSlices(text, 7).isValid]).toEqual([text, parses(text)]);
            if (parses(text)) valid++;
          }
    expect(valid).toBeGreaterThan(100);
  });

  test('interrupts long strings, and documents of many values', () => {
    expect(inSlices(`"${'x'.repeat(1 << 20)}"`, 64 << 10)).toEqual({ isValid: true, slices: 17 });
    const { isValid, slices } = inSlices(`[${'{"a":1},'.repeat(100_000)}0]`, 64 << 10);
    expect(isValid).toBe(true);
    expect(slices).toBeGreaterThanOrEqual(12);
  });

  test('refuses what is nested deeper than allowed', () => {
    const ofDepth = (depth: number): string => `${'[{"[[[":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(inSlices(ofDepth(maxDepth), 64).isValid).toBe(true);
    expect(inSlices(ofDepth(maxDepth + 2), 64).isValid).toBe(false);
  });

  test('refuses a byte order mark, as JSON.parse does', () => {
    expect(inSlices('\ufeff1', 64).isValid).toBe(false);
  });
});
