/* “Filter by this”: a small button beside a value of an event. It adds a term to the filter, or with Shift its negation. */

import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { Button, IconButton } from '../../kit/controls.tsx';
import { cut, visibleLine } from '../../kit/format/visible.ts';
import { termFor } from './filter-text.ts';

/** Adds a term to the filter of the list. Undefined on pages without a list. */
export const FilterByContext = createContext<((term: string) => void) | undefined>(undefined);

export const useFilterBy = (): ((term: string) => void) | undefined => useContext(FilterByContext);

const maxShownCharacters = 80;

type FilterByProps = {
  field: string;
  /** Undefined: filters by the presence of the field. */
  value: string | undefined;
  isText?: boolean;
  label?: string;
};

/** Nothing when the value cannot be written as a term, or there is no list to filter. */
export function FilterBy({ field, value, isText = false, label }: FilterByProps) {
  const filterBy = useFilterBy();
  const term = useMemo(
    () => (value === undefined ? `has:${field}` : termFor(field, value, { isText })),
    [field, value, isText],
  );
  if (!filterBy || term === undefined) return null;
  const shown = visibleLine(cut(term, maxShownCharacters));
  const props = {
    title: `Filter by ${shown}\nShift: everything else`,
    onClick: (event: MouseEvent) => filterBy(event.shiftKey ? `-${term}` : term),
  };
  return label === undefined ? (
    <IconButton icon="filter" class="filter-by mini" label={`Filter by ${shown}`} {...props} />
  ) : (
    <Button kind="quiet" icon="filter" class="filter-by" {...props}>
      {label}
    </Button>
  );
}
