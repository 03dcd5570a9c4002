import { describe, expect, test } from 'bun:test';
import { normalizeJson } from './normalizer.ts';

const chunksOf = (text: string): Uint8Array[] => [...normalizeJson(Buffer.from(text))].map(({ verbatim }) => verbatim);
const normalized = (text: string): string => Buffer.concat(chunksOf(text)).toString();

describe('normalizeJson', () => {
  test.each([
    ...['1', '-0', '1e+5', '1E-5', '1e400', 'true', 'null', 'false ', '""', '"\\u12fF"', '[]', '{}', ' \t\r\n1 '],
    ...['{"a":1,"a":[2]}', '{"__proto__":{}}', '[true,false,null]', '12345678901234567890'],
    '[1.10,-0,-1,1E2,0.0,123456789012345,1234567890123456,0]',
  ])('%j keeps the value that JSON.parse reads', text => {
    expect(JSON.parse(normalized(text))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
  });

  test('keeps strings as they are, and writes numbers as JavaScript reads them', () => {
    expect(normalized('{"n":"-0","e":"\\"1e400", "a":[-0,1e400,12345678901234567890,1.50,7]}')).toBe(
      '{"n":"-0","e":"\\"1e400", "a":[0,null,12345678901234567000,1.5,7]}',
    );
  });

  test('yields chunks of bounded size', () => {
    const text = JSON.stringify({ a: 'x"\\'.repeat(100_000), b: [1, 2.5] });
    const chunks = chunksOf(text);
    expect(normalized(text)).toBe(text);
    for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(16 << 10);
    expect(chunks.length).toBeGreaterThan(5);
  });
});
