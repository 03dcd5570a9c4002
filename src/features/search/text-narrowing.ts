/*
 * The grams and digits that a signature must have if a text occurs in its block. A search of the form `"key": value` allows any white space
 * between its tokens, so only those inside of tokens are certain. (There would be many grams for all ways to space them, and
 * nearly every signature would seem to have one of these.)
 */
import { gramsOf } from '../../core/blocks/block-signature.ts';
import type { Narrowing } from '../../core/blocks/narrowing.ts';
import { foldCase } from '../../core/blocks/search-text.ts';
import { probesOfDigits } from '../../core/blocks/value-filter.ts';
import { jsonPhraseTokens } from '../../shared/json-phrase.ts';

/** The most grams that a search tests for one text. */
const maxGrams = 12;

/** @param limit of grams, at least 1 */
export function narrowingOfText(text: string, limit = maxGrams): Narrowing {
  const term = foldCase(text);
  const tokens = jsonPhraseTokens(term) ?? [term];
  // Long tokens are mostly values, and rarer than others.
  const longest = tokens.toSorted((a, b) => b.length - a.length);
  return [...probesOfDigits(longest), ...longest.flatMap(gramsOf).slice(0, limit)];
}
