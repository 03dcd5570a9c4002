/* The toolbar of the event list: server-side search, connection state, the pause button, and exports. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveListState } from '../live/live-list.ts';
import type { ConnectionState } from '../live/stream.ts';
import { ExportButton } from './export-dialog.tsx';
import { IconButton } from './icon-button.tsx';
import { Icon } from './icons.tsx';
import { Link, navigate } from './navigation.tsx';

const searchDebounceMs = 250;

const connectionLabels: Record<ConnectionState, string> = {
  connecting: 'Connecting',
  live: 'Live',
  retrying: 'Reconnecting',
  off: 'Not live',
};

type ToolbarProps = {
  searchRef: RefObject<HTMLInputElement | null>;
  endpointId: string;
  eventId: string;
  q: string;
  connection: ConnectionState;
  state: LiveListState;
  onPause: (isPaused: boolean) => void;
};

export function ListToolbar({ searchRef, endpointId, eventId, q, connection, state, onPause }: ToolbarProps) {
  return (
    <div class="toolbar">
      <Search searchRef={searchRef} endpointId={endpointId} eventId={eventId} q={q} />
      <button
        type="button"
        class={`live-button ${state.isPaused ? 'paused' : connection}`}
        aria-pressed={state.isPaused}
        title={state.isPaused ? 'Resume and show new events (p)' : 'Pause: hold new events back (p)'}
        onClick={() => onPause(!state.isPaused)}
      >
        <Icon name={state.isPaused ? 'play' : 'pause'} />
        <span class="live-word">
          {state.isPaused
            ? state.heldCount > 0
              ? `${state.heldCount.toLocaleString()} held`
              : 'Paused'
            : connectionLabels[connection]}
        </span>
      </button>
      <Link
        to={`/app/endpoints/${endpointId}/settings`}
        class="icon-button"
        aria-label="Endpoint settings"
        title="Endpoint settings"
      >
        <Icon name="gear" />
      </Link>
      <ExportButton endpointId={endpointId} selection={{ q }} />
    </div>
  );
}

function Search({
  searchRef,
  endpointId,
  eventId,
  q,
}: Pick<ToolbarProps, 'searchRef' | 'endpointId' | 'eventId' | 'q'>) {
  const [text, setText] = useState(q);
  const searchedFor = useRef(q);
  useEffect(() => {
    if (q !== searchedFor.current) setText(q);
    searchedFor.current = q;
  }, [q]);
  const search = (next: string): void => {
    if (next === searchedFor.current) return;
    searchedFor.current = next;
    // A new search opens its newest result; clearing the search keeps the selected event open.
    const target = next ? `?q=${encodeURIComponent(next)}` : eventId && `/events/${eventId}`;
    navigate(`/app/endpoints/${endpointId}${target}`, { replace: true });
  };
  useEffect(() => {
    const timer = setTimeout(search, searchDebounceMs, text);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={searchRef}
        type="search"
        aria-label="Search event types and payloads"
        placeholder="Search type and payload"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') search(text);
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {text ? <IconButton icon="close" label="Clear search" onClick={() => setText('')} /> : <kbd>/</kbd>}
    </search>
  );
}
