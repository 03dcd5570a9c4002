/* The head of an open event: what it is, and how it arrived. */

import type { EventDetail, EventSummary } from '../../../features/events/model.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { FilterBy } from '../filter/filter-by.tsx';
import { PlatformMark } from './badges.tsx';
import { RedactedFields } from './redacted.tsx';
import { RequestLine } from './request-line.tsx';

type SummaryProps = {
  event: EventDetail | EventSummary;
  /** As in its row; null also when the list does not have the event. */
  action: string | null;
};

export const EventSummaryLines = ({ event, action }: SummaryProps) => (
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
    </div>
    <RequestLine event={event} />
    <RedactedFields redacted={event.redacted} />
  </>
);

/** The header is only a mark: a sender can set it, too. */
const isTest = (event: EventDetail | EventSummary): boolean =>
  'rawHeaders' in event && event.rawHeaders.some(([name]) => name.toLowerCase() === 'x-hooktape-test');
