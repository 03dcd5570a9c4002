/* Above the list: search on the server, the live state in words, and the pause that holds arrivals back. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FeedView } from '../live/feed.ts';
import type { LiveState } from '../live/stream.ts';
import { IconButton } from './icon-button.tsx';
import { Icon } from './icons.tsx';
import { Link, navigate } from './navigation.tsx';

const TYPING_MS = 250;

const LIVE_WORDS: Record<LiveState, string> = {
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
  live: LiveState;
  view: FeedView;
  onPause: (on: boolean) => void;
};

export function ListToolbar({ searchRef, endpointId, eventId, q, live, view, onPause }: ToolbarProps) {
  return (
    <div class="toolbar">
      <Search searchRef={searchRef} endpointId={endpointId} eventId={eventId} q={q} />
      <button
        type="button"
        class={`live-button ${view.paused ? 'paused' : live}`}
        aria-pressed={view.paused}
        title={view.paused ? 'Show what arrived and go on (p)' : 'Hold arrivals back (p)'}
        onClick={() => onPause(!view.paused)}
      >
        <Icon name={view.paused ? 'play' : 'pause'} />
        <span class="live-word">
          {view.paused ? (view.held > 0 ? `${view.held.toLocaleString()} held` : 'Paused') : LIVE_WORDS[live]}
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
    const timer = setTimeout(go, TYPING_MS, text);
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
