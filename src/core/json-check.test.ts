import { describe, expect, test } from 'bun:test';
import { createJsonCheck, jsonPieces } from './json-check.ts';

const isJson = (text: string | Uint8Array, maxDepth = 100): boolean => {
  const next = createJsonCheck(Buffer.from(text as string), maxDepth);
  for (;;) {
    const result = next();
    if (result !== undefined) return result;
  }
};
const written = (text: string): string =>
  Buffer.concat([...jsonPieces(Buffer.from(text))].map(({ verbatim }) => verbatim)).toString();

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const texts = [
  ...['', ' ', '1', '-', '-0', '01', '1.', '.5', '1.5e', '1e+5', '1E-5', '1e400', '--1', '+1', '0x1', 'NaN', '1 2'],
  ...['true', 'tru', 'truex', 'nul', 'null', 'false ', 'undefined', '"', '""', '"\\', '"\\"', '"\\u12"', '"\\u12fF"'],
  ...['"\\x"', '"\t"', '"\u007f\u2028"', '"\\ud800"', '[', ']', '[]', '[1,]', '[,1]', '[1 2]', '[1,2', '[[]', '[]]'],
  ...['{', '{}', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{a:1}', '{"a":1,"a":[2]}', '{"a":1}}', '[}', '{]'],
  ...['[1}', '{"a":1]', '\ufeff1', '\u00a01', '\v1', ' \t\r\n1 ', '1,', ',', ':', '"a":1', '[:]', '{"__proto__":{}}'],
  ...['12345678901234567890', '[1.10,-0,-1,1E2,0.0,123456789012345,1234567890123456,0]', '[true,false,null]', '/**/1'],
];

describe('the check of JSON', () => {
  test.each(texts)('agrees with JSON.parse on %j', text => {
    expect(isJson(text)).toBe(parses(text));
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
            expect([text, isJson(text)]).toEqual([text, parses(text)]);
            if (parses(text)) valid++;
          }
    expect(valid).toBeGreaterThan(100);
  });

  test('is done in slices, wherever one ends', () => {
    for (const pad of Array.from({ length: 12 }, (_, i) => 65_530 + i)) {
      for (const body of ['"x\\u12ab"', '[12.5e3, true]', '{"\\\\":"\\""}']) {
        expect(isJson(' '.repeat(pad) + body)).toBe(true);
        expect(isJson(`"${'x'.repeat(pad)}\\u12ab\\\\"`)).toBe(true);
        expect(isJson(`${' '.repeat(pad)}${body}x`)).toBe(false);
        expect(isJson(`"${'x'.repeat(pad)}`)).toBe(false);
      }
    }
    const next = createJsonCheck(Buffer.from(`"${'x'.repeat(1 << 20)}"`), 1);
    let slices = 1;
    while (next() === undefined) slices++;
    expect(slices).toBe(17);
  });

  test('is no to what is deeper than allowed', () => {
    expect(isJson('[[[]]]', 3)).toBe(true);
    expect(isJson('[[[[]]]]', 3)).toBe(false);
    expect(isJson('[{"[[[[":"{{{{"},[]]', 2)).toBe(true);
  });
});

describe('valid JSON in pieces', () => {
  test.each(texts.filter(parses))('%j means what JSON.parse makes of it', text => {
    expect(JSON.parse(written(text))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
  });

  test('keeps strings as they are, and writes the numbers that a parser in JavaScript has', () => {
    expect(written('{"n":"-0","e":"\\"1e400", "a":[-0,1e400,12345678901234567890,1.50,7]}')).toBe(
      '{"n":"-0","e":"\\"1e400", "a":[0,null,12345678901234567000,1.5,7]}',
    );
  });

  test('comes in pieces of bounded size', () => {
    const text = JSON.stringify({ a: 'x"\\'.repeat(100_000), b: [1, 2.5] });
    const pieces = [...jsonPieces(Buffer.from(text))];
    expect(written(text)).toBe(text);
    for (const { verbatim } of pieces) expect(verbatim.length).toBeLessThanOrEqual(16 << 10);
    expect(pieces.length).toBeGreaterThan(5);
  });
});
