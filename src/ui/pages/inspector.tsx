/*
 * The inspector: the live list of events next to the selected event. The URL holds the selected event and the search, so both survive
 * a reload. New events never change the selection.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EventSummary } from '../../features/events/model.ts';
import { Button, Notice } from '../components/controls.tsx';
import { EventList } from '../components/event-list.tsx';
import { FirstWebhook } from '../components/first-webhook.tsx';
import { Icon } from '../components/icons.tsx';
import { ListToolbar } from '../components/list-toolbar.tsx';
import { Link, navigate } from '../components/navigation.tsx';
import { EndpointNotFoundPage } from '../components/not-found.tsx';
import { ReplayDialog } from '../components/replay-dialog.tsx';
import { Splitter, useSplit } from '../components/splitter.tsx';
import { type EventQuery, useEvent } from '../components/use-event.ts';
import { useHotkeys } from '../components/use-hotkeys.ts';
import { useTitle } from '../components/use-title.ts';
import { useWorkspace } from '../components/workspace.tsx';
import { visibleLine, visibleName } from '../format/visible.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import { useLiveList } from '../live/use-live-list.ts';
import { EventPane } from './event.tsx';

const wideScreen = '(min-width: 60rem)';
const maxUnseenCount = 999;
/** How many older rows are searched for an event of the same type to compare with. */
const maxCompareDistance = 500;

type InspectorProps = { endpointId: string; eventId: string; q: string };

export function InspectorPage({ endpointId, eventId, q }: InspectorProps) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === endpointId);
  const name = visibleName(endpoint?.name ?? 'Endpoint');
  const [replayIds, setReplayIds] = useState<string[]>();
  const { replayCount, onSent } = useReplayCount(eventId);
  const searchRef = useRef<HTMLInputElement>(null);
  const split = useSplit();

  const selected = useEvent(eventId, replayCount);
  const page = { ...useArrivals(name), onMarked: selected.mark, isOpen: useIsOpen(eventId) };
  const { list, state, connection, isGone, restart } = useLiveList(endpointId, q, page);
  const { picked, pickedIds, togglePick, unpick, clearPicks } = usePicks(list, state.length);
  const base = `/app/endpoints/${endpointId}`;
  const suffix = q ? `?q=${encodeURIComponent(q)}` : '';
  const selectedIndex = useSelection({ list, endpointId, eventId, base, suffix, home: selected.event?.endpointId });
  useHotkeys({
    x: () => eventId && togglePick(eventId),
    p: () => list.setPaused(!state.isPaused),
    r: () => (eventId || picked.size > 0) && setReplayIds(picked.size > 0 ? pickedIds : [eventId]),
    '/': () => searchRef.current?.select(),
    Escape: clearPicks,
  });

  if (isGone || (endpoints && !endpoint)) return <EndpointNotFoundPage />;
  const isEmpty = state.phase === 'ready' && state.length === 0 && state.heldCount === 0;
  if (isEmpty && q === '' && !eventId && endpoint) return <FirstWebhook endpoint={endpoint} connection={connection} />;

  return (
    <main class={`inspector ${eventId ? 'has-event' : ''}`} style={{ '--list': `${split.width}px` }}>
      <h1 class="offscreen">{name}</h1>
      <Announcement text={page.announcement} />
      <section class="list-pane" aria-label="Events">
        {eventId && <SkipLink />}
        <ListToolbar
          searchRef={searchRef}
          endpointId={endpointId}
          eventId={eventId}
          q={q}
          connection={connection}
          state={state}
          onPause={list.setPaused}
        />
        {state.phase === 'failed' && <LoadFailure problem={state.problem} onRetry={restart} />}
        <EventList
          list={list}
          state={state}
          q={q}
          selectedId={eventId}
          selectedAt={selected.event?.receivedAt}
          hrefOf={id => `${base}/events/${id}${suffix}`}
          picked={picked}
          onPick={togglePick}
        />
        {picked.size > 0 && (
          <PickBar base={base} ids={pickedIds} onReplay={() => setReplayIds(pickedIds)} onClear={clearPicks} />
        )}
      </section>
      <Splitter split={split} />
      <section id="event" class="event-pane" aria-label="Event" tabIndex={-1}>
        {eventId ? (
          <EventPane
            key={endpointId}
            query={selected}
            summary={list.at(selectedIndex)}
            compareId={findComparable(list, selectedIndex, state.length)}
            listHref={base + suffix}
            onReplay={() => setReplayIds([eventId])}
            {...keepingOf({ list, selected, base, suffix, unpick })}
          />
        ) : (
          <Placeholder state={state} />
        )}
      </section>
      {replayIds && (
        <ReplayDialog
          endpointId={endpointId}
          events={replayIds.map(id => ({ id, label: labelOf(list.at(list.indexOf(id))) }))}
          onSent={onSent}
          onClose={() => setReplayIds(undefined)}
        />
      )}
    </main>
  );
}

type KeepingOptions = {
  list: LiveList;
  selected: EventQuery;
  base: string;
  suffix: string;
  unpick: (id: string) => void;
};

