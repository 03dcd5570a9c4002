import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addSignature, mayContain, signatureQuery, signatureWords } from './search-signature.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'z', '"', '\0', ' ', 'é', '😀', '漢'), maxLength: 40 });

describe('a signature', () => {
  test('never denies a term that the text has, at either alignment, and leaves its neighbours alone', () => {
    fc.assert(
      fc.property(text, text, text, (before, term, after) => {
        const words = new Uint32Array(3 * signatureWords);
        addSignature(words, signatureWords, bytes(before + term + after));
        expect(mayContain(words, signatureWords, signatureQuery(bytes(term)))).toBe(true);
        expect(words.subarray(0, signatureWords).some(Boolean)).toBe(false);
        expect(words.subarray(2 * signatureWords).some(Boolean)).toBe(false);
      }),
    );
  });

  test('folds ASCII letters of the text', () => {
    const words = new Uint32Array(signatureWords);
    addSignature(words, 0, bytes('X-GitHub-EVENT'));
    expect(mayContain(words, 0, signatureQuery(bytes('github-event')))).toBe(true);
  });

  test('denies most other terms', () => {
    const words = new Uint32Array(signatureWords);
    addSignature(words, 0, bytes('{"action":"opened","number":7}'));
    expect(mayContain(words, 0, signatureQuery(bytes('repository')))).toBe(false);
  });

  test.each([
    ['', true],
    ['a', true],
    ['ab', true],
    ['é', false],
    ['aé', false],
    ['éa', false],
    ['aaé', false],
    ['aaaé', false],
    ['plain text', true],
  ])('tells whether %j is ASCII: %p', (given, ascii) => {
    expect(addSignature(new Uint32Array(signatureWords), 0, bytes(given))).toBe(ascii);
  });
});
