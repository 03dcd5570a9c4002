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

  test('never denies a piece of arbitrary bytes, its ASCII capitals folded', () => {
    const fold = (given: Uint8Array) => given.map(byte => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 3, maxLength: 60 }),
        fc.nat(56),
        fc.integer({ min: 3, max: 9 }),
        (all, at, length) => {
          const words = new Uint32Array(signatureWords);
          addSignature(words, 0, all);
          expect(mayContain(words, 0, signatureQuery(fold(all.slice(at, at + length))))).toBe(true);
        },
      ),
    );
  });

  test('a term is found wherever it lies in a text that is looked at in pieces', () => {
    for (const at of [
      65_520, 65_526, 65_529, 65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 65_536, 131_060, 131_068,
    ]) {
      const long = new Uint8Array(131_080).fill(0x20);
      long.set(bytes('Needle'), at);
      const words = new Uint32Array(signatureWords);
      expect(addSignature(words, 0, long)).toBe(true);
      expect(mayContain(words, 0, signatureQuery(bytes('needle')))).toBe(true);
      expect(mayContain(words, 0, signatureQuery(bytes('haystack')))).toBe(false);
    }
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
