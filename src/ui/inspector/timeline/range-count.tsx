/* How many events a timeline has, and how many of them are in the chosen range. */

import { useEffect, useRef } from 'preact/hooks';
import type { Timeline } from '../../../features/timeline/model.ts';
import { ActionButton } from '../../kit/action.tsx';
import { api } from '../../kit/api.ts';
import { formatCount, formatInstant } from '../../kit/format/time.ts';
import type { AxisChoice } from '../../kit/timeline/axis.ts';
import { sumOf } from '../../kit/timeline/range.ts';
import { countedBackTo } from '../../kit/timeline/words.ts';
import { useQuery } from '../../kit/use-query.ts';
import type { EventTimeline } from './use-event-timeline.ts';

type RangeCountProps = {
  endpointId: string;
  where: string;
  events: EventTimeline;
  timeline: Timeline;
  /** Follows the number: `in the last 6 hours`. */
  words: string;
};

export function RangeCount({ endpointId, where, events, timeline, words }: RangeCountProps) {
  const { chosen, inside, isOld, isOnAxis } = events;
  const total = sumOf(timeline.buckets).count;
  if (isOld) return <span class="soon">Counting…</span>;
  const unfinished = timeline.complete ? '' : ' so far';
  if (chosen === undefined)
    return (
      <>
        <strong>{total === 0 && timeline.complete ? 'No events' : formatCount(total, 'event')}</strong>
        {unfinished} {words}
      </>
    );
  return (
    <>
      <strong>
        {inside ? (
          formatCount(sumOf(timeline.buckets, inside).count, 'event')
        ) : (
          <Exactly {...{ endpointId, where, timeline }} />
        )}
      </strong>
      {unfinished} {isOnAxis && `of ${total.toLocaleString()} ${words}`}
    </>
  );
}

/** Counts a range whose ends are inside of buckets, or beyond the axis. */
function Exactly({ endpointId, where, timeline }: { endpointId: string; where: string; timeline: Timeline }) {
  const { value, reload } = useQuery(`${endpointId} ${where}`, () => api.timeline(endpointId, { where, buckets: 1 }));
  const counted = useRef(timeline);
  useEffect(() => {
    if (counted.current !== timeline) reload();
    counted.current = timeline;
  }, [timeline]);
  if (!value) return <>…</>;
  return (
    <>
      {formatCount(sumOf(value.buckets).count, 'event')}
      {!value.complete && ' or more'}
    </>
  );
}

export function Unfinished({ events, timeline }: { events: EventTimeline; timeline: Timeline }) {
  const back = countedBackTo(timeline);
  return (
    <p class="row tight" role="status">
      {formatCount(sumOf(timeline.buckets).count, 'event')} so far
      {back !== undefined && `, back to ${formatInstant(back, Date.now())}`}.
      <ActionButton kind="quiet" act={events.keepCounting}>
        Keep counting
      </ActionButton>
    </p>
  );
}

type NothingHereProps = { events: EventTimeline; axis: AxisChoice; onAxis: (axis: AxisChoice) => void };

export function NothingHere({ events, axis, onAxis }: NothingHereProps) {
  const { timeline, isOld } = events;
  if (isOld || axis.from === 'all' || !timeline?.complete || sumOf(timeline.buckets).count > 0) return null;
  return (
    <button type="button" class="link-button" onClick={() => onAxis({ from: 'all', to: '' })}>
      Look at all events
    </button>
  );
}
