/* Stores batches of deliveries as rows, each in a commit of its own: the way to a libSQL server, which has no journal here. */
import type { WriteBatch } from './capture.ts';
import type { Destination } from './delivery.ts';
import type { RowEncoder } from './row-encoder.ts';
import { type CaptureStore, packRows } from './store.ts';

/** A group is one value for a libSQL server, which takes some 5 MB by default. */
export const directBatchLimits = { maxBytes: 4 << 20 };

export function createDirectWriter({
  encode,
  insert,
  monotonic,
}: {
  encode: RowEncoder<Destination>;
  insert: CaptureStore['insert'];
  monotonic: () => number;
}): WriteBatch {
  return async ({ deliveries, nonces }) => {
    const { events, results } = encode({ deliveries, nonces });
    const startedAt = monotonic();
    const [range] = await insert([packRows(events)]);
    if (!range) throw new TypeError('the insert returned no row numbers');
    const commit = { rows: range.rows, ms: monotonic() - startedAt };
    return { first: range.first, answers: results.answers, commit };
  };
}