/** Shows the changed pin or tags of an event everywhere; after a deletion, the next event is selected. */
const keepingOf = ({ list, selected, base, suffix, unpick }: KeepingOptions) => ({
  onMarked: (marked: Pick<EventSummary, 'id' | 'pin' | 'tags'>): void => {
    list.change(marked);
    selected.mark(marked);
  },
  onDeleted: (id: string): void => {
    const index = list.indexOf(id);
    unpick(id);
    list.remove(id);
    selected.forget(id);
    const next = list.at(index) ?? list.at(index - 1);
    navigate(next ? `${base}/events/${next.id}${suffix}` : base + suffix, { replace: true });
  },
});

/** Announces new events to screen readers, and counts in the tab's title those that arrive while the tab is hidden. */
function useArrivals(name: string) {
  const [announcement, setAnnouncement] = useState('');
  const [unseenCount, setUnseenCount] = useState(0);
  const onArrival = useCallback((event: EventSummary): void => {
    setAnnouncement(`New event: ${visibleLine(event.eventType ?? event.method ?? 'delivery')}`);
    if (document.hidden) setUnseenCount(n => Math.min(n + 1, maxUnseenCount));
  }, []);
  useEffect(() => {
    const onVisibility = (): void => {
      if (!document.hidden) setUnseenCount(0);
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => document.removeEventListener('visibilitychange', onVisibility);
  }, []);
  useTitle(`${unseenCount > 0 ? `(${unseenCount}) ` : ''}${name}`);
  return { announcement, onArrival };
}

/** How often the selected event was replayed. A replay can finish after another event was selected, so it checks the id. */
function useReplayCount(eventId: string) {
  const [replayCount, setReplayCount] = useState(0);
  const currentId = useRef(eventId);
  currentId.current = eventId;
  const onSent = (id: string): void => {
    if (id === currentId.current) setReplayCount(n => n + 1);
  };
  return { replayCount, onSent };
}

/** Tells whether an event is the selected one, whenever it is asked. */
function useIsOpen(eventId: string): (id: string) => boolean {
  const currentId = useRef(eventId);
  currentId.current = eventId;
  return id => id === currentId.current;
}

/** The events whose checkbox is ticked. `pickedIds` has them oldest first, the order in which they are replayed. */
function usePicks(list: LiveList, length: number) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const togglePick = (id: string): void => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  const unpick = (id: string): void => setPicked(new Set([...picked].filter(one => one !== id)));
  const clearPicks = (): void => setPicked(new Set());
  const pickedIds = useMemo(
    () => [...picked].sort((a, b) => list.indexOf(b) - list.indexOf(a)),
    [picked, list, length],
  );
  return { picked, pickedIds, togglePick, unpick, clearPicks };
}

type SelectionOptions = {
  list: LiveList;
  endpointId: string;
  eventId: string;
  base: string;
  suffix: string;
  /** The endpoint of the selected event, once it is loaded. */
  home: string | undefined;
};

/** Keeps the selection in the URL and moves it with j, k and g. Returns the selected row, or -1. */
function useSelection({ list, endpointId, eventId, base, suffix, home = endpointId }: SelectionOptions): number {
  const select = useCallback(
    (id: string): void => navigate(`${base}/events/${id}${suffix}`, { replace: true }),
    [base, suffix],
  );

  // A wide screen opens the newest event at the start; a phone shows the list first.
  const newestId = list.at(0)?.id;
  useEffect(() => {
    if (!eventId && newestId && matchMedia(wideScreen).matches) select(newestId);
  }, [eventId, newestId, select]);

  // A URL with an event of another endpoint redirects to that endpoint.
  useEffect(() => {
    if (home !== endpointId) navigate(`/app/endpoints/${home}/events/${eventId}`, { replace: true });
  }, [home, endpointId, eventId]);

  const selectedIndex = eventId ? list.indexOf(eventId) : -1;
  const moveTo = (index: number): void => {
    const event = list.at(index);
    if (event) select(event.id);
    void list.loadTo(index + 20);
  };
  useHotkeys({
    j: () => moveTo(selectedIndex + 1),
    k: () => moveTo(Math.max(0, selectedIndex - 1)),
    g: () => moveTo(0),
  });
  return selectedIndex;
}

const Announcement = ({ text }: { text: string }) => (
  <p class="offscreen" role="status" aria-live="polite">
    {text}
  </p>
);

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

const Placeholder = ({ state }: { state: LiveListState }) =>
  state.phase === 'ready' && state.length > 0 ? (
    <div class="placeholder">
      <Icon name="list" />
      <p>Select an event to see its details.</p>
    </div>
  ) : null;

const labelOf = (event: EventSummary | undefined): string => event?.eventType ?? event?.method ?? 'Event';

/** The next older event of the same type and platform, else the next older event; undefined when nothing is selected. */
const findComparable = (list: LiveList, index: number, length: number): string | undefined => {
  const selected = list.at(index);
  if (index < 0) return undefined;
  for (let at = index + 1; selected && at < Math.min(length, index + maxCompareDistance); at++) {
    const other = list.at(at);
    if (other && other.eventType === selected.eventType && other.platform === selected.platform) return other.id;
  }
  return list.at(index + 1)?.id;
};
