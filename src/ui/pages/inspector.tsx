/* The live list of events next to the selected event. The URL holds the event and the filter. New events never change the selection. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useComparable } from '../inspector/compare/use-comparable.ts';
import { EventActionsContext } from '../inspector/event/event-actions.ts';
import { EventPane } from '../inspector/event/event-pane.tsx';
import { type EventQuery, type Marks, useEvent } from '../inspector/event/use-event.ts';
import { FilterByContext } from '../inspector/filter/filter-by.tsx';
import { filterControl } from '../inspector/filter/filter-control.ts';
import { useFolding } from '../inspector/list/folded-rows.tsx';
import { focusEvent } from '../inspector/list/list-focus.ts';
import { ListPane } from '../inspector/list/list-pane.tsx';
import { Splitter, useSplit } from '../inspector/list/splitter.tsx';
import { useArrivals } from '../inspector/list/use-arrivals.ts';
import { useBackToList, useListKeys } from '../inspector/list/use-list-keys.ts';
import { type Picks, usePicks } from '../inspector/list/use-picks.ts';
import { isWide, useSelection } from '../inspector/list/use-selection.ts';
import type { LiveList, LiveListState } from '../inspector/live/live-list.ts';
import { useLiveList } from '../inspector/live/use-live-list.ts';
import { useEventSource } from '../inspector/palette/event-source.ts';
import { useReplays } from '../inspector/replay/use-replays.tsx';
import { inspectorQuery, pickStore, useInspectorState } from '../inspector/state/inspector-state.ts';
import { maxPickedInUrl, missingPicks } from '../inspector/state/inspector-url.ts';
import { openDialog } from '../kit/dialogs.tsx';
import { formatCount } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Icon } from '../kit/icons.tsx';
import { navigate, usePageLocation } from '../kit/navigation.tsx';
import { onDemand } from '../kit/on-demand.tsx';
import { EndpointNotFoundPage } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { CommandSection, useHotkeys } from '../kit/use-hotkeys.ts';
import { useWorkspace } from '../kit/workspace.tsx';

const FirstWebhook = onDemand(() => import('./first-webhook.tsx').then(page => page.FirstWebhook));

type InspectorProps = { endpointId: string; eventId: string; where: string };

export function InspectorPage({ endpointId, eventId, where }: InspectorProps) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === endpointId);
  const name = visibleName(endpoint?.name ?? 'Endpoint');
  const isOpen = useIsOpen(eventId);
  /** How often the selected event was replayed. A replay can finish after another event was selected, so it checks the id. */
  const [replayCount, setReplayCount] = useState(0);
  const onSent = (id: string): void => {
    if (isOpen(id)) setReplayCount(n => n + 1);
  };
  const searchRef = useRef<HTMLInputElement>(null);
  const split = useSplit();

  const folding = useFolding();
  const selected = useEvent(eventId, replayCount);
  const page = { ...folding, ...useArrivals(name), onMarked: selected.mark, isOpen };
  const live = useLiveList(endpointId, where, page);
  const { list, state, isConnectable, isGone } = live;
  const { base, suffix, listHref, filter } = useInspectorLinks({ endpointId, eventId, where });
  const place = { list, endpointId, eventId, where };
  const selection = useSelection({ ...place, base, suffix, selected: selected.event });
  // Grouped hits are in another order than time.
  const index = state.wholeCount === undefined ? selection.index : -1;
  const compareId = useComparable({ ...place, index, length: state.length, event: selected.event });
  const picks = usePicks({ list, state, endpointId, where, eventId, index: selection.index });
  const { picked, pickedIds, all, unpick } = picks;
  const replays = useReplays({ endpointId, where, list, selected, onSent });
  const onReplay = (): void => replays.open(all ? { all } : { ids: picked.size > 0 ? pickedIds : [eventId] });
  useListKeys({ ...place, selection });
  useInspectorKeys({ list, state, eventId, picks, onReplay, searchRef });
  useBackToList(eventId, listHref);
  useEventSource(list, id => `${base}/events/${id}${suffix}`);
  useMissingPicks();
  useFocusOfOpenedEvent(eventId);
  if (isGone || (endpoints && !endpoint)) return <EndpointNotFoundPage />;
  const isEmpty = state.phase === 'ready' && state.length === 0 && state.heldCount === 0;
  if (isEmpty && where === '' && !eventId && endpoint && isConnectable) return <FirstWebhook endpoint={endpoint} />;
  return (
    <main class={`inspector ${eventId ? 'has-event' : ''}`} style={{ '--list': `${split.width}px` }}>
      <h1 class="offscreen">Events of {name}</h1>
      <Announcement text={page.announcement} />
      <CommandSection.Provider value="List">
        <ListPane
          searchRef={searchRef}
          endpointId={endpointId}
          eventId={eventId}
          where={where}
          suffix={suffix}
          filter={filter}
          live={live}
          folding={folding}
          selected={selected.event}
          picks={picks}
          onReplay={onReplay}
        />
      </CommandSection.Provider>
      <Splitter split={split} />
      <section id="event" class="event-pane pane" aria-label="Event" tabIndex={-1}>
        <FilterByContext.Provider value={filter.filterBy}>
          <CommandSection.Provider value="Event">
            {eventId ? (
              <EventActionsContext.Provider
                value={{ ...replays.actions, redact: field => openRedactField(endpointId, field) }}
              >
                <EventPane
                  key={endpointId}
                  query={selected}
                  summary={list.at(list.indexOf(eventId))}
                  row={list.at(selection.index)}
                  compareId={compareId}
                  listHref={listHref}
                  onReplay={() => replays.open({ ids: [eventId] })}
                  {...keepingOf({ list, selected, base, suffix, unpick })}
                />
              </EventActionsContext.Provider>
            ) : (
              <Placeholder state={state} />
            )}
          </CommandSection.Provider>
        </FilterByContext.Provider>
      </section>
      {replays.dialog}
    </main>
  );
}

