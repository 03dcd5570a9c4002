/* The result of a search in one sentence. Pure. */

import { formatCount } from '../../kit/format/time.ts';
import { shortened, visibleLine } from '../../kit/format/visible.ts';
import type { Search } from '../find-in-body/search-terms.ts';

/** `isComplete`: there are no more. */
export type Found = { count: number; isComplete: boolean };

const maxNamed = 3;
const maxWordCharacters = 60;

/** Two parts of a sentence: `8 events` `contain 8123`, `1 event` `contains paid and eur so far`, `12 events` `match`. */
export type FoundWords = { amount: string; words: string };

export function foundSentence({ count, isComplete }: Found, { words, isOnlyWords }: Search): FoundWords {
  const isNamed = isOnlyWords && words.length <= maxNamed;
  const verb = isNamed ? 'contain' : 'match';
  const named = words.map(word => visibleLine(shortened(word, maxWordCharacters))).join(' and ');
  const ending = count === 1 ? (isNamed ? 's' : 'es') : '';
  return {
    amount: formatCount(count, 'event'),
    words: `${verb}${ending}${isNamed ? ` ${named}` : ''}${isComplete ? '' : ' so far'}`,
  };
}
