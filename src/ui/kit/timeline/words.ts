/* What a timeline says: the sentence of a bucket, its rows in the tip and the table, and how long a bar is. */

import type { Timeline } from '../../../features/timeline/model.ts';
import { formatCount, formatInstant, formatPeriod, formatSpan } from '../format/time.ts';
import { type Counts, periodOf, sumOf } from './range.ts';

/** Only invalid: an event that is also refused or failed is counted as that. */
const onlyInvalid = ({ count, accepted, failed }: Counts): number => count - accepted - failed;

/** From the baseline up. */
export const stackOf = (counts: Counts): number[] => [counts.accepted, onlyInvalid(counts), counts.failed];

export const seriesClasses = ['s-ok', 's-invalid', 's-failed'] as const;

/** The rows of a legend, a tip and a table, in the order of the stack: together they are all events. */
export const countRows = (counts: Counts): (readonly [label: string, count: number])[] => [
  ['Accepted', counts.accepted],
  ['Invalid signature', onlyInvalid(counts)],
  ['Refused or failed', counts.failed],
];

export const bucketPeriod = (timeline: Timeline, bucket: number, isOpen: boolean, now: number): string => {
  const { from, to } = periodOf(timeline, [bucket, bucket + 1], isOpen);
  return formatPeriod(from, to, now);
};

/** `14:30 to 14:40: 34 events, 2 with an invalid signature`. */
export function bucketSentence(timeline: Timeline, bucket: number, isOpen: boolean, now: number): string {
  const { from, to } = periodOf(timeline, [bucket, bucket + 1], isOpen);
  const { count, invalid, failed } = sumOf(timeline.buckets, [bucket, bucket + 1]);
  const troubles = [
    invalid > 0 && `${invalid.toLocaleString()} with an invalid signature`,
    failed > 0 && `${failed.toLocaleString()} refused or failed`,
  ].filter(text => text !== false);
  const end = to === undefined ? 'now' : formatInstant(to, now);
  return [`${formatInstant(from, now)} to ${end}: ${formatCount(count, 'event')}`, ...troubles].join(', ');
}

/** `10 minutes`. */
export const barLength = ({ bucketMs }: Pick<Timeline, 'bucketMs'>): string => formatSpan(bucketMs);

/** How far back an unfinished search has certainly come: the beginning of the oldest bucket with a hit. */
export function countedBackTo({ buckets, from }: Timeline): number | undefined {
  const oldest = buckets.find(({ count }) => count > 0);
  return oldest && Math.max(oldest.at, from);
}
