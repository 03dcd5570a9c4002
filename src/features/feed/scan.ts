/*
 * Looks through an endpoint's events after a position, in the order of row numbers, which never changes: imported events come
 * after all existing ones, and pinned ones keep their place. One scan works within a time budget and returns how far it got.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { FeedStore } from './store.ts';

/** Returns the matching ones among the events with these row numbers. */
export type FeedFilter = (
  endpoint: ReadableEndpoint,
  seqs: readonly number[],
  reader: Reader | undefined,
) => Promise<ReadonlySet<number>>;

export type Scan = {
  principal: TeamAccess;
  endpoint: ReadableEndpoint;
  /** Row number of the last event that the reader has. */
  after: number;
  limit: number;
  /** Undefined if all events match. */
  filter: FeedFilter | undefined;
  /** Undefined for background work. */
  reader: Reader | undefined;
};

export type Scanned = {
  /** Row numbers of the events found, in order. */
  seqs: number[];
  /** Every event up to this row number is in `seqs` or does not match. */
  position: number;
  /** Whether there are events after `position`. With a filter, they may turn out not to match. */
  more: boolean;
  /** Retention has removed events after `after`, or the scan passed expired ones. */
  truncated: boolean;
};

/** How long one scan may take before it returns what it has. */
const budgetMs = 250;
/** How many events a filter checks at once: at first, and at most. Large events take long, so the number follows the time. */
const firstFiltered = 16;
const maxFiltered = 512;
const filteredMs = 20;

export function createScan(options: {
  store: Pick<FeedStore, 'window' | 'far'>;
  /** The oldest time of receipt that the endpoint still shows. */
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  monotonic: () => number;
}) {
  const { store, retentionCutoff, monotonic } = options;
  /** The next events after a position: `wanted` of them, or fewer at the end. */
  const readNext = async (endpoint: number, since: number, after: number, wanted: number) => {
    const window = await store.window(endpoint, since, after, wanted);
    const isRemoved = window.hasExpired || window.sweptSeq > after;
    const missing = wanted - window.seqs.length;
    // The position is from before a backup was restored, so the next events follow the last existing one.
    if (missing === 0 || window.upTo >= window.lastSeq || after > window.lastSeq)
      return { seqs: window.seqs, isRemoved, isEnd: missing > 0, lastSeq: window.lastSeq };
    const far = await store.far(endpoint, since, window.upTo, missing);
    return {
      seqs: [...window.seqs, ...far.seqs],
      isRemoved: isRemoved || far.hasExpired || far.sweptSeq > after,
      isEnd: far.seqs.length < missing,
      lastSeq: far.lastSeq,
    };
  };

  return async ({ principal, endpoint, after, limit, filter, reader }: Scan): Promise<Scanned> => {
    const until = monotonic() + budgetMs;
    const since = retentionCutoff(principal, endpoint);
    const seqs: number[] = [];
    let position = after;
    let truncated = false;
    let filteredAtOnce = firstFiltered;
    for (;;) {
      const left = limit - seqs.length;
      // It reads one more than the limit, to know whether there are more.
      const next = await readNext(endpoint.seq, since, position, filter ? filteredAtOnce : left + 1);
      truncated ||= next.isRemoved;
      const startedAt = monotonic();
      const matching = filter && next.seqs.length > 0 ? await filter(endpoint, next.seqs, reader) : undefined;
      const isQuick = monotonic() - startedAt < filteredMs;
      filteredAtOnce = Math.max(1, Math.min(maxFiltered, Math.floor(filteredAtOnce * (isQuick ? 2 : 0.5))));
      const found = matching ? next.seqs.filter(seq => matching.has(seq)) : next.seqs;
      seqs.push(...found.slice(0, left));
      if (found.length > left) return { seqs, position: seqs.at(-1) ?? after, more: true, truncated };
      if (next.isEnd) return { seqs, position: next.lastSeq, more: false, truncated };
      position = next.seqs.at(-1) ?? position;
      if (seqs.length === limit || monotonic() >= until) return { seqs, position, more: true, truncated };
    }
  };
}
