/*
 * What may stand as a replay's destination, as text: an absolute http or https URI. Stricter than the URL parser, which also
 * takes `http:host`, backslashes and blanks, and so would send somewhere else than what a person reads.
 */
import { invalid } from './errors.ts';

const absolute = /^https?:\/\/[^/?#]/i;
const neverInUri = /[\s\\\p{Cc}\p{Cs}]/u;
export const maxUrlCharacters = 8192;

/** @returns the destination as given @throws invalid */
export function readDestination(given: string): string {
  if (given.length > maxUrlCharacters) throw invalid(`url must be at most ${maxUrlCharacters} characters`);
  if (!absolute.test(given) || neverInUri.test(given) || !URL.canParse(given))
    throw invalid('url must be an absolute http or https URL');
  return given;
}
