/* A row of the event list. */

import type { EventSummary } from '../../../features/events/model.ts';
import { platformTitle } from '../../kit/format/platforms.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { Time } from '../../kit/time.tsx';
import { Method, PlatformMark } from '../event/badges.tsx';
import { RowPin, RowTags } from '../event/event-marks.tsx';
import { MarkedText, MatchedLine } from '../find-in-body/marked-text.tsx';
import { UnfoldButton, type Unfolded } from './folded-rows.tsx';
import { RowEnd } from './row-end.tsx';
import { previewOf, titleOf } from './row-text.ts';

/** `isRange`: all events from the last picked one. */
export type Pick = (id: string, isRange: boolean) => void;

type RowProps = {
  event: EventSummary;
  top: string;
  href: string;
  isSelected: boolean;
  isPicked: boolean;
  onPick: Pick;
  /** The list says of which day its rows are. */
  isDayShown: boolean;
  terms: readonly string[];
  unfolded: Unfolded | undefined;
};

export function EventRow({ event, top, href, isSelected, isPicked, onPick, isDayShown, terms, unfolded }: RowProps) {
  const title = titleOf(event);
  const preview = previewOf(event);
  const why = event.matched[0];
  return (
    <li class={`event-row ${isSelected ? 'selected' : ''} ${isPicked ? 'picked' : ''}`} style={{ transform: top }}>
      <PickBox id={event.id} title={title.text} platform={event.platform} isPicked={isPicked} onPick={onPick} />
      <Link
        to={href}
        class="event-link grow"
        aria-current={isSelected ? 'true' : undefined}
        replace={isSelected}
        onMouseDown={keepText}
        onClick={click => {
          if (!click.shiftKey) return;
          click.preventDefault();
          onPick(event.id, true);
        }}
      >
        <span class="line">
          {event.method !== 'POST' && <Method method={event.method} />}
          <span class={`type grow cut ${title.isTyped ? '' : 'untyped'}`}>
            <MarkedText text={title.text} terms={terms} />
          </span>
          <RowPin pin={event.pin} />
          <Time at={event.receivedAt} isDayShown={isDayShown} />
        </span>
        <span class="line small faint">
          <span class="offscreen">{visibleLine(platformTitle(event.platform))}</span>
          <RowTags tags={event.tags} />
          {why ? (
            <MatchedLine match={why} terms={terms} />
          ) : (
            <span class={preview.isInWords ? 'preview grow cut highlights' : 'preview grow cut'}>
              <MarkedText text={preview.text} terms={terms} />
            </span>
          )}
          <RowEnd event={event} attempts={unfolded ? 'count' : 'place'} />
        </span>
      </Link>
      {unfolded && (
        <UnfoldButton
          isUnfolded={unfolded.key === event.delivery.key}
          attempts={event.delivery.attempts}
          onToggle={() => unfolded.toggle(event.delivery.key)}
        />
      )}
    </li>
  );
}

type PickBoxProps = { id: string; title: string; platform: string | null; isPicked: boolean; onPick: Pick };

/** The mark of the platform, and the checkbox, which takes its place under the pointer and when it is ticked. */
const PickBox = ({ id, title, platform, isPicked, onPick }: PickBoxProps) => (
  <label class="pick rigid" onMouseDown={keepText}>
    <input
      type="checkbox"
      checked={isPicked}
      aria-label={`Select ${title}`}
      onClick={event => onPick(id, event.shiftKey)}
    />
    <PlatformMark platform={platform} />
  </label>
);

/** A click with Shift picks rows. In a page it would select text. */
const keepText = (event: MouseEvent): void => {
  if (event.shiftKey) event.preventDefault();
};
