/*
 * Texts and terms as trigrams, in two shapes. For the index: the text cut down to one occurrence of each ASCII trigram, which
 * an index that knows no positions cannot tell from the whole, and which costs a fraction of it. For what is not indexed yet:
 * a signature, a Bloom filter of the same trigrams. Both may say yes too often, and never no too often.
 */

/** 32-bit words of a signature. */
export const signatureWords = 32;

/** Stands between pieces, and for NUL, which would end the text for the tokenizer. */
const gap = '\u0001';

// One byte for each of the 2^21 ASCII trigrams: the number of the last text that had it.
const seen = new Uint8Array(1 << 21);
let generation = 0;

function nextGeneration(): number {
  if (++generation === 256) {
    seen.fill(0);
    generation = 1;
  }
  return generation;
}

const bitOf = (a: number, b: number, c: number): number =>
  (Math.imul(Math.imul(a ^ 0x9e37, 0x9e3779b1) ^ b, 0x85ebca6b) + Math.imul(c, 0xc2b2ae35)) >>> 22;

/**
 * The text without what repeats: every trigram of `texts` occurs in the result, few occur twice. Trigrams that run across two
 * pieces are in it too; nobody asks for them.
 */
export function distinctTrigrams(texts: readonly string[]): string {
  const stamp = nextGeneration();
  let result = '';
  for (const text of texts) {
    let from = 0;
    let to = 0;
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = 2; i < text.length; i++) {
      const c = text.charCodeAt(i);
      let fresh = true;
      if ((a | b | c) < 0x80) {
        const key = (a << 14) | (b << 7) | c;
        fresh = seen[key] !== stamp;
        seen[key] = stamp;
      }
      if (fresh) {
        // A new piece begins unless this trigram overlaps the last one kept, or nearly so.
        if (i - 2 > to) {
          if (to > from) result += text.slice(from, to) + gap;
          from = i - 2;
        }
        to = i + 1;
      }
      a = b;
      b = c;
    }
    if (to > from) result += text.slice(from, to) + gap;
  }
  return result.replaceAll('\0', gap).toWellFormed();
}

/** Sets the bits of every trigram of `texts` in `words`, from `offset` on. */
export function addSignature(words: Uint32Array, offset: number, texts: readonly string[]): void {
  for (const text of texts) {
    let a = text.charCodeAt(0);
    let b = text.charCodeAt(1);
    for (let i = 2; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const bit = bitOf(a, b, c);
      const at = offset + (bit >>> 5);
      words[at] = (words[at] ?? 0) | (1 << (bit & 31));
      a = b;
      b = c;
    }
  }
}

/** The bits that the signature of any text with this term has; empty when the term is too short to tell. */
export function signatureBitsOf(term: string): number[] {
  const bits = new Set<number>();
  for (let i = 2; i < term.length; i++)
    bits.add(bitOf(term.charCodeAt(i - 2), term.charCodeAt(i - 1), term.charCodeAt(i)));
  return [...bits];
}

/** Whether all of `bits` are set in the signature at `offset`. */
export function hasBits(words: Uint32Array, offset: number, bits: readonly number[]): boolean {
  for (const bit of bits) if (((words[offset + (bit >>> 5)] ?? 0) & (1 << (bit & 31))) === 0) return false;
  return true;
}

/** The term's trigrams as the index knows them, by code points; empty when it is shorter than three characters. */
export function trigramsOf(term: string): string[] {
  const characters = [...term.replaceAll('\0', gap).toWellFormed()];
  const trigrams = new Set<string>();
  for (let i = 2; i < characters.length; i++) trigrams.add(characters.slice(i - 2, i + 1).join(''));
  return [...trigrams];
}

/** In the index in place of a text that is too large for it: always worth a look. */
export const oversizedMark = '\uf8fd\uf8fe\uf8ff';

// Private-use characters: as few as possible of the trigrams that deliveries bring.
const markBase = 0xe000;
const markDigit = 4096;

/** A trigram of its own for each endpoint, so that a term which is common elsewhere is looked up only here. */
export function endpointMark(endpoint: number): string {
  const digit = (place: number): string =>
    String.fromCharCode(markBase + (Math.floor(endpoint / markDigit ** place) % markDigit));
  return digit(2) + digit(1) + digit(0);
}
