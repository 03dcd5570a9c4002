/* From a stored event to what is searched of it, with a bound on how much is prepared at once. */
import { distinctTrigrams, endpointMark, oversizedMark } from '../../core/search-grams.ts';
import { searchTexts } from '../../core/search-text.ts';
import { unpackContent } from '../../core/stored-content.ts';
import type { Entry, Searched } from './store.ts';

/** A larger body gets a mark instead of its trigrams: every search of its endpoint looks into it. */
const maxIndexedBytes = 1 << 20;
/** Random letters can fill even less than that with trigrams; the writer is not to be held by one event. */
const maxTrigramCharacters = 64 << 10;

/** undefined when the body is too large to be taken apart. */
export const indexedTexts = (eventType: string | null, body: Uint8Array): string[] | undefined =>
  body.length > maxIndexedBytes ? undefined : searchTexts(eventType, body);

export function toEntry({ seq, endpoint, eventType, encoding, content }: Searched): Entry {
  const texts = indexedTexts(eventType, unpackContent(encoding, content).body);
  const trigrams = texts && distinctTrigrams(texts);
  const fits = trigrams !== undefined && trigrams.length <= maxTrigramCharacters;
  return { seq, trigrams: endpointMark(endpoint) + (fits ? trigrams : oversizedMark) };
}
