/*
 * A signature says of a text, in 256 bytes, which terms it can contain: a Bloom filter of its byte trigrams. It may say yes
 * too often, and never no too often. Made while deliveries wait for their answers, so it has to be cheap: only every second
 * trigram of the text is in it, and a term is looked for at both alignments.
 */

/** 32-bit words of a signature. */
export const signatureWords = 64;
const bitsShift = 32 - Math.log2(signatureWords * 32);

const lower = new Uint8Array(256).map((_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte));

const bitOf = (a: number, b: number, c: number): number =>
  Math.imul((a << 16) | (b << 8) | c, 0x9e3779b1) >>> bitsShift;

/**
 * Adds a text, UTF-8, to the signature at `offset`. ASCII letters are folded here; all else has to be.
 * @returns whether the text is ASCII
 */
export function addSignature(words: Uint32Array, offset: number, text: Uint8Array): boolean {
  let all = text.length > 0 ? (text[0] ?? 0) : 0;
  let a = lower[all] ?? 0;
  const { length } = text;
  for (let i = 2; i < length; i += 2) {
    const second = text[i - 1] ?? 0;
    const third = text[i] ?? 0;
    all |= second | third;
    const c = lower[third] ?? 0;
    const bit = bitOf(a, lower[second] ?? 0, c);
    const at = offset + (bit >>> 5);
    words[at] = (words[at] ?? 0) | (1 << (bit & 31));
    a = c;
  }
  if (length > 1) all |= text[length - 1] ?? 0;
  return all < 0x80;
}

/** The bits of a term, for each of the two alignments; an alignment without any cannot tell. */
export type SignatureQuery = readonly [even: readonly number[], odd: readonly number[]];

/** @param term folded, UTF-8 */
export function signatureQuery(term: Uint8Array): SignatureQuery {
  const from = (start: number): number[] => {
    const bits = new Set<number>();
    for (let i = start; i + 2 < term.length; i += 2) bits.add(bitOf(term[i] ?? 0, term[i + 1] ?? 0, term[i + 2] ?? 0));
    return [...bits];
  };
  return [from(0), from(1)];
}

/** Whether the text behind the signature at `offset` can contain the term. */
export function mayContain(words: Uint32Array, offset: number, [even, odd]: SignatureQuery): boolean {
  const has = (bit: number): boolean => ((words[offset + (bit >>> 5)] ?? 0) & (1 << (bit & 31))) !== 0;
  return even.every(has) || odd.every(has);
}
