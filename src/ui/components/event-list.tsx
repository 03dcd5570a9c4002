/* The event list: virtualized, loads older pages while scrolling, and keeps its scroll position when events are added at the top. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { formatCount, formatTimeOfDay } from '../format/time.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { Button, Empty, Skeleton } from './controls.tsx';
import { EventRow } from './event-row.tsx';
import { AttemptRow, rowAt, shownAt, useUnfolded } from './folded-rows.tsx';
import { useRevealSelected } from './use-reveal-selected.ts';
import { useVirtual } from './use-virtual.ts';

const rowHeight = 60;
const prefetchRows = 200;

type EventListProps = {
  endpointId: string;
  /** One row per delivery. */
  isFolded: boolean;
  list: LiveList;
  state: LiveListState;
  where: string;
  selectedId: string;
  /** The selected event, once it is loaded. */
  selected: EventDetail | undefined;
  hrefOf: (id: string) => string;
  picked: ReadonlySet<string>;
  onPick: (id: string) => void;
};

export function EventList(props: EventListProps) {
  const { endpointId, isFolded, list, state, where, selectedId, selected, hrefOf, picked, onPick } = props;
  const selectedKey = selected?.delivery.key ?? list.at(list.indexOf(selectedId))?.delivery.key;
  const unfolded = useUnfolded(list, endpointId, selectedKey);
  const rows = state.length + unfolded.attempts.length + (state.hasMore ? 1 : 0);
  const { scroller, range, reveal: revealShown } = useVirtual<HTMLDivElement>({ count: rows, rowHeight });
  const latest = useRef(unfolded);
  latest.current = unfolded;
  const reveal = useCallback(
    (at: number, place?: 'near' | 'middle') => revealShown(shownAt(at, latest.current), place),
    [revealShown],
  );
  /** New events above the visible rows. */
  const [aboveCount, setAboveCount] = useState(0);

  // New rows at the top push the visible rows down; the scroll position moves with them.
  const lastArrivals = useRef({ list, count: state.arrivalCount });
  useLayoutEffect(() => {
    const added = lastArrivals.current.list === list ? state.arrivalCount - lastArrivals.current.count : 0;
    lastArrivals.current = { list, count: state.arrivalCount };
    const element = scroller.current;
    if (!element) return;
    if (added > 0 && element.scrollTop > 0) {
      element.scrollTop += added * rowHeight;
      setAboveCount(n => n + added);
    }
  }, [list, state.arrivalCount, scroller]);
  useEffect(() => {
    if (range.from === 0) setAboveCount(0);
  }, [range.from]);

  useEffect(() => {
    if (state.hasMore && !state.problem) void list.loadTo(range.to + prefetchRows);
  }, [list, state.hasMore, state.problem, state.phase, range.to]);

  const isUntouched = useCallback((): boolean => scroller.current?.scrollTop === 0, [scroller]);
  useRevealSelected({ list, state, where, selectedId, selectedAt: selected?.receivedAt, isUntouched, reveal });

  /** The row of a folded delivery stands for its attempts. */
  const isSelected = ({ id, delivery }: EventSummary): boolean =>
    id === selectedId || (isFolded && delivery.key === selectedKey && delivery.key !== unfolded.key);

  if (state.phase === 'loading') return <Skeleton rows={10} kind="line" />;
  if (state.phase === 'ready' && state.length === 0 && !state.hasMore) {
    return (
      <Empty title={where ? 'Nothing found' : 'Nothing here yet'}>
        {where
          ? 'No event matches this filter. New ones that do appear here by themselves.'
          : 'Waiting for the next delivery.'}
      </Empty>
    );
  }
  return (
    <div class="list-box">
      {aboveCount > 0 && (
        <button type="button" class="above" onClick={() => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' })}>
          ↑ {formatCount(aboveCount, 'new event')}
        </button>
      )}
      <div ref={scroller} class="event-list">
        <ul class="sizer" style={{ height: `${rows * rowHeight}px` }}>
          {Array.from({ length: Math.max(0, range.to - range.from) }, (_, offset) => {
            const shown = range.from + offset;
            const top = `translateY(${shown * rowHeight}px)`;
            const place = rowAt(shown, unfolded);
            if ('attempt' in place) {
              const attempt = unfolded.attempts[place.attempt];
              if (!attempt) return null;
              const { id } = attempt;
              return (
                <AttemptRow key={id} attempt={attempt} top={top} href={hrefOf(id)} isSelected={id === selectedId} />
              );
            }
            const event = list.at(place.at);
            if (!event) {
              return place.at === state.length && state.hasMore ? (
                <li key="more" class="list-end" style={{ transform: top }}>
                  <ListEnd list={list} state={state} />
                </li>
              ) : null;
            }
            return (
              <EventRow
                key={event.id}
                event={event}
                top={top}
                href={hrefOf(event.id)}
                isSelected={isSelected(event)}
                isPicked={picked.has(event.id)}
                onPick={onPick}
                folding={isFolded && event.delivery.attempts > 1 ? { endpointId, unfolded } : undefined}
              />
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** Shown after the last row while there are more events. A long search shows how far back it has searched. */
function ListEnd({ list, state }: { list: LiveList; state: LiveListState }) {
  if (state.problem) return <Button onClick={() => list.loadTo(state.length + 1)}>Load more: {state.problem}</Button>;
  if (state.searchedTo === null) return <>Loading older events…</>;
  const reached = `Searched back to ${formatTimeOfDay(state.searchedTo, Date.now())}`;
  return state.isHalted ? <Button onClick={list.goOn}>{reached} · Go on</Button> : <>{reached}…</>;
}
