/* The left half of the inspector: the filter, the list of events, and what can be done with the selected ones. */

import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import type { EventDetail } from '../../features/events/model.ts';
import { FilterError } from '../../shared/filter/filter.ts';
import type { LiveListHandle } from '../live/use-live-list.ts';
import type { FilterControl } from '../search/filter-control.ts';
import { parse } from '../search/filter-text.ts';
import { Button, Notice } from './controls.tsx';
import { EventList } from './event-list.tsx';
import { type Folding, FoldSwitch } from './folded-rows.tsx';
import { ListToolbar } from './list-toolbar.tsx';
import { Link } from './navigation.tsx';
import type { Picks } from './use-picks.ts';

type ListPaneProps = {
  searchRef: RefObject<HTMLInputElement | null>;
  endpointId: string;
  eventId: string;
  where: string;
  /** The query string of links to events. */
  suffix: string;
  filter: FilterControl;
  live: LiveListHandle;
  folding: Folding;
  /** The selected event, once it is loaded. */
  selected: EventDetail | undefined;
  picks: Picks;
  /** Replays the picked events. */
  onReplay: () => void;
};

export function ListPane(props: ListPaneProps) {
  const { searchRef, endpointId, eventId, where, suffix, filter, live, folding, selected, picks, onReplay } = props;
  const { list, state, connection, restart } = live;
  const base = `/app/endpoints/${endpointId}`;
  // The search box explains it.
  const isUnreadable = useMemo(() => parse(where) instanceof FilterError, [where]);
  return (
    <section class="list-pane" aria-label="Events">
      {eventId && <SkipLink />}
      <ListToolbar
        searchRef={searchRef}
        endpointId={endpointId}
        where={where}
        filter={filter}
        list={list}
        event={selected}
        connection={connection}
        state={state}
      />
      <FoldSwitch {...folding} />
      {state.phase === 'failed' && !isUnreadable && <LoadFailure problem={state.problem} onRetry={restart} />}
      <EventList
        endpointId={endpointId}
        isFolded={folding.isFolded}
        list={list}
        state={state}
        where={where}
        selectedId={eventId}
        selected={selected}
        hrefOf={id => `${base}/events/${id}${suffix}`}
        picked={picks.picked}
        onPick={picks.togglePick}
      />
      {picks.picked.size > 0 && (
        <PickBar base={base} ids={picks.pickedIds} onReplay={onReplay} onClear={picks.clearPicks} />
      )}
    </section>
  );
}

const SkipLink = () => (
  <a class="skip" href="#event">
    Skip the list
  </a>
);

const LoadFailure = ({ problem, onRetry }: { problem: string; onRetry: () => void }) => (
  <Notice tone="bad" title="The events could not be loaded" action={<Button onClick={onRetry}>Try again</Button>}>
    {problem}
  </Notice>
);

type PickBarProps = { base: string; ids: string[]; onReplay: () => void; onClear: () => void };

const PickBar = ({ base, ids, onReplay, onClear }: PickBarProps) => (
  <footer class="pick-bar">
    <strong>{ids.length} selected</strong>
    <span class="grow" />
    {ids.length === 2 && (
      <Link class="button plain" to={`${base}/compare?a=${ids[0]}&b=${ids[1]}`}>
        Compare
      </Link>
    )}
    <Button kind="primary" icon="replay" onClick={onReplay}>
      Replay
    </Button>
    <Button kind="quiet" onClick={onClear}>
      Clear
    </Button>
  </footer>
);
