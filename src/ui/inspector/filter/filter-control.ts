/*
 * The filter of the list is in the page's URL, so that a shared link shows the same list, and back returns to the previous
 * filter.
 */

import { navigate } from '../../kit/navigation.tsx';
import { withPart } from './filter-text.ts';

type FilterOptions = {
  base: string;
  eventId: string;
  where: string;
  /** The query string of a link to the inspector with this filter. */
  queryOf: (where: string) => string;
  isWide: () => boolean;
};

export type FilterChange = {
  /** Back returns to the filter before. */
  isStep: boolean;
  /** Opens the newest event of the list, instead of keeping the open one. */
  opensNewest: boolean;
};

export type FilterControl = {
  /** The list with another filter opens its newest event; without a filter, the selected event stays. */
  hrefOf: (where: string) => string;
  /** By default, it keeps the open event, even if that does not match. */
  setFilter: (where: string, change?: FilterChange) => void;
  /** Adds a term, and keeps the selected event open where list and event are side by side. */
  filterBy: (term: string) => void;
};

export function filterControl({ base, eventId, where, queryOf, isWide }: FilterOptions): FilterControl {
  const hrefOf = (next: string): string => base + (next === '' && eventId ? `/events/${eventId}` : '') + queryOf(next);
  /** A small screen shows either the event or the list. */
  const hrefWithEvent = (next: string): string =>
    eventId && isWide() ? `${base}/events/${eventId}${queryOf(next)}` : hrefOf(next);
  return {
    hrefOf,
    setFilter: (next, { isStep, opensNewest } = { isStep: true, opensNewest: false }) =>
      navigate((opensNewest ? hrefOf : hrefWithEvent)(next.trim()), { replace: !isStep }),
    filterBy: term => {
      const next = withPart(where, term);
      navigate((term.startsWith('-') ? hrefOf : hrefWithEvent)(next));
    },
  };
}
