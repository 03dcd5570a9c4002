import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { distinctTrigrams, endpointMark, trigramsOf } from './trigrams.ts';

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', 'b', 'A', '"', '\\', '\0', ' ', 'é', '😀', '漢'), fc.string({ unit: 'binary' })),
  maxLength: 60,
});

describe('distinct trigrams', () => {
  test('keep every trigram of every text, by code points', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), texts => {
        const kept = distinctTrigrams(texts);
        for (const one of texts) for (const trigram of trigramsOf(one)) expect(kept).toContain(trigram);
      }),
    );
  });

  test('do not depend on texts before', () => {
    for (let i = 0; i < 600; i++) expect(distinctTrigrams(['abcdef'])).toContain('abcdef');
  });

  test('leave out repetitions', () => {
    expect(distinctTrigrams(['abcabcabcabcabcabc']).length).toBeLessThan(8);
  });

  test('contain no NUL, at which the tokenizer would stop, and no lone surrogates', () => {
    const kept = distinctTrigrams(['abc\0def\ud800ghi']);
    expect([kept.includes('\0'), kept.isWellFormed()]).toEqual([false, true]);
  });
});

test('every endpoint has a mark of its own, one trigram long', () => {
  const marks = [1, 2, 4095, 4096, 4097, 2 ** 24, 2 ** 24 + 1, 2 ** 35].map(endpointMark);
  expect(new Set(marks).size).toBe(marks.length);
  for (const mark of marks) expect(trigramsOf(mark)).toEqual([mark]);
});
