/* The event list: virtualized, loads older pages while scrolling, and keeps its scroll position when events are added at the top. */

import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Empty, Skeleton } from '../../kit/controls.tsx';
import { formatCount, formatDay, formatTimeOfDay } from '../../kit/format/time.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { filterQuery } from '../filter/filter-url.ts';
import { searchTermsOf, withPaths } from '../find-in-body/search-terms.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { EventRow, type Pick } from './event-row.tsx';
import { AttemptRow, rowAt, shownAt, type Unfolded, useUnfolded } from './folded-rows.tsx';
import { groupAt } from './hit-groups.ts';
import { useRowHeight } from './list-menu.tsx';
import { useRevealSelected } from './use-reveal-selected.ts';
import { dividerHeight, useRowLayout, useScrollAnchor } from './use-row-layout.ts';
import { type RowLayout, useVirtual } from './use-virtual.ts';

const prefetchRows = 200;
/** More new rows than this are loaded again on demand, at the latest when there are ten times as many and the list is scrolled. */
const maxArrivals = 5000;

type EventListProps = {
  endpointId: string;
  isFolded: boolean;
  list: LiveList;
  state: LiveListState;
  where: string;
  selectedId: string;
  selected: EventDetail | undefined;
  hrefOf: (id: string) => string;
  isPicked: (event: EventSummary) => boolean;
  onPick: Pick;
};

