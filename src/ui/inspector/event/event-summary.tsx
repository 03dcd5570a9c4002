/* The head of an open event: what it is, its signature verdict, and how it arrived. */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { FilterBy } from '../filter/filter-by.tsx';
import { PlatformMark, VerdictBadge } from './badges.tsx';
import { EventOutcome } from './event-outcome.tsx';
import { RequestLine } from './request-line.tsx';
import type { Verdict } from './verdict.ts';

type SummaryProps = {
  event: EventDetail | EventSummary;
  /** As in its row; null also when the list does not have the event. */
  action: string | null;
  /** Undefined until the event is loaded in full. */
  verdict: Verdict | undefined;
  onVerdict: () => void;
};

export const EventSummaryLines = ({ event, action, verdict, onVerdict }: SummaryProps) => (
  <>
    <div class="event-title line">
      <PlatformMark platform={event.platform} />
      <h2>
        {event.eventType === null
          ? 'No event type'
          : [event.eventType, action]
              .filter(part => part !== null)
              .map(visibleLine)
              .join(' · ')}
      </h2>
      {event.eventType !== null && <FilterBy field="type" value={event.eventType} />}
      {isTest(event) && (
        <span class="badge muted" title="Sent with “Send test event”, not by the platform.">
          <span class="badge-text">Test event</span>
        </span>
      )}
      {verdict && (
        <button type="button" class="badge-button rigid" onClick={onVerdict}>
          <VerdictBadge tone={verdict.tone} label={verdict.label} />
        </button>
      )}
    </div>
    <RequestLine event={event} />
    <EventOutcome event={event} />
  </>
);

/** The header is only a mark: a sender can set it, too. */
const isTest = (event: EventDetail | EventSummary): boolean =>
  'rawHeaders' in event && event.rawHeaders.some(([name]) => name.toLowerCase() === 'x-hooktape-test');
