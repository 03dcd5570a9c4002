/* From an event to what the index and the recent signatures keep of it; both bound what a single event may cost. */

import { addSignature, signatureWords } from '../../core/search-signature.ts';
import { foldCase, searchTexts } from '../../core/search-text.ts';
import { unpackBody } from '../../core/stored-content.ts';
import type { IndexEntry, SearchableEvent } from './store.ts';
import { distinctTrigrams, endpointMark, oversizedMark } from './trigrams.ts';

/** A larger body gets a mark instead of its trigrams: every search of its endpoint looks into it. */
const maxIndexedBytes = 1 << 20;
/** Random letters can fill even less than that with trigrams; the writer is not to be held by one event. */
const maxTrigramCharacters = 64 << 10;

const backslash = 0x5c;
const encoder = new TextEncoder();

/** Writes the signature of an event that was just captured; its texts are only made when the bytes do not tell all. */
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

const nothing = new Uint8Array(0);

/** What a search looks into. Of an event that the disk damaged that is nothing: all others can still be found, and indexed. */
export function readableBody({ encoding, content }: Pick<SearchableEvent, 'encoding' | 'content'>): Uint8Array {
  try {
    return unpackBody(encoding, content);
  } catch {
    return nothing;
  }
}

export function toIndexEntry(event: SearchableEvent): IndexEntry {
  const { seq, endpoint, eventType } = event;
  const body = readableBody(event);
  const texts = body.length > maxIndexedBytes ? undefined : searchTexts(eventType, body);
  const trigrams = texts && distinctTrigrams(texts);
  const fits = trigrams !== undefined && trigrams.length <= maxTrigramCharacters;
  return { seq, trigrams: endpointMark(endpoint) + (fits ? trigrams : oversizedMark) };
}
