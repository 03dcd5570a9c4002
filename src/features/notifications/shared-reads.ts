/*
 * Reads of stored events that many tails share. A stored event wakes all tails of its endpoint at once; what they ask for in the same
 * turn of the event loop is read once, and each filter is evaluated on it in memory. Nothing is kept after that.
 */

import { parseEventId } from '../../core/ids/ids.ts';
import type { Filter } from '../../shared/filter/filter.ts';
import type { EventSummary } from '../events/model.ts';

type Call = {
  seqs: number[];
  filter: Filter | undefined;
  resolve: (events: EventSummary[]) => void;
  reject: (error: unknown) => void;
};

/** The most events that one read is for. Calls of tails that are far apart are divided between reads. */
const maxRead = 256;

export function createSharedReads<Context extends { endpoint: { seq: number } }>(source: {
  list: (context: Context, seqs: number[]) => Promise<EventSummary[]>;
  /** For each filter, which of the events match it. */
  match: (context: Context, seqs: number[], filters: readonly Filter[]) => Promise<Map<Filter, ReadonlySet<number>>>;
}) {
  const waiting = new Map<number, { context: Context; calls: Call[] }>();

  const read = async (context: Context, calls: readonly Call[], seqs: number[]): Promise<void> => {
    const filters = [...new Set(calls.flatMap(({ filter }) => filter ?? []))];
    const matching = filters.length > 0 ? await source.match(context, seqs, filters) : undefined;
    const matches = ({ filter }: Call, seq: number): boolean => !filter || (matching?.get(filter)?.has(seq) ?? false);
    const isForAll = calls.some(({ filter }) => !filter);
    const shown = isForAll ? seqs : seqs.filter(seq => filters.some(filter => matching?.get(filter)?.has(seq)));
    const events = shown.length > 0 ? await source.list(context, shown) : [];
    const seqOf = events.map(({ id }) => parseEventId(id)?.seq ?? 0);
    // Calls for everything get the same array, which lets their streams share its JSON.
    for (const call of calls) {
      if (!call.filter && call.seqs.length === seqs.length) call.resolve(events);
      else {
        const own = new Set(call.seqs);
        call.resolve(events.filter((_, i) => own.has(seqOf[i] ?? 0) && matches(call, seqOf[i] ?? 0)));
      }
    }
  };

  const flush = (endpoint: number): void => {
    const together = waiting.get(endpoint);
    waiting.delete(endpoint);
    if (!together) return;
    const { context, calls } = together;
    const batches: { calls: Call[]; seqs: Set<number> }[] = [];
    for (const call of calls) {
      const batch = batches.find(({ seqs }) => seqs.size + call.seqs.filter(seq => !seqs.has(seq)).length <= maxRead);
      const { calls: others, seqs } = batch ?? { calls: [], seqs: new Set<number>() };
      if (!batch) batches.push({ calls: others, seqs });
      others.push(call);
      for (const seq of call.seqs) seqs.add(seq);
    }
    for (const { calls: some, seqs } of batches)
      read(
        context,
        some,
        [...seqs].sort((a, b) => a - b),
      ).catch((error: unknown) => {
        for (const { reject } of some) reject(error);
      });
  };

  return {
    /**
     * The events with these row numbers that match the filter, oldest first.
     * @param context of the first call of a turn is used for all its calls for that endpoint
     */
    listBySeq: (context: Context, seqs: number[], filter: Filter | undefined): Promise<EventSummary[]> =>
      new Promise((resolve, reject) => {
        const { seq } = context.endpoint;
        const together: { context: Context; calls: Call[] } = waiting.get(seq) ?? { context, calls: [] };
        if (together.calls.length === 0) {
          waiting.set(seq, together);
          setImmediate(flush, seq);
        }
        together.calls.push({ seqs, filter: filter?.root ? filter : undefined, resolve, reject });
      }),
  };
}
