/* One event in full: summary, signature verdict, and a tab for each part of it. */

import { useEffect, useRef } from 'preact/hooks';
import type { EventSummary } from '../../../features/events/model.ts';
import { api } from '../../kit/api.ts';
import { Button, Empty, IconButton, Notice, Skeleton } from '../../kit/controls.tsx';
import { copyText } from '../../kit/copy-button.tsx';
import { confirm, openDialog } from '../../kit/dialogs.tsx';
import { Icon } from '../../kit/icons.tsx';
import { currentLocation, Link, navigate } from '../../kit/navigation.tsx';
import { showError, showToast } from '../../kit/toasts.tsx';
import { useActions, useHotkeys } from '../../kit/use-hotkeys.ts';
import { useWorkspace } from '../../kit/workspace.tsx';
import { CopyDialog } from '../copy/copy-dialog.tsx';
import { curlCommand } from '../copy/curl.ts';
import { endpointTarget, requestTo } from '../copy/request.ts';
import { isFocusInList } from '../list/list-focus.ts';
import { useInspectorState } from '../state/inspector-state.ts';
import { type Tab, tabs } from '../state/inspector-url.ts';
import { EventMarks } from './event-marks.tsx';
import { EventPanel } from './event-panels.tsx';
import { hasTab, Tabs, tabKeys } from './event-tabs.tsx';
import { EventWay } from './event-way.tsx';
import { EventSummaryLines } from './request-line.tsx';
import type { EventQuery, Marks } from './use-event.ts';

type EventPaneProps = {
  query: EventQuery;
  summary: EventSummary | undefined;
  /** The row of the event's delivery in the list, which may know of newer attempts. */
  row: EventSummary | undefined;
  /** Null: there is no previous event of its type. Undefined: not known yet. */
  compareId: string | null | undefined;
  listHref: string;
  onReplay: () => void;
  onMarked: (marks: Marks) => void;
  onDeleted: (id: string) => void;
};

export function EventPane(props: EventPaneProps) {
  const { query, summary, row, compareId, listHref, onReplay, onMarked, onDeleted } = props;
  const { endpoints } = useWorkspace();
  const { event, problem, isMissing, reload } = query;
  const { tab: chosenTab, set } = useInspectorState();
  const endpointUrl = endpoints?.find(one => one.id === event?.endpointId)?.url ?? '';

  const compareHref = compareId === undefined ? undefined : event && compareHrefOf(event, compareId);
  const compare = useCompare(event?.id, compareHref);

  const copyAs = (): void => {
    if (event) void openDialog(close => <CopyDialog event={event} endpointUrl={endpointUrl} onClose={close} />);
  };
  const copyCurl = async (): Promise<void> => {
    if (!event) return;
    const command = curlCommand(requestTo(event, endpointTarget(event, endpointUrl)));
    if (await copyText(command)) showToast('Copied as a curl command to the endpoint URL.');
    else showError('Your browser blocked copying. Open “Copy as…” and select the text.');
  };
  useHotkeys({
    c: { label: 'Copy as curl', run: () => void copyCurl(), isOff: !event },
    l: { label: 'Copy a link to this event', run: () => void copyLink() },
    b: {
      label: compareId === null ? 'Compare with another event' : 'Compare with the previous event',
      help: 'Compare with the previous event of its type',
      run: compare,
      isOff: !event,
    },
  });
  useActions([{ label: 'Copy as…', run: copyAs, isOff: !event }]);

  const shown = event ?? summary;
  const known = shown?.delivery.key === row?.delivery.key ? row?.delivery.attempts : undefined;
  const attempts = Math.max(shown?.delivery.attempts ?? 1, known ?? 1);
  // While an event is loading, the tab stays for the next one.
  const shownTabs = tabs.filter(name => hasTab(name, { event, attempts }) || (!event && name === chosenTab));
  const tab = shownTabs.includes(chosenTab) ? chosenTab : 'body';
  useHotkeys(
    tabKeys(event ? shownTabs : tabs, name => {
      set({ tab: name });
      focusTab(name);
    }),
  );
  if (problem && !event)
    return <LoadFailure problem={problem} isMissing={isMissing} listHref={listHref} onRetry={reload} />;
  if (!shown) return <Skeleton rows={6} kind="line" />;
  return (
    <article class="event pane">
      <header class="event-head rigid">
        <Link to={listHref} class="back-link soft full">
          ← Events
        </Link>
        <EventSummaryLines event={shown} action={summary?.action ?? row?.action ?? null} />
        <div class="event-actions line tight">
          <Button kind="primary" icon="replay" onClick={onReplay} title="Replay (r)">
            Replay
          </Button>
          <Button icon="copy" onClick={copyAs} disabled={!event} title="Press c to copy as curl">
            Copy as…
          </Button>
          <CompareLink href={compareHref} hasPrevious={compareId !== null} />
          <DeleteEvent event={shown} onDeleted={onDeleted} />
        </div>
        <EventMarks event={shown} onChanged={onMarked} />
        {event ? <EventWay event={event} attempts={attempts} /> : <div class="way full" />}
      </header>
      <Tabs
        shown={shownTabs}
        selected={tab}
        event={event}
        attempts={attempts}
        onSelect={(name, options) => set({ tab: name }, options)}
      />
      <div id="event-panel" class="event-panel pane" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <EventPanel key={shown.id} event={event} attempts={attempts} tab={tab} />
      </div>
    </article>
  );
}

