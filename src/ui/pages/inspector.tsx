/*
 * The heart of the dashboard: the list of deliveries, live, and one of them in full. The address says which event and which search,
 * so both survive a reload. Arrivals never take the selection away.
 */

import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button, Notice } from '../components/controls.tsx';
import { EventList } from '../components/event-list.tsx';
import { FirstWebhook } from '../components/first-webhook.tsx';
import { Icon } from '../components/icons.tsx';
import { ListToolbar } from '../components/list-toolbar.tsx';
import { Link, navigate } from '../components/navigation.tsx';
import { EndpointNotFoundPage } from '../components/not-found.tsx';
import { ReplayDialog } from '../components/replay-dialog.tsx';
import { Splitter, useSplit } from '../components/splitter.tsx';
import { useEvent } from '../components/use-event.ts';
import { useHotkeys } from '../components/use-hotkeys.ts';
import { useTitle } from '../components/use-title.ts';
import { useWorkspace } from '../components/workspace.tsx';
import { visibleLine, visibleName } from '../format/visible.ts';
import { useLiveList } from '../live/use-live-list.ts';
import type { EventSummary } from '../wire.ts';
import { EventPane } from './event.tsx';

const wideScreen = '(min-width: 60rem)';
const maxUnseenCount = 999;

type InspectorProps = { endpointId: string; eventId: string; q: string };

