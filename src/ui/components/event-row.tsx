/* A row of the event list. */

import type { EventSummary } from '../../features/events/model.ts';
import { platformTitle } from '../format/platforms.ts';
import { formatBytes } from '../format/time.ts';
import { describeRowVerdict } from '../format/verdict.ts';
import { visibleLine } from '../format/visible.ts';
import { Method, PlatformMark, VerdictBadge } from './badges.tsx';
import { RowPin, RowTags } from './event-marks.tsx';
import { AttemptsText, UnfoldButton, type Unfolded } from './folded-rows.tsx';
import { Link } from './navigation.tsx';
import { Time } from './time.tsx';

const maxTypeChars = 120;

/** What matters in the payload, else its beginning. Binary data is shown as such instead of as garbled text. */
const previewOf = ({ highlights, payloadPreview, size }: EventSummary): string => {
  if (highlights.length > 0) return visibleLine(highlights.join(' · '));
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
  /** For a delivery with several attempts. */
  folding: { endpointId: string; unfolded: Unfolded } | undefined;
};

export function EventRow({ event, top, href, isSelected, isPicked, onPick, folding }: RowProps) {
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
          <RowPin pin={event.pin} />
          <Time at={event.receivedAt} />
        </span>
        <span class="line second">
          <span class={`sender ${event.platform === null ? 'unknown' : ''}`}>
            {visibleLine(platformTitle(event.platform))}
          </span>
          <RowTags tags={event.tags} />
          {folding ? (
            <AttemptsText event={event} endpointId={folding.endpointId} />
          ) : (
            <span class={event.highlights.length > 0 ? 'preview highlights' : 'preview'}>{previewOf(event)}</span>
          )}
          {verdict ? <VerdictBadge {...verdict} /> : !folding && <span class="size">{formatBytes(event.size)}</span>}
        </span>
      </Link>
      {folding && (
        <UnfoldButton
          isUnfolded={folding.unfolded.key === event.delivery.key}
          attempts={event.delivery.attempts}
          onToggle={() => folding.unfolded.toggle(event.delivery.key)}
        />
      )}
    </li>
  );
}
