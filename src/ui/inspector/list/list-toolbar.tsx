/*
 * The toolbar of the event list: the search box, the connection state, the menu of the list, the parts of the filter, and the saved
 * filters.
 */

import type { RefObject } from 'preact';
import type { EventDetail } from '../../../features/events/model.ts';
import { Icon } from '../../kit/icons.tsx';
import { FilterChips } from '../filter/filter-chips.tsx';
import type { FilterControl } from '../filter/filter-control.ts';
import { FilterTabs } from '../filter/filter-tabs.tsx';
import { SearchBox } from '../filter/search-box.tsx';
import { useSeenValues } from '../filter/use-seen-values.ts';
import { useConnectionLabel } from '../live/connection-label.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import type { Connection } from '../live/stream.ts';
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
  connection: Connection | undefined;
  state: LiveListState;
};

export function ListToolbar(props: ToolbarProps) {
  const { searchRef, endpointId, where, filter, folding, list, event, connection, state } = props;
  const seen = useSeenValues(endpointId, list, event);
  return (
    <>
      <div class="toolbar row rigid">
        <SearchBox inputRef={searchRef} where={where} onFilter={filter.setFilter} seen={seen} />
        {connection && <LiveButton connection={connection} state={state} onPause={list.setPaused} />}
        <ListMenu endpointId={endpointId} where={where} folding={folding} />
      </div>
      <FilterChips where={where} onFilter={filter.setFilter} onEmpty={() => searchRef.current?.focus()} />
      <FilterTabs endpointId={endpointId} where={where} hrefOf={filter.hrefOf} />
    </>
  );
}

type LiveButtonProps = { connection: Connection; state: LiveListState; onPause: (isPaused: boolean) => void };

function LiveButton({ connection, state, onPause }: LiveButtonProps) {
  const { isPaused, heldCount } = state;
  const connected = useConnectionLabel(connection);
  const held = heldCount > 0 ? `${heldCount.toLocaleString()} new, paused` : 'Paused';
  const label = isPaused ? 'Resume live updates' : 'Pause live updates';
  return (
    <button
      type="button"
      class={`live-button button quiet ${isPaused ? 'paused' : connection.state}`}
      aria-pressed={isPaused}
      title={`${label} (p)`}
      onClick={() => onPause(!isPaused)}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
      <span class="live-word">{isPaused ? held : connected}</span>
    </button>
  );
}
