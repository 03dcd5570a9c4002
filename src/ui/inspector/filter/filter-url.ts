/* The filter in the URL of a page, so that it can be shared: `?where=`. Links of 1.0 have `?q=`, a text to search for. */

import { quoted } from '../../../shared/filter/tokens.ts';

/** The filter as one line, as a text field shows it; empty without a filter. */
export function filterOf(query: URLSearchParams): string {
  const where = query.get('where');
  const text = where ?? searchedText(query.get('q') ?? '');
  return text.replace(/[\r\n]+/g, ' ').trim();
}

/** `q` was a text to search for literally. A plain word means the same in a filter; any other text has to be quoted. */
const searchedText = (q: string): string =>
  q === '' || (/^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(q) && !/^(OR|NOT|AND)$/.test(q)) ? q : quoted(q);

export const filterQuery = (where: string): string => (where === '' ? '' : `?${new URLSearchParams({ where })}`);
