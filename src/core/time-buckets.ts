/* Buckets of time for charts: of equal length, each beginning at a multiple of it (UTC). */

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const sizes = [
  ...[1, 5, 10, 30].map(n => n * second),
  ...[1, 5, 10, 30].map(n => n * minute),
  ...[1, 3, 6, 12].map(n => n * hour),
  ...[1, 7].map(n => n * day),
];
const largest = 30 * day;

/** `bucketMs`: the length of a bucket. `first`: the number of the first bucket, which begins at `first * bucketMs`. */
export type TimeBuckets = { bucketMs: number; first: number; count: number };

/** The shortest usual buckets, or multiples of 30 days, of which at most `most` contain both times. @param from not negative */
export function timeBuckets(from: number, to: number, most: number, minMs = second): TimeBuckets {
  const of = (bucketMs: number): TimeBuckets => {
    const first = Math.floor(from / bucketMs);
    return { bucketMs, first, count: Math.floor(to / bucketMs) - first + 1 };
  };
  for (const bucketMs of sizes) {
    const buckets = of(bucketMs);
    if (bucketMs >= minMs && buckets.count <= most) return buckets;
  }
  for (let factor = Math.max(1, Math.ceil((to - from) / (most * largest))); ; factor++) {
    const buckets = of(factor * largest);
    if (buckets.count <= most) return buckets;
  }
}