const RedactFieldDialog = onDemand(() =>
  import('../redaction/redact-field-dialog.tsx').then(dialog => dialog.RedactFieldDialog),
);

const openRedactField = (endpointId: string, field: string): void =>
  void openDialog(close => <RedactFieldDialog endpointId={endpointId} field={field} onClose={close} />, 'path');

/** The links inside the inspector keep its state. */
function useInspectorLinks({ endpointId, eventId, where }: InspectorProps) {
  const inspector = useInspectorState();
  const base = `/app/endpoints/${endpointId}`;
  const queryOf = (filter: string): string => inspectorQuery(filter, inspector);
  const suffix = queryOf(where);
  const filter = filterControl({ base, eventId, where, queryOf, isWide });
  return { base, suffix, listHref: base + suffix, filter };
}

type KeyOptions = {
  list: LiveList;
  state: LiveListState;
  eventId: string;
  picks: Picks;
  onReplay: () => void;
  searchRef: RefObject<HTMLInputElement | null>;
};

function useInspectorKeys({ list, state, eventId, picks, onReplay, searchRef }: KeyOptions): void {
  const { isPicking, togglePick, clearPicks, all } = picks;
  useHotkeys(
    {
      x: { label: 'Select the event', run: () => togglePick(eventId), isOff: !eventId },
      p: {
        label: state.isPaused ? 'Resume live updates' : 'Pause live updates',
        help: 'Pause and resume live updates',
        run: () => list.setPaused(!state.isPaused),
      },
      r: {
        label: isPicking ? 'Replay the selected events' : 'Replay',
        help: 'Replay the event, or the selected ones',
        run: onReplay,
        // As long as they are counted, it is not known whether there are any.
        isOff: all ? !all.count : !eventId && !isPicking,
        section: 'Event',
      },
      '/': { label: 'Search and filter', run: () => searchRef.current?.select() },
      Escape: {
        label: 'Clear the selection',
        run: () => (isPicking ? clearPicks() : false),
        isOff: !isPicking,
      },
    },
    'List',
  );
}

/** On a small screen an event takes the place of the list, which had the focus. */
function useFocusOfOpenedEvent(eventId: string): void {
  const wasOpen = useRef(true);
  const isOpen = eventId !== '';
  useEffect(() => {
    if (isOpen && !wasOpen.current && !isWide()) focusEvent();
    wasOpen.current = isOpen;
  }, [isOpen]);
}

/** Says it when the page was opened by a link whose selection was too long for it. */
function useMissingPicks(): void {
  const { query } = usePageLocation();
  const count = missingPicks(query, pickStore);
  useEffect(() => {
    if (count > 0)
      showToast(
        `This link was made with ${formatCount(count, 'selected event')}, but a link holds at most ${maxPickedInUrl}. Only those are selected.`,
      );
  }, [count]);
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
  onMarked: (marked: Marks): void => {
    list.change(marked);
    selected.mark(marked);
  },
  onDeleted: (id: string): void => {
    const index = list.indexOf(id);
    unpick(id);
    list.remove([id]);
    selected.forget(id);
    const next = list.at(index) ?? list.at(index - 1);
    navigate(next ? `${base}/events/${next.id}${suffix}` : base + suffix, { replace: true });
  },
});

/** Tells whether an event is the selected one, whenever it is asked. */
function useIsOpen(eventId: string): (id: string) => boolean {
  const currentId = useRef(eventId);
  currentId.current = eventId;
  return id => id === currentId.current;
}

const Announcement = ({ text }: { text: string }) => (
  <p class="offscreen" role="status" aria-live="polite">
    {text}
  </p>
);

const Placeholder = ({ state }: { state: LiveListState }) =>
  state.phase === 'ready' && state.length > 0 ? (
    <div class="placeholder col faint">
      <Icon name="list" />
      <p>Select an event to see its details.</p>
    </div>
  ) : null;
