/* Stores each batch of deliveries as rows in its own commit. Used with a libSQL server, for which there is no journal. */
import type { WriteBatch } from './capture.ts';
import type { Destination } from './delivery.ts';
import type { RowEncoder } from './row-encoder.ts';
import { type CaptureStore, packRows } from './store.ts';

/** A batch is one value for a libSQL server, which accepts about 5 MB by default. */
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
