/* Makes the index entry and the signature of an event. The size of both is bounded. */
import { addSignature, signatureWords } from '../../core/search-signature.ts';
import { foldCase, searchTexts } from '../../core/search-text.ts';
import type { IndexEntry, SearchableEvent } from './store.ts';
import { distinctTrigrams, endpointMark, oversizedMark } from './trigrams.ts';

/** A larger body gets a marker instead of trigrams: every search of its endpoint reads it. */
const maxIndexedBytes = 1 << 20;
/** Random text can have this many trigrams in a smaller body; one event must not hold up the writer. */
const maxTrigramCharacters = 64 << 10;

const backslash = 0x5c;
const encoder = new TextEncoder();

/** Writes the signature of a new event. Decoded texts are made only when the bytes alone are not enough. */
export function signEvent(words: Uint32Array, offset: number, eventType: string | null, body: Uint8Array): void {
  if (body.length > maxIndexedBytes) {
    words.fill(0xffffffff, offset, offset + signatureWords);
    return;
  }
  if (addSignature(words, offset, body) && !body.includes(backslash)) {
    if (eventType !== null) addSignature(words, offset, encoder.encode(foldCase(eventType)));
    return;
  }
  for (const text of searchTexts(eventType, body)) addSignature(words, offset, encoder.encode(text));
}

export function toIndexEntry(event: SearchableEvent): IndexEntry {
  const { seq, endpoint, eventType, body } = event;
  const texts = body.length > maxIndexedBytes ? undefined : searchTexts(eventType, body);
  const trigrams = texts && distinctTrigrams(texts);
  const fits = trigrams !== undefined && trigrams.length <= maxTrigramCharacters;
  return { seq, trigrams: endpointMark(endpoint) + (fits ? trigrams : oversizedMark) };
}
