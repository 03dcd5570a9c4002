/*
 * What signatures must have for a text to occur in a block. A search of the form `"key": value` allows any white space between its tokens,
 * so only grams inside of tokens are certain. (Grams for each way to space them would be many, of which a signature nearly always seems to
 * have one.)
 */
import { gramsOf } from '../../core/blocks/block-signature.ts';
import type { Narrowing } from '../../core/blocks/narrowing.ts';
import { foldCase } from '../../core/blocks/search-text.ts';
import { jsonPhraseTokens } from '../../shared/json-phrase.ts';

/** A search tests at most so many grams for one text. */
const maxGrams = 12;

/** @param limit of grams, at least 1 */
export function narrowingOfText(text: string, limit = maxGrams): Narrowing {
  const term = foldCase(text);
  const tokens = jsonPhraseTokens(term) ?? [term];
  // Long tokens, most of them values, are rarer than others.
  return tokens
    .toSorted((a, b) => b.length - a.length)
    .flatMap(gramsOf)
    .slice(0, limit);
}
