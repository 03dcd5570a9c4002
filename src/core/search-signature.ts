/*
 * A signature is a Bloom filter of a text's byte trigrams, 256 bytes long: it tells which terms the text may contain, with false
 * positives and no false negatives. It is computed while senders wait for their answers, so it must be cheap: it has only every
 * second trigram of the text, and a term is looked up at both alignments.
 */

/** 32-bit words of a signature. */
export const signatureWords = 64;
const bitsShift = 32 - Math.log2(signatureWords * 32);

/** Little endian, like the words of the text. */
const bitOf = (a: number, b: number, c: number): number => bitOfThree(a | (b << 8) | (c << 16));
const bitOfThree = (bytes: number): number => Math.imul(bytes, 0x9e3779b1) >>> bitsShift;

const tops = 0x80808080 | 0;

/** ASCII capitals among four bytes become small letters; every other byte stays. */
function foldFour(word: number): number {
  const low = word & 0x7f7f7f7f;
  // The top bit of each byte: whether it is at least `A`, and whether it is past `Z`.
  const capitals = ((low + 0x3f3f3f3f) | 0) ^ ((low + 0x25252525) | 0);
  return word | ((capitals & ~word & tops) >>> 2);
}

/** Text is read as aligned words of four bytes, a longer one in pieces. */
const fours = new Int32Array(16 << 10);
const aligned = new Uint8Array(fours.buffer);
const overlap = 4;
/** The signature being computed. Signed words, which JavaScript engines handle fastest. */
const made = new Int32Array(signatureWords);

/**
 * Adds a UTF-8 text to the signature at `offset`. ASCII letters are folded here, all others must be folded before.
 * @returns whether the text is ASCII
 */
export function addSignature(words: Uint32Array, offset: number, text: Uint8Array): boolean {
  let isAscii = true;
  // Each piece starts with the last bytes of the one before, so that no trigram is missed between them.
  for (let at = 0; at < text.length; at += aligned.length - overlap) {
    const piece = text.length <= aligned.length ? text : text.subarray(at, at + aligned.length);
    if (!addPiece(piece)) isAscii = false;
  }
  for (let i = 0; i < signatureWords; i++) {
    words[offset + i] = (words[offset + i] as number) | (made[i] as number);
    made[i] = 0;
  }
  return isAscii;
}

function addPiece(piece: Uint8Array): boolean {
  aligned.set(piece);
  // Zeros after the end set bits that no term looks up, and clear none.
  aligned.fill(0, piece.length, piece.length + 3);
  const count = (piece.length + 3) >> 2;
  const first = fours[0] as number;
  let all = first;
  let word = foldFour(first);
  for (let i = 1; i < count; i++) {
    const given = fours[i] as number;
    all |= given;
    const next = foldFour(given);
    const even = bitOfThree(word & 0xffffff);
    const odd = bitOfThree((word >>> 16) | ((next & 0xff) << 16));
    made[even >>> 5] = (made[even >>> 5] as number) | (1 << even);
    made[odd >>> 5] = (made[odd >>> 5] as number) | (1 << odd);
    word = next;
  }
  const lastBit = bitOfThree(word & 0xffffff);
  made[lastBit >>> 5] = (made[lastBit >>> 5] as number) | (1 << lastBit);
  return (all & tops) === 0;
}

/** The bits of a term at each alignment; an alignment without bits matches everything. */
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
