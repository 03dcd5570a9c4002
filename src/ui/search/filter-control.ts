/* The filter of the list is in the page's URL: whoever has the link sees the same list, and back returns to the filter before. */

import { navigate } from '../components/navigation.tsx';
import { withPart } from './filter-text.ts';

type FilterOptions = {
  base: string;
  eventId: string;
  where: string;
  /** The query string of a link to the inspector with this filter. */
  queryOf: (where: string) => string;
  isWide: () => boolean;
};

export type FilterControl = {
  /** The list with another filter opens its newest event; without a filter, the selected event stays. */
  hrefOf: (where: string) => string;
  /** `isStep: false` replaces the entry in the browser's history. */
  setFilter: (where: string, options?: { isStep: boolean }) => void;
  /** Adds a term, and keeps the selected event open where list and event are side by side. */
  filterBy: (term: string) => void;
};

export function filterControl({ base, eventId, where, queryOf, isWide }: FilterOptions): FilterControl {
  const hrefOf = (next: string): string => base + (next === '' && eventId ? `/events/${eventId}` : '') + queryOf(next);
  return {
    hrefOf,
    setFilter: (next, { isStep } = { isStep: true }) => navigate(hrefOf(next.trim()), { replace: !isStep }),
    filterBy: term => {
      const next = withPart(where, term);
      const isKept = eventId && isWide() && !term.startsWith('-');
      navigate(isKept ? `${base}/events/${eventId}${queryOf(next)}` : hrefOf(next));
    },
  };
}