export function InspectorPage({ endpointId, eventId, q }: InspectorProps) {
  const { endpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === endpointId);
  const name = visibleName(endpoint?.name ?? 'Endpoint');
  const [announcement, setAnnouncement] = useState('');
  const [unseen, setUnseen] = useState(0);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [replaying, setReplaying] = useState<string[]>();
  const [replayed, setReplayed] = useState(0);
  const search = useRef<HTMLInputElement>(null);
  const split = useSplit();

  const onArrival = useCallback((event: EventSummary): void => {
    setAnnouncement(`New event: ${visibleLine(event.eventType ?? event.method ?? 'delivery')}`);
    if (document.hidden) setUnseen(n => Math.min(n + 1, maxUnseenCount));
  }, []);
  const { feed, view, live, isGone, restart } = useLiveList(endpointId, q, onArrival);
  const loaded = useEvent(eventId, replayed);
  // A replay may end after its dialog was closed, when another event is shown.
  const shownId = useRef(eventId);
  shownId.current = eventId;

  useTitle(`${unseen > 0 ? `(${unseen}) ` : ''}${name}`);
  useEffect(() => {
    const seen = (): void => {
      if (!document.hidden) setUnseen(0);
    };
    document.addEventListener('visibilitychange', seen);
    return () => document.removeEventListener('visibilitychange', seen);
  }, []);

  const base = `/app/endpoints/${endpointId}`;
  const suffix = q ? `?q=${encodeURIComponent(q)}` : '';
  const open = useCallback(
    (id: string, replace = true): void => navigate(`${base}/events/${id}${suffix}`, { replace }),
    [base, suffix],
  );

  // On a wide screen the newest event is open from the start; on a phone the list comes first.
  const newest = feed.at(0)?.id;
  useEffect(() => {
    if (!eventId && newest && matchMedia(wideScreen).matches) open(newest);
  }, [eventId, newest, open]);

  // An address that names another endpoint's event leads to that endpoint.
  const home = loaded.event?.endpointId ?? endpointId;
  useEffect(() => {
    if (home !== endpointId) navigate(`/app/endpoints/${home}/events/${eventId}`, { replace: true });
  }, [home, endpointId, eventId]);

  const selected = eventId ? feed.indexOf(eventId) : -1;
  const moveTo = (index: number): void => {
    const event = feed.at(index);
    if (event) open(event.id);
    void feed.loadTo(index + 20);
  };
  const togglePick = (id: string): void => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  const pickedInOrder = useMemo(
    () => [...picked].sort((a, b) => feed.indexOf(b) - feed.indexOf(a)),
    // Oldest first: that is the order in which they are replayed.
    [picked, feed, view.length],
  );

  useHotkeys({
    j: () => moveTo(selected + 1),
    k: () => moveTo(Math.max(0, selected - 1)),
    g: () => moveTo(0),
    x: () => eventId && togglePick(eventId),
    p: () => feed.pause(!view.isPaused),
    r: () => {
      const ids = picked.size > 0 ? pickedInOrder : eventId ? [eventId] : [];
      if (ids.length > 0) setReplaying(ids);
    },
    '/': () => search.current?.select(),
    Escape: () => setPicked(new Set()),
  });

  if (isGone || (endpoints && !endpoint)) return <EndpointNotFoundPage />;
  const waiting = view.phase === 'ready' && view.length === 0 && q === '' && view.heldCount === 0 && !eventId;
  if (waiting && endpoint) return <FirstWebhook endpoint={endpoint} live={live} />;

  return (
    <main class={`inspector ${eventId ? 'has-event' : ''}`} style={{ '--list': `${split.width}px` }}>
      <h1 class="offscreen">{name}</h1>
      <p class="offscreen" role="status" aria-live="polite">
        {announcement}
      </p>
      <section class="list-pane" aria-label="Events">
        {eventId && (
          <a class="skip" href="#event">
            Skip the list
          </a>
        )}
        <ListToolbar
          searchRef={search}
          endpointId={endpointId}
          eventId={eventId}
          q={q}
          live={live}
          view={view}
          onPause={on => feed.pause(on)}
        />
        {view.phase === 'failed' && (
          <Notice
            tone="bad"
            title="The events could not be loaded"
            action={<Button onClick={restart}>Try again</Button>}
          >
            {view.problem}
          </Notice>
        )}
        <EventList
          feed={feed}
          view={view}
          q={q}
          selectedId={eventId}
          selectedAt={loaded.event?.receivedAt}
          hrefOf={id => `${base}/events/${id}${suffix}`}
          picked={picked}
          onPick={togglePick}
        />
        {picked.size > 0 && (
          <footer class="pick-bar">
            <strong>{picked.size} selected</strong>
            <span class="grow" />
            {picked.size === 2 && (
              <Link class="button plain" to={`${base}/compare?a=${pickedInOrder[0]}&b=${pickedInOrder[1]}`}>
                Compare
              </Link>
            )}
            <Button kind="primary" icon="replay" onClick={() => setReplaying(pickedInOrder)}>
              Replay
            </Button>
            <Button kind="quiet" onClick={() => setPicked(new Set())}>
              Clear
            </Button>
          </footer>
        )}
      </section>
      <Splitter split={split} />
      <section id="event" class="event-pane" aria-label="Event" tabIndex={-1}>
        {eventId ? (
          <EventPane
            key={endpointId}
            loaded={loaded}
            summary={selected >= 0 ? feed.at(selected) : undefined}
            previousId={selected >= 0 ? olderAlike(feed, selected, view.length) : undefined}
            listHref={base + suffix}
            onReplay={() => setReplaying([eventId])}
          />
        ) : (
          view.phase === 'ready' &&
          view.length > 0 && (
            <div class="placeholder">
              <Icon name="list" />
              <p>Choose an event to look inside.</p>
            </div>
          )
        )}
      </section>
      {replaying && (
        <ReplayDialog
          endpointId={endpointId}
          events={replaying.map(id => ({ id, label: labelOf(feed.at(feed.indexOf(id))) }))}
          onSent={id => id === shownId.current && setReplayed(n => n + 1)}
          onClose={() => setReplaying(undefined)}
        />
      )}
    </main>
  );
}

const labelOf = (event: EventSummary | undefined): string => event?.eventType ?? event?.method ?? 'Event';

/** The next older event of the same type among those near by: the natural one to compare with. */
const olderAlike = (
  feed: ReturnType<typeof useLiveList>['feed'],
  index: number,
  length: number,
): string | undefined => {
  const own = feed.at(index);
  for (let at = index + 1; own && at < Math.min(length, index + 500); at++) {
    const other = feed.at(at);
    if (other && other.eventType === own.eventType && other.platform === own.platform) return other.id;
  }
  return feed.at(index + 1)?.id;
};
