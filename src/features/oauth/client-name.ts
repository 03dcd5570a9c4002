/* Names that clients give themselves, made safe to store and to show. */
import { firstCharacters } from '../../core/text.ts';

const maxCharacters = 100;

/**
 * One line of at most 100 characters, without control, invisible or text-direction characters.
 * @param fallback returned when nothing readable is left
 */
export function cleanClientName(name: unknown, fallback: string): string {
  if (typeof name !== 'string') return fallback;
  const text = name
    .slice(0, 2000)
    .replace(/[\p{Zl}\p{Zp}\p{Zs}\t\r\n]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
  return firstCharacters(text, maxCharacters).trim() || fallback;
}
