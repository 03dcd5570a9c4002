/*
 * The toolbar of the event list: the search box, the menu of the list, the parts of the filter, and the saved filters.
 */

import type { RefObject } from 'preact';
import type { EventDetail } from '../../../features/events/model.ts';
import { FilterChips } from '../filter/filter-chips.tsx';
import type { FilterControl } from '../filter/filter-control.ts';
import { FilterTabs } from '../filter/filter-tabs.tsx';
import { SearchBox } from '../filter/search-box.tsx';
import { useSeenValues } from '../filter/use-seen-values.ts';
import type { LiveList } from '../live/live-list.ts';
import type { Folding } from './folded-rows.tsx';
import { ListMenu } from './list-menu.tsx';

type ToolbarProps = {
  searchRef: RefObject<HTMLInputElement | null>;
  endpointId: string;
  where: string;
  filter: FilterControl;
  folding: Folding;
  list: LiveList;
  /** The selected event, whose values are suggested. */
  event: EventDetail | undefined;
};

export function ListToolbar({ searchRef, endpointId, where, filter, folding, list, event }: ToolbarProps) {
  const seen = useSeenValues(endpointId, list, event);
  return (
    <>
      <div class="toolbar row rigid">
        <SearchBox inputRef={searchRef} where={where} onFilter={filter.setFilter} seen={seen} />
        <ListMenu endpointId={endpointId} where={where} folding={folding} />
      </div>
      <FilterChips where={where} onFilter={filter.setFilter} onEmpty={() => searchRef.current?.focus()} />
      <FilterTabs endpointId={endpointId} where={where} hrefOf={filter.hrefOf} />
    </>
  );
}
