/* Changes the filter of the list, which is in the page's URL: a shared link shows the same list, and back returns to the filter before. */

import { navigate } from '../../kit/navigation.tsx';
import { withPart } from './filter-text.ts';

type FilterOptions = {
  base: string;
  eventId: string;
  where: string;
  queryOf: (where: string) => string;
  isWide: () => boolean;
};

export type FilterChange = {
  isStep: boolean;
  /** Opens the newest event of the list, instead of keeping the open one. */
  opensNewest: boolean;
};

export type FilterControl = ReturnType<typeof filterControl>;

export function filterControl({ base, eventId, where, queryOf, isWide }: FilterOptions) {
  const hrefOf = (next: string): string => base + (next === '' && eventId ? `/events/${eventId}` : '') + queryOf(next);
  /** A small screen shows either the event or the list. */
  const hrefWithEvent = (next: string): string =>
    eventId && isWide() ? `${base}/events/${eventId}${queryOf(next)}` : hrefOf(next);
  return {
    /** The list with another filter opens its newest event; without a filter, the selected event stays. */
    hrefOf,
    /** By default, it keeps the open event, even if that does not match. */
    setFilter: (next: string, { isStep, opensNewest }: FilterChange = { isStep: true, opensNewest: false }): void =>
      navigate((opensNewest ? hrefOf : hrefWithEvent)(next.trim()), { replace: !isStep }),
    /** Adds a term, and keeps the selected event open where list and event are side by side. */
    filterBy: (term: string): void => navigate((term.startsWith('-') ? hrefOf : hrefWithEvent)(withPart(where, term))),
  };
}
