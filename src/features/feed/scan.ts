/*
 * Looks through an endpoint's events after a position, in the order of row numbers, which never changes: imported events come
 * after all that were there, and pinned ones keep their place. One scan works within a budget, and says how far it came.
 */

import type { TeamAccess } from '../../core/access/principal.ts';
import type { Reader } from '../../core/concurrency/content-reads.ts';
import type { ReadableEndpoint } from '../events/reading.ts';
import type { FeedStore } from './store.ts';

/** The subset of an endpoint's events with these row numbers that match. */
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
  /** Undefined: all events match. */
  filter: FeedFilter | undefined;
  /** Undefined: background work. */
  reader: Reader | undefined;
};

export type Scanned = {
  /** Row numbers of the events found, in order. */
  seqs: number[];
  /** All events up to this row number are in `seqs`, or do not match. */
  position: number;
  /** There are events after it. Those of a filtered scan may turn out not to match. */
  more: boolean;
  /** Retention has removed events after `after`, or some that were passed have expired. */
  truncated: boolean;
};

/** How long one scan may take before it returns what it has. */
const budgetMs = 250;
/** Events that a filter decides on together: first, and at most. Large events take long, so their number follows the time. */
const firstFiltered = 16;
const maxFiltered = 512;
const filteredMs = 20;

export function createScan({
  store,
  retentionCutoff,
  monotonic,
}: {
  store: Pick<FeedStore, 'window' | 'far'>;
  /** The oldest time of receipt that the endpoint still shows. */
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  monotonic: () => number;
}) {
  /** The next events after a position: as many as wanted, unless it is the end. */
  const readNext = async (endpoint: number, since: number, after: number, wanted: number) => {
    const window = await store.window(endpoint, since, after, wanted);
    const isRemoved = window.hasExpired || window.sweptSeq > after;
    const missing = wanted - window.seqs.length;
    // A position from before a backup was restored: the next events come after the last one that there is.
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
      // One more than the limit, to know whether there are more.
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
