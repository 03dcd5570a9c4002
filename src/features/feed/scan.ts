/*
 * Looks through an endpoint's events after a position, in the order of row numbers, which never changes: imported events come
 * after all that were there, and pinned ones keep their place. One scan works within a budget, and says how far it came.
 */
import type { TeamAccess } from '../../core/principal.ts';
import type { ReadableEndpoint } from '../events/service.ts';
import type { FeedStore } from './store.ts';

/** The subset of an endpoint's events with these row numbers that match. */
export type FeedFilter = (endpoint: ReadableEndpoint, seqs: readonly number[]) => Promise<ReadonlySet<number>>;

export type Scan = {
  principal: TeamAccess;
  endpoint: ReadableEndpoint;
  /** Row number of the last event that the reader has. */
  after: number;
  limit: number;
  /** Undefined: all events match. */
  filter: FeedFilter | undefined;
};

export type Scanned = {
  /** Row numbers of the events found, in order. */
  seqs: number[];
  /** All events up to this row number are in `seqs`, or do not match. */
  position: number;
  /** There are events after it. Those of a filtered scan may turn out not to match. */
  more: boolean;
  /** Retention has removed events after `after`, or they have expired. */
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
  store: Pick<FeedStore, 'window' | 'next'>;
  /** The oldest time of receipt that the endpoint still shows. */
  retentionCutoff: (principal: TeamAccess, endpoint: ReadableEndpoint) => number;
  monotonic: () => number;
}) {
  return async ({ principal, endpoint, after, limit, filter }: Scan): Promise<Scanned> => {
    const until = monotonic() + budgetMs;
    const since = retentionCutoff(principal, endpoint);
    const result: Scanned = { seqs: [], position: after, more: false, truncated: false };
    let filteredAtOnce = firstFiltered;
    const end = (position: number, more: boolean): Scanned => ({ ...result, position, more });

    for (;;) {
      // One more than the limit, to know whether there are more.
      const wanted = filter ? filteredAtOnce : limit + 1 - result.seqs.length;
      const window = await store.window(endpoint.seq, since, result.position, wanted);
      result.truncated ||= window.hasExpired || window.sweptSeq > after;
      // A position of before a backup was restored: the next events come after the last one that there is.
      if (result.position > window.lastSeq) return end(window.lastSeq, false);
      const startedAt = monotonic();
      const matching = filter && window.seqs.length > 0 ? await filter(endpoint, window.seqs) : undefined;
      const isQuick = monotonic() - startedAt < filteredMs;
      filteredAtOnce = Math.max(1, Math.min(maxFiltered, Math.floor(filteredAtOnce * (isQuick ? 2 : 0.5))));
      const found = matching ? window.seqs.filter(seq => matching.has(seq)) : window.seqs;
      const left = limit - result.seqs.length;
      result.seqs.push(...found.slice(0, left));
      if (found.length > left) return end(result.seqs.at(-1) ?? after, true);
      const isCut = window.seqs.length === wanted;
      result.position = (isCut ? window.seqs.at(-1) : undefined) ?? window.upTo;
      if (!isCut && result.position >= window.lastSeq) return end(window.lastSeq, false);
      if (!isCut) {
        const next = await store.next(endpoint.seq, since, result.position);
        result.truncated ||= next.hasExpired;
        if (next.seq === undefined) return end(next.lastSeq, false);
        result.position = next.seq - 1;
      }
      const isFull = result.seqs.length === limit;
      if (isFull || monotonic() >= until) return end(result.position, true);
    }
  };
}
