/*
 * Knows which buckets can contain the attempts of a delivery (db/delivery-attempts.ts). Most deliveries have one attempt, so
 * nearly all lookups in old buckets would find nothing; a filter in memory for each bucket saves them. Filters are built in the
 * background, the newest bucket first, after a lookup noticed missing ones. Buckets without a filter, such as those beyond
 * `maxFilters`, are looked up.
 *
 * A filter must never miss an attempt, so filters are built only for complete buckets. Row numbers follow the order of commits,
 * so all buckets but the newest two are complete, except those with rows of 1.0, whose attempts the packer adds later. Removed
 * attempts stay in a filter, which costs a lookup that finds nothing.
 */

import type { Background } from '../../db/background.ts';
import type { AttemptBucketsStore } from './attempt-buckets-store.ts';
import { makeMembershipFilter, mayInclude } from './membership-filter.ts';

/** Memory: 16 KiB for each. */
const defaultMaxFilters = 1024;
/**
 * Buckets at the end that are not full. The last but one may be incomplete, too: a group that could not be filed is tried again,
 * when some of its rows may already be stored. A group has fewer rows than a bucket.
 */
const openBuckets = 2;

/**
 * The places that can have attempts of these deliveries. `pairs`: a bucket and the number of a delivery. `unfiltered`: buckets
 * without a filter. `after`: all later buckets have none, either. Buckets are in order.
 */
export type Places = { pairs: [bucket: number, number: number][]; unfiltered: readonly number[]; after: number };

export type AttemptFilters = {
  places: (numbers: readonly number[]) => Places;
  /** Builds filters if these attempts show that buckets have become full. @param found what a lookup found */
  note: (found: readonly { seq: number }[]) => void;
};

export function createAttemptFilters(options: {
  store: AttemptBucketsStore;
  addJob: Background['add'];
  /** A bucket has 2^bucketBits row numbers. */
  bucketBits: number;
  maxFilters?: number;
}): AttemptFilters {
  const { store, addJob, bucketBits, maxFilters = defaultMaxFilters } = options;
  /** 8 bits for each row number of a bucket. */
  const filterBytes = 2 ** bucketBits;
  const bucketOfRow = (seq: number): number => Math.floor(seq / filterBytes);

  let filters = new Map<number, Uint8Array>();
  /** Full buckets without a filter, in order. */
  let unfiltered: number[] = [];
  /** The last full bucket. */
  let after = -1;
  /**
   * The newest bucket when the full ones were last read. The first filter can be built once there are more buckets than the open
   * ones.
   */
  let newest = openBuckets - 1;
  let isOutdated = false;

  const readBuckets = async (): Promise<void> => {
    // This is read first, so that all rows up to it are registered when the buckets are read.
    const packedUpTo = await store.packedUpTo();
    const buckets = await store.buckets(-1);
    const last = buckets.at(-1) ?? -1;
    const packed = packedUpTo === undefined ? Number.POSITIVE_INFINITY : bucketOfRow(packedUpTo + 1) - 1;
    after = Math.max(-1, Math.min(last - openBuckets, packed));
    const full = buckets.filter(bucket => bucket <= after);
    const filtered = full.slice(-maxFilters).filter(bucket => filters.has(bucket));
    filters = new Map(filtered.map(bucket => [bucket, filters.get(bucket) ?? new Uint8Array(0)]));
    unfiltered = full.filter(bucket => !filters.has(bucket));
    // While rows of 1.0 are being packed, the next lookup reads the buckets again.
    newest = packedUpTo === undefined ? Math.max(last, newest) : openBuckets - 1;
  };

  const job = addJob({
    name: 'building filters of attempts',
    slice: async () => {
      if (isOutdated) {
        isOutdated = false;
        await readBuckets();
        return 'more';
      }
      const bucket = unfiltered.at(-1);
      if (bucket === undefined || filters.size >= maxFilters) return 'done';
      filters.set(bucket, makeMembershipFilter(await store.numbersIn(bucket), filterBytes));
      unfiltered = unfiltered.slice(0, -1);
      return 'more';
    },
  });

  return {
    places(numbers) {
      const pairs: Places['pairs'] = [];
      for (const [bucket, filter] of filters)
        for (const number of numbers) if (mayInclude(filter, number)) pairs.push([bucket, number]);
      pairs.sort(([a], [b]) => a - b);
      return { pairs, unfiltered, after };
    },

    note(found) {
      if (found.some(({ seq }) => bucketOfRow(seq) > newest)) {
        isOutdated = true;
        job.wake();
      }
    },
  };
}
