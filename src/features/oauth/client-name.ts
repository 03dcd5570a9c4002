/* Names that strangers give themselves, made harmless before they are kept or shown. */
import { firstCharacters } from '../../core/text.ts';

const maxCharacters = 100;

/** No controls, no invisible or direction-changing characters, one line, at most 100 characters; `instead` if nothing is left. */
export function cleanClientName(given: unknown, instead: string): string {
  if (typeof given !== 'string') return instead;
  const text = given
    .slice(0, 2000)
    .replace(/[\p{Zl}\p{Zp}\p{Zs}\t\r\n]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
  return firstCharacters(text, maxCharacters).trim() || instead;
}
