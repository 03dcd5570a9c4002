/* Ranges of buckets, how keys move them, and how they relate to times. Pure. */

import type { Timeline, TimelineBucket } from '../../../features/timeline/model.ts';

/** From the first bucket up to, not including, the second. */
export type BucketRange = readonly [first: number, end: number];

/** `to` is excluded; undefined: the present. */
export type TimePeriod = { readonly from: number; readonly to: number | undefined };

export type Moved = { cursor: number; range: BucketRange | undefined };

const moves: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageUp: -10,
  PageDown: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Where a key leads to; with Shift it extends the range. Undefined: the key does not move. */
export function moved({ cursor, range }: Moved, key: string, isExtending: boolean, count: number): Moved | undefined {
  const by = moves[key];
  if (by === undefined) return undefined;
  const next = Math.max(0, Math.min(count - 1, cursor + by));
  if (!isExtending) return { cursor: next, range };
  // The other end of a range stays where it is.
  const fixed = !range ? cursor : range[0] === cursor ? range[1] - 1 : range[1] - 1 === cursor ? range[0] : cursor;
  return { cursor: next, range: between(fixed, next) };
}

export const between = (one: number, other: number): BucketRange => [Math.min(one, other), Math.max(one, other) + 1];

type Axis = Pick<Timeline, 'from' | 'to' | 'bucketMs' | 'buckets'>;

/** Where the time of a bucket begins. The first one may begin before the axis. */
export const startOf = ({ buckets, from }: Axis, bucket: number): number => Math.max(buckets[bucket]?.at ?? from, from);
const endOf = ({ buckets, bucketMs, to }: Axis, bucket: number): number =>
  Math.min((buckets[bucket]?.at ?? to) + bucketMs, to + 1);

/** @param isOpen the axis ends at the present */
export const periodOf = (axis: Axis, [first, end]: BucketRange, isOpen: boolean): TimePeriod => ({
  from: startOf(axis, first),
  to: isOpen && end >= axis.buckets.length ? undefined : endOf(axis, end - 1),
});

/** Where a period is on the axis, in buckets, also between two; undefined outside of it. */
export function placeOf(axis: Axis, { from, to }: { from: number | undefined; to: number | undefined }) {
  const origin = axis.buckets[0]?.at;
  if (origin === undefined) return undefined;
  const place = (at: number): number => Math.max(0, Math.min(axis.buckets.length, (at - origin) / axis.bucketMs));
  const [start, end] = [from === undefined ? 0 : place(from), to === undefined ? axis.buckets.length : place(to)];
  return start < end ? { from: start, to: end } : undefined;
}

/** The buckets that a period consists of; undefined if it begins or ends inside one, or beyond the axis. */
export function bucketsIn(axis: Axis, { from, to }: { from: number | undefined; to: number | undefined }) {
  const { buckets } = axis;
  const first = from === undefined ? 0 : buckets.findIndex((_, bucket) => startOf(axis, bucket) === from);
  const last = to === undefined ? buckets.length - 1 : buckets.findIndex((_, bucket) => endOf(axis, bucket) === to);
  return first < 0 || last < first ? undefined : ([first, last + 1] as const);
}

const counts = ['count', 'accepted', 'failed', 'invalid'] as const;
export type Counts = Omit<TimelineBucket, 'at'>;

export function sumOf(buckets: readonly Counts[], [first, end]: BucketRange = [0, buckets.length]): Counts {
  const sum = { count: 0, accepted: 0, failed: 0, invalid: 0 };
  for (const bucket of buckets.slice(first, end)) for (const name of counts) sum[name] += bucket[name];
  return sum;
}

/** A response and its continuation. */
export const added = (one: Timeline, next: Timeline): Timeline => ({
  ...next,
  buckets: one.buckets.map((bucket, at) => ({
    ...bucket,
    ...sumOf([bucket, next.buckets[at] ?? bucket].slice(0, next.buckets[at] ? 2 : 1)),
  })),
  series: one.series.map(({ value, counts: given }, at) => ({
    value,
    counts: given.map((count, bucket) => count + (next.series[at]?.counts[bucket] ?? 0)),
  })),
});
