/* Above the list: search on the server, the live state in words, and the pause that holds arrivals back. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LiveListState } from '../live/live-list.ts';
import type { ConnectionState } from '../live/stream.ts';
import { IconButton } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Link, navigate } from './navigation.tsx';

const searchDebounceMs = 250;

const liveLabels: Record<ConnectionState, string> = {
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
  live: ConnectionState;
  view: LiveListState;
  onPause: (on: boolean) => void;
};

export function ListToolbar({ searchRef, endpointId, eventId, q, live, view, onPause }: ToolbarProps) {
  return (
    <div class="toolbar">
      <Search searchRef={searchRef} endpointId={endpointId} eventId={eventId} q={q} />
      <button
        type="button"
        class={`live-button ${view.isPaused ? 'paused' : live}`}
        aria-pressed={view.isPaused}
        title={view.isPaused ? 'Show what arrived and go on (p)' : 'Hold arrivals back (p)'}
        onClick={() => onPause(!view.isPaused)}
      >
        <Icon name={view.isPaused ? 'play' : 'pause'} />
        <span class="live-word">
          {view.isPaused
            ? view.heldCount > 0
              ? `${view.heldCount.toLocaleString()} held`
              : 'Paused'
            : liveLabels[live]}
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
  const asked = useRef(q);
  useEffect(() => {
    if (q !== asked.current) setText(q);
    asked.current = q;
  }, [q]);
  const go = (next: string): void => {
    if (next === asked.current) return;
    asked.current = next;
    // A new search opens its newest find; given up, it leaves the event that is open, among its neighbours.
    const rest = next ? `?q=${encodeURIComponent(next)}` : eventId && `/events/${eventId}`;
    navigate(`/app/endpoints/${endpointId}${rest}`, { replace: true });
  };
  useEffect(() => {
    const timer = setTimeout(go, searchDebounceMs, text);
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
          if (event.key === 'Enter') go(text);
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {text ? <IconButton icon="close" label="Clear search" onClick={() => setText('')} /> : <kbd>/</kbd>}
    </search>
  );
}
