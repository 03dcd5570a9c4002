/* The list of deliveries: windowed, paged as one scrolls, and still under the reader's eyes while new ones arrive above. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { platformTitle } from '../format/platforms.ts';
import { formatBytes, formatCount } from '../format/time.ts';
import { describeRowVerdict } from '../format/verdict.ts';
import { visibleLine } from '../format/visible.ts';
import type { LiveList, LiveListState } from '../live/live-list.ts';
import type { EventSummary } from '../wire.ts';
import { Method, PlatformMark, VerdictBadge } from './badges.tsx';
import { Button, Empty, Skeleton } from './controls.tsx';
import { Link } from './navigation.tsx';
import { Time } from './time.tsx';
import { useRevealSelected } from './use-reveal-selected.ts';
import { useVirtual } from './use-virtual.ts';

const rowHeight = 60;
const prefetchRows = 200;
const maxTypeChars = 120;

type EventListProps = {
  feed: LiveList;
  view: LiveListState;
  q: string;
  selectedId: string;
  selectedAt: number | undefined;
  hrefOf: (id: string) => string;
  picked: ReadonlySet<string>;
  onPick: (id: string) => void;
};

export function EventList({ feed, view, q, selectedId, selectedAt, hrefOf, picked, onPick }: EventListProps) {
  const rows = view.length + (view.hasMore ? 1 : 0);
  const { scroller, range, reveal } = useVirtual<HTMLDivElement>({ count: rows, rowHeight });
  const [above, setAbove] = useState(0);

  // Rows put on top push what is being read down by as much as they are high: the scroll position follows.
  const arrived = useRef({ feed, count: view.arrivalCount });
  useLayoutEffect(() => {
    const fresh = arrived.current.feed === feed ? view.arrivalCount - arrived.current.count : 0;
    arrived.current = { feed, count: view.arrivalCount };
    const element = scroller.current;
    if (!element) return;
    if (fresh > 0 && element.scrollTop > 0) {
      element.scrollTop += fresh * rowHeight;
      setAbove(n => n + fresh);
    }
  }, [feed, view.arrivalCount, scroller]);
  useEffect(() => {
    if (range.from === 0) setAbove(0);
  }, [range.from]);

  useEffect(() => {
    if (view.hasMore && !view.problem) void feed.loadTo(range.to + prefetchRows);
  }, [feed, view.hasMore, view.problem, view.phase, range.to]);

  const isUntouched = useCallback((): boolean => scroller.current?.scrollTop === 0, [scroller]);
  useRevealSelected({ feed, view, q, selectedId, selectedAt, isUntouched, reveal });

  if (view.phase === 'loading') return <Skeleton rows={10} kind="line" />;
  if (view.phase === 'ready' && view.length === 0) {
    return (
      <Empty title={q ? 'Nothing found' : 'Nothing here yet'}>
        {q
          ? `No event type or payload contains “${visibleLine(q.slice(0, 80))}”. The search looks for exactly these characters, upper or lower case.`
          : 'Waiting for the next delivery.'}
      </Empty>
    );
  }
  return (
    <div class="list-box">
      {above > 0 && (
        <button type="button" class="above" onClick={() => scroller.current?.scrollTo({ top: 0, behavior: 'smooth' })}>
          ↑ {formatCount(above, 'new event')}
        </button>
      )}
      <div ref={scroller} class="event-list">
        <ul class="sizer" style={{ height: `${rows * rowHeight}px` }}>
          {Array.from({ length: Math.max(0, range.to - range.from) }, (_, offset) => {
            const index = range.from + offset;
            const event = feed.at(index);
            const top = `translateY(${index * rowHeight}px)`;
            if (!event) {
              return index === view.length && view.hasMore ? (
                <li key="more" class="list-end" style={{ transform: top }}>
                  {view.problem ? (
                    <Button onClick={() => feed.loadTo(view.length + 1)}>Load more: {view.problem}</Button>
                  ) : (
                    'Loading older events…'
                  )}
                </li>
              ) : null;
            }
            return (
              <EventRow
                key={event.id}
                event={event}
                top={top}
                href={hrefOf(event.id)}
                isSelected={event.id === selectedId}
                isPicked={picked.has(event.id)}
                onPick={onPick}
              />
            );
          })}
        </ul>
      </div>
    </div>
  );
}

/** Half-decoded binary says nothing; a word says more. */
const previewOf = ({ payloadPreview, size }: EventSummary): string => {
  if (size === 0) return 'no body';
  return /[\0\ufffd]/.test(payloadPreview) ? 'binary data' : visibleLine(payloadPreview);
};

type RowProps = {
  event: EventSummary;
  top: string;
  href: string;
  isSelected: boolean;
  isPicked: boolean;
  onPick: (id: string) => void;
};

function EventRow({ event, top, href, isSelected, isPicked, onPick }: RowProps) {
  const verdict = describeRowVerdict(event.signatureValid);
  const type = event.eventType === null ? undefined : visibleLine(event.eventType.slice(0, maxTypeChars));
  return (
    <li class={`event-row ${isSelected ? 'selected' : ''} ${isPicked ? 'picked' : ''}`} style={{ transform: top }}>
      <label class="pick">
        <input
          type="checkbox"
          checked={isPicked}
          aria-label={`Select ${type ?? 'event'}`}
          onChange={() => onPick(event.id)}
        />
        <PlatformMark platform={event.platform} />
      </label>
      <Link to={href} class="event-link" aria-current={isSelected ? 'true' : undefined} replace={isSelected}>
        <span class="line">
          <Method method={event.method} />
          <span class={`type ${type === undefined ? 'untyped' : ''}`}>
            {type ?? (event.path ? visibleLine(event.path) : 'No event type')}
          </span>
          <Time at={event.receivedAt} />
        </span>
        <span class="line second">
          <span class={`sender ${event.platform === null ? 'unknown' : ''}`}>
            {visibleLine(platformTitle(event.platform))}
          </span>
          <span class="preview">{previewOf(event)}</span>
          {verdict ? <VerdictBadge {...verdict} /> : <span class="size">{formatBytes(event.size)}</span>}
        </span>
      </Link>
    </li>
  );
}