/** Keeps the filter and the tab for the way back. */
function compareHrefOf({ id, endpointId }: Pick<EventSummary, 'id'> & { endpointId: string }, previous: string | null) {
  const query = new URLSearchParams(currentLocation().query);
  query.set('a', previous ?? '');
  query.set('b', id);
  return `/app/endpoints/${endpointId}/compare?${query}`;
}

/** Goes there once it is known: a quick key is not lost. */
function useCompare(eventId: string | undefined, href: string | undefined): () => void {
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (href !== undefined && eventId !== undefined && wanted.current === eventId) navigate(href);
  }, [eventId, href]);
  return () => {
    if (href === undefined) wanted.current = eventId;
    else navigate(href);
  };
}

type CompareLinkProps = { href: string | undefined; hasPrevious: boolean };

/** As long as it is not known with what to compare, it takes its place and does nothing. */
const CompareLink = ({ href, hasPrevious }: CompareLinkProps) =>
  href === undefined ? (
    <Button icon="compare" disabled>
      Compare
    </Button>
  ) : (
    <Link
      class="button plain"
      to={href}
      title={
        hasPrevious
          ? 'Compare with the previous event of its type (b)'
          : 'There is no earlier event of its type. Choose another to compare with (b)'
      }
    >
      <Icon name="compare" />
      <span>{hasPrevious ? 'Compare' : 'Compare (none earlier)'}</span>
    </Link>
  );

type LoadFailureProps = { problem: string; isMissing: boolean; listHref: string; onRetry: () => void };

const LoadFailure = ({ problem, isMissing, listHref, onRetry }: LoadFailureProps) =>
  isMissing ? (
    <Empty
      title="Event not found"
      action={
        <Link class="button plain" to={listHref}>
          Show other events
        </Link>
      }
    >
      It was deleted or has passed its retention period, or the link is incomplete.
    </Empty>
  ) : (
    <Empty title="Couldn't load the event" action={<Button onClick={onRetry}>Try again</Button>}>
      {problem}
    </Empty>
  );

/** To the page as it is now: with the tab, the view, the filter and what is selected. */
async function copyLink(): Promise<void> {
  const { path, query } = currentLocation();
  const link = location.origin + path + (query.size > 0 ? `?${query}` : '');
  if (await copyText(link)) showToast('Link copied.');
  else showError('Your browser blocked copying. Copy the link from its address bar.');
}

/** Tab goes on into the panel. In the list, the focus stays where the arrow keys work. */
const focusTab = (tab: Tab): void => {
  if (!isFocusInList()) document.getElementById(`tab-${tab}`)?.focus();
};

type DeleteEventProps = { event: Pick<EventSummary, 'id' | 'pin'>; onDeleted: (id: string) => void };

/** Deletes the event after a question. Only owners may. */
function DeleteEvent({ event: { id, pin }, onDeleted }: DeleteEventProps) {
  const { session, reloadEndpoints } = useWorkspace();
  const isOwner = session.role === 'owner';
  const remove = async (): Promise<void> => {
    const isDeleted = await confirm({
      title: 'Delete this event?',
      text: (
        <>
          <p>Its body, headers and replays will be deleted. This can't be undone.</p>
          {pin && (
            <Notice tone="warn" title={pin.name === null ? 'It is pinned' : `It is pinned as ${pin.name}`}>
              {pin.note ?? 'Someone on your team wanted to keep it.'}
            </Notice>
          )}
        </>
      ),
      button: 'Delete permanently',
      icon: 'trash',
      until: 'path',
      run: () => api.deleteEvent(id),
    });
    if (!isDeleted) return;
    showToast('The event was deleted.');
    reloadEndpoints();
    onDeleted(id);
  };
  useActions(isOwner ? [{ label: 'Delete the event', run: () => void remove() }] : []);
  return isOwner ? <IconButton icon="trash" label="Delete event" onClick={remove} /> : null;
}
