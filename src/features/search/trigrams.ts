/*
 * Texts and terms as trigrams for the index. A text is reduced to one occurrence of each ASCII trigram: an index without
 * positions finds the same, at a fraction of the cost. The index may find too many events, but never too few.
 */

/** Separates pieces, and replaces NUL, which would end the text for the tokenizer. */
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

/**
 * The texts without repetitions: every trigram of `texts` is in the result, and few occur twice. The result also has
 * trigrams that cross two pieces; no term contains them.
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
        // A new piece begins unless this trigram overlaps or touches the last one kept.
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

/** The term's trigrams by code points, as FTS5 makes them; empty for fewer than three characters. */
export function trigramsOf(term: string): string[] {
  const characters = [...term.replaceAll('\0', gap).toWellFormed()];
  const trigrams = new Set<string>();
  for (let i = 2; i < characters.length; i++) trigrams.add(characters.slice(i - 2, i + 1).join(''));
  return [...trigrams];
}

/** Indexed instead of a text that is too large: every search of the endpoint finds it. */
export const oversizedMark = '\uf8fd\uf8fe\uf8ff';

// Private-use characters, which deliveries rarely contain.
const markBase = 0xe000;
const markDigit = 4096;

/** A trigram for each endpoint, so that a search reads only the index entries of its endpoint. */
export function endpointMark(endpoint: number): string {
  const digit = (place: number): string =>
    String.fromCharCode(markBase + (Math.floor(endpoint / markDigit ** place) % markDigit));
  return digit(2) + digit(1) + digit(0);
}
