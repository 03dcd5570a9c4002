/* The head of an open event: what it is, its signature verdict, and how it arrived. */

import type { EventDetail, EventSummary } from '../../features/events/model.ts';
import { platformTitle } from '../format/platforms.ts';
import { formatBytes, formatExactTime } from '../format/time.ts';
import type { Verdict } from '../format/verdict.ts';
import { visibleLine } from '../format/visible.ts';
import { FilterBy } from '../search/filter-by.tsx';
import { Method, PlatformMark, VerdictBadge } from './badges.tsx';
import { Time } from './time.tsx';

const maxPathChars = 150;

type SummaryProps = {
  event: EventDetail | EventSummary;
  /** Undefined until the event is loaded in full. */
  verdict: Verdict | undefined;
  onVerdict: () => void;
};

export const EventSummaryLines = ({ event, verdict, onVerdict }: SummaryProps) => (
  <>
    <div class="event-title">
      <PlatformMark platform={event.platform} />
      <h2>{event.eventType === null ? 'No event type' : visibleLine(event.eventType)}</h2>
      {event.eventType !== null && <FilterBy field="type" value={event.eventType} />}
      {verdict && (
        <button type="button" class="badge-button" onClick={onVerdict}>
          <VerdictBadge tone={verdict.tone} label={verdict.label} />
        </button>
      )}
    </div>
    <p class="event-line">
      <Method method={event.method} />
      <span>
        {visibleLine(platformTitle(event.platform))}
        {event.platform !== null && <FilterBy field="platform" value={event.platform} />}
      </span>
      <span title={formatExactTime(event.receivedAt)}>
        <Time at={event.receivedAt} long />
      </span>
      <span>{formatBytes(event.size)}</span>
      {event.path !== '' && <code class="path">{visibleLine(shortenPath(event.path))}</code>}
    </p>
  </>
);

/** The headers tab shows the full path. */
const shortenPath = (path: string): string => (path.length > maxPathChars ? `${path.slice(0, maxPathChars)}…` : path);
