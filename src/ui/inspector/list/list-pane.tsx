/* The left half of the inspector: the filter, the list of events, and what can be done with the selected ones. */

import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Button, Notice } from '../../kit/controls.tsx';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { FilterChips } from '../filter/filter-chips.tsx';
import type { FilterControl } from '../filter/filter-control.ts';
import { FilterTabs } from '../filter/filter-tabs.tsx';
import { problemIn } from '../filter/filter-text.ts';
import { SearchBox } from '../filter/search-box.tsx';
import { useSeenValues } from '../filter/use-seen-values.ts';
import type { LiveListState } from '../live/live-list.ts';
import type { LiveListHandle } from '../live/use-live-list.ts';
import { EventList } from './event-list.tsx';
import type { Folding } from './folded-rows.tsx';
import { ListMenu } from './list-menu.tsx';
import { ListTimeline } from './list-timeline.tsx';
import type { Picks } from './use-picks.ts';
import { useSearchCount } from './use-search-count.ts';

type ListPaneProps = {
  searchRef: RefObject<HTMLInputElement | null>;
  endpointId: string;
  eventId: string;
  where: string;
  suffix: string;
  filter: FilterControl;
  live: LiveListHandle;
  folding: Folding;
  selected: EventDetail | undefined;
  picks: Picks;
  onReplay: () => void;
};

export function ListPane(props: ListPaneProps) {
  const { searchRef, endpointId, eventId, where, suffix, filter, live, folding, selected, picks, onReplay } = props;
  const { list, state, restart } = live;
  const base = `/app/endpoints/${endpointId}`;
  // The search box explains it.
  const isUnreadable = useMemo(() => problemIn(where) !== undefined, [where]);
  const seen = useSeenValues(endpointId, list, selected);
  const found = useSearchCount({ endpointId, where, isFolded: folding.isFolded, list, state });
  return (
    <section class="list-pane pane" aria-label="Events">
      {eventId && (
        <a class="skip" href="#event">
          Skip the list
        </a>
      )}
      <div class="toolbar row rigid">
        <SearchBox inputRef={searchRef} where={where} onFilter={filter.setFilter} seen={seen} />
        <ListMenu endpointId={endpointId} where={where} folding={folding} />
      </div>
      <FilterChips where={where} onFilter={filter.setFilter} onEmpty={() => searchRef.current?.focus()} />
      <FilterTabs endpointId={endpointId} where={where} hrefOf={filter.hrefOf} />
      {!isUnreadable && (
        <ListTimeline
          endpointId={endpointId}
          where={where}
          found={found}
          news={newsOf(state)}
          onFilter={filter.setFilter}
        />
      )}
      {state.phase === 'failed' && !isUnreadable && (
        <Notice tone="bad" title="Couldn't load the events" action={<Button onClick={restart}>Try again</Button>}>
          {state.problem}
        </Notice>
      )}
      <EventList
        endpointId={endpointId}
        isFolded={folding.isFolded}
        list={list}
        state={state}
        where={where}
        selectedId={eventId}
        selected={selected}
        hrefOf={id => `${base}/events/${id}${suffix}`}
        isPicked={picks.isPicked}
        onPick={picks.onPick}
      />
      {picks.isPicking && (
        <BulkBar
          endpointId={endpointId}
          eventId={eventId}
          where={where}
          list={list}
          picks={picks}
          onReplay={onReplay}
          onReload={restart}
        />
      )}
    </section>
  );
}

/** Changes when events came or went, not when the list is scrolled. */
const newsOf = ({ phase, arrivalCount, heldCount, revision }: LiveListState): string | undefined =>
  phase === 'ready' ? `${arrivalCount + heldCount} ${revision}` : undefined;
