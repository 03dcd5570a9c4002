/* The timeline of the events that match a filter, counted without the filter's own range, so that this is seen among its surroundings. */

import { useMemo, useState } from 'preact/hooks';
import type { Timeline } from '../../../features/timeline/model.ts';
import { formatInstant, formatPeriod } from '../../kit/format/time.ts';
import type { AxisChoice } from '../../kit/timeline/axis.ts';
import { type BucketRange, bucketsIn, periodOf, placeOf, type TimePeriod } from '../../kit/timeline/range.ts';
import { useTimeline } from '../../kit/timeline/use-timeline.ts';
import { bucketPeriod, bucketSentence, countRows } from '../../kit/timeline/words.ts';
import { timePartsOf, withTimeParts } from '../filter/filter-text.ts';
import { boundsOf, describeTime, periodTerm } from '../filter/time-range.ts';

export type EventTimeline = ReturnType<typeof useEventTimeline>;

type Options = {
  endpointId: string;
  where: string;
  axis: AxisChoice;
  buckets: number;
  news: string | undefined;
  onFilter: (where: string) => void;
};

export function useEventTimeline({ endpointId, where, axis, buckets, news, onFilter }: Options) {
  const { timeParts, rest } = useMemo(() => {
    const terms = timePartsOf(where);
    // A filter that cannot be read has no parts, and is the server's to refuse.
    return { timeParts: terms, rest: terms.length === 0 ? where : withTimeParts(where, []) };
  }, [where]);
  const [draft, setDraft] = useState<BucketRange>();
  const query = useTimeline({ endpointId, where: rest, axis, buckets }, news);
  const { timeline } = query;
  const isOpen = axis.to === '';
  const now = Date.now();
  const bounds = boundsOf(timeParts, now);
  const whereOf = (period: TimePeriod): string => withTimeParts(where, [periodTerm(period)]);
  const onRange = (range: BucketRange | undefined, isDone: boolean): void => {
    setDraft(isDone ? undefined : range);
    if (!isDone || !timeline) return;
    onFilter(range ? whereOf(periodOf(timeline, range, isOpen)) : rest);
  };
  return {
    ...query,
    /** The `received` terms of the filter. */
    timeParts,
    rest,
    /** The filter with a period in the place of its own. */
    whereOf,
    /** Whether the range does not begin before the axis. */
    isOnAxis: draft !== undefined || (timeline !== undefined && (bounds?.from ?? -1) >= timeline.from),
    /** The buckets that the range consists of; undefined for any other range. */
    inside: draft ?? (bounds && timeline && bucketsIn(timeline, bounds)),
    /** What is chosen, in words; undefined: nothing is. */
    chosen: draft && timeline ? draftWords(timeline, draft, isOpen, now) : chosenWords(timeParts, now),
    /** What lies over the chart: a range that is chosen there becomes the filter's. */
    overlay: (shown: Timeline) => ({
      count: shown.buckets.length,
      chosen: draft ? { from: draft[0], to: draft[1] } : bounds && placeOf(shown, bounds),
      sentence: (bucket: number) => bucketSentence(shown, bucket, isOpen, now),
      tip: (bucket: number) => ({
        title: bucketPeriod(shown, bucket, isOpen, now),
        rows: countRows(shown.buckets[bucket] ?? none).map(
          ([label, count]) => [label, count.toLocaleString()] as const,
        ),
      }),
      onRange,
    }),
  };
}

const none = { count: 0, accepted: 0, failed: 0, invalid: 0 };

function draftWords(timeline: Timeline, range: BucketRange, isOpen: boolean, now: number): string {
  const { from, to } = periodOf(timeline, range, isOpen);
  return formatPeriod(from, to, now);
}

/** `13:50 – now`; undefined without terms. */
function chosenWords(terms: readonly string[], now: number): string | undefined {
  const [only] = terms;
  if (only === undefined) return undefined;
  if (terms.length === 1) return describeTime(only, now)?.replace(/^Received /, '') ?? only;
  const { from, to } = boundsOf(terms, now) ?? {};
  if (from !== undefined) return formatPeriod(from, to, now);
  return `before ${formatInstant(to ?? now, now)}`;
}