export function EventList(props: EventListProps) {
  const { endpointId, list, state, where, selectedId, selected } = props;
  const selectedKey = selected?.delivery.key ?? list.at(list.indexOf(selectedId))?.delivery.key;
  const unfolded = useUnfolded(list, endpointId, selectedKey);
  const { rowHeight, isCompact } = useRowHeight();
  const count = state.length + unfolded.attempts.length + (state.hasMore ? 1 : 0);
  const layout = useRowLayout({ list, state, unfolded, count, rowHeight });
  const virtual = useVirtual<HTMLDivElement>({ count, rowHeight, layout });
  const { scroller, range, reveal: revealShown, measure } = virtual;
  const latest = useRef(unfolded);
  latest.current = unfolded;
  const reveal = useCallback(
    (at: number, place?: 'near' | 'middle') => revealShown(shownAt(at, latest.current), place),
    [revealShown],
  );
  const aboveCount = useAboveCount(list, state.arrivalCount, scroller, range.from);
  useScrollAnchor({ scroller, list, state, unfolded, layout, range, onMoved: measure });

  useEffect(() => {
    if (state.hasMore && !state.problem) void list.loadTo(range.to + prefetchRows);
    // A list that starts over while it loads stops loading: its revision changes.
  }, [list, state.hasMore, state.problem, state.phase, state.revision, range.to]);

  const isUntouched = useCallback((): boolean => scroller.current?.scrollTop === 0, [scroller]);
  const { arrivalCount } = state;
  useEffect(() => {
    if (arrivalCount > (isUntouched() ? maxArrivals : 10 * maxArrivals)) void list.shorten();
  }, [list, arrivalCount, isUntouched]);
  useRevealSelected({ list, state, where, selectedId, selectedAt: selected?.receivedAt, isUntouched, reveal });

  if (state.phase === 'loading') return <Skeleton rows={10} kind="line" />;
  if (state.phase === 'ready' && state.length === 0 && !state.hasMore)
    return <NoEvents endpointId={endpointId} where={where} />;
  const titleAt = (row: number): string | undefined => {
    const place = rowAt(row, unfolded);
    const at = 'at' in place ? place.at : unfolded.index;
    const receivedAt = ('at' in place ? list.at(at) : unfolded.attempts[place.attempt])?.receivedAt;
    return receivedAt === undefined ? undefined : (groupAt(at, state) ?? formatDay(receivedAt, Date.now()));
  };
  return (
    <div class={`list-box ${isCompact ? 'compact' : ''}`}>
      {state.length > 0 && <TopStrip scroller={scroller} layout={layout} titleAt={titleAt} />}
      {aboveCount > 0 && (
        <button type="button" class="above" onClick={() => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' })}>
          ↑ {formatCount(aboveCount, 'new event')}
        </button>
      )}
      <div ref={scroller} class="event-list">
        <ul class="anchor" style={{ height: `${layout.height}px` }}>
          {Array.from({ length: Math.max(0, range.to - range.from) }, (_, offset) => (
            <Row
              key={keyOf(list, unfolded, range.from + offset)}
              {...props}
              row={range.from + offset}
              layout={layout}
              unfolded={unfolded}
              selectedKey={selectedKey}
              titleAt={titleAt}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

const NoEvents = ({ endpointId, where }: { endpointId: string; where: string }) => (
  <Empty
    title={where ? 'Nothing found' : 'No events yet'}
    action={<SearchPaths endpointId={endpointId} where={where} />}
  >
    {where ? 'No event matches this filter. New matches will appear here.' : 'Waiting for the next delivery.'}
    {where.includes('type:') && <TypeHint endpointId={endpointId} where={where} />}
  </Empty>
);

/** What the server says about a filter whose types are only in the bodies of events. */
function TypeHint({ endpointId, where }: { endpointId: string; where: string }) {
  const { value } = useQuery(`filter-hint:${endpointId}:${where}`, () => api.testFilter(endpointId, where, 1));
  return value?.hint ? <p>{visibleLine(value.hint)}</p> : null;
}

function keyOf(list: LiveList, unfolded: Unfolded, row: number): string | undefined {
  const place = rowAt(row, unfolded);
  return 'attempt' in place ? unfolded.attempts[place.attempt]?.id : (list.at(place.at)?.id ?? 'more');
}

type RowProps = EventListProps & {
  row: number;
  layout: RowLayout;
  unfolded: Unfolded;
  selectedKey: string | undefined;
  titleAt: TitleAt;
};

function Row(props: RowProps) {
  const { isFolded, list, state, where, selectedId, hrefOf, row, layout, unfolded, selectedKey } = props;
  const rowTop = layout.topOf(row);
  const top = `translateY(${rowTop}px)`;
  const place = rowAt(row, unfolded);
  if ('attempt' in place) {
    const attempt = unfolded.attempts[place.attempt];
    const newest = list.at(unfolded.index);
    if (!attempt) return null;
    const { id } = attempt;
    return (
      <AttemptRow
        attempt={attempt}
        newestAt={newest?.receivedAt ?? attempt.receivedAt}
        top={top}
        href={hrefOf(id)}
        isSelected={id === selectedId}
      />
    );
  }
  const event = list.at(place.at);
  if (!event) {
    return place.at === state.length && state.hasMore ? (
      <li class="list-end" style={{ transform: top }}>
        <ListEnd list={list} state={state} />
      </li>
    ) : null;
  }
  const { id, delivery } = event;
  // The row of a folded delivery represents its attempts.
  const isSelected = id === selectedId || (isFolded && delivery.key === selectedKey && delivery.key !== unfolded.key);
  return (
    <>
      {layout.hasGap(row) && <Divider title={props.titleAt(row)} rowTop={rowTop} />}
      <EventRow
        event={event}
        top={top}
        href={hrefOf(id)}
        isSelected={isSelected}
        isPicked={props.isPicked(event)}
        onPick={props.onPick}
        isDayShown={state.wholeCount === undefined}
        terms={searchTermsOf(where)}
        unfolded={isFolded && delivery.attempts > 1 ? unfolded : undefined}
      />
    </>
  );
}

function useAboveCount(
  list: LiveList,
  arrivalCount: number,
  scroller: RefObject<HTMLElement | null>,
  firstRow: number,
) {
  const [aboveCount, setAboveCount] = useState(0);
  const last = useRef({ list, count: arrivalCount });
  useLayoutEffect(() => {
    const added = last.current.list === list ? arrivalCount - last.current.count : 0;
    last.current = { list, count: arrivalCount };
    if (added > 0 && scroller.current && scroller.current.scrollTop > 0) setAboveCount(n => n + added);
  }, [list, arrivalCount, scroller]);
  useEffect(() => {
    if (firstRow === 0) setAboveCount(0);
  }, [firstRow]);
  return aboveCount;
}

/** Shown after the last row while there are more events. A long search shows how far back it has searched. */
function ListEnd({ list, state }: { list: LiveList; state: LiveListState }) {
  if (state.problem) return <Button onClick={() => list.loadTo(state.length + 1)}>Load more: {state.problem}</Button>;
  if (state.searchedTo === null) return <>Loading older events…</>;
  const reached = `Searched back to ${formatTimeOfDay(state.searchedTo, Date.now())}`;
  return state.isHalted ? <Button onClick={list.goOn}>{reached} · Keep searching</Button> : <>{reached}…</>;
}

/** The day of a row, or its group in a search; undefined for a row that is no event. */
type TitleAt = (row: number) => string | undefined;

const Divider = ({ title, rowTop }: { title: string | undefined; rowTop: number }) => (
  <li class="day-divider line soft" style={{ transform: `translateY(${rowTop - dividerHeight}px)` }}>
    {title}
  </li>
);

type TopStripProps = { scroller: RefObject<HTMLElement | null>; layout: RowLayout; titleAt: TitleAt };

/** The title of the row at the top. Renders again only if the row at the top changes. */
function TopStrip({ scroller, layout, titleAt }: TopStripProps) {
  const [title, setTitle] = useState('');
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => setTitle(old => titleAt(layout.rowAt(element.scrollTop)) ?? old);
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    return () => element.removeEventListener('scroll', measure);
  });
  return <div class="day-strip line soft">{title}</div>;
}

function SearchPaths({ endpointId, where }: { endpointId: string; where: string }) {
  const wider = withPaths(where);
  if (wider === undefined) return null;
  return (
    <Link class="button plain" to={`/app/endpoints/${endpointId}${filterQuery(wider)}`}>
      Search paths, too
    </Link>
  );
}
