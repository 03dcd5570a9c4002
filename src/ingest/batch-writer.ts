/*
 * Prepared rows to disk: what waits for the writing connection is stored in one commit, and every parcel is told its place in it.
 */
import { isRowError } from './group-commit.ts';
import type { EncoderResults } from './row-encoder.ts';
import type { PackedRows, RowRange } from './store.ts';

export type StoredBatch = {
  /** The row number of the parcel's first delivery; the others follow without a gap. */
  first: number;
  /** The commit that it was in, told once: other parcels of the same one have null. */
  commit: { rows: number; ms: number } | null;
};

/** What became of a parcel. */
export type BatchResult = EncoderResults & StoredBatch;

/**
 * Stores the rows of several parcels in one commit. Never rejects. When the database will not take one of the rows, each parcel
 * has a commit of its own, so that only the one with that row fails.
 */
export type BatchWriter = (parcels: readonly PackedRows[]) => Promise<PromiseSettledResult<StoredBatch>[]>;

export function createBatchWriter(options: {
  /** All or none, in one commit. */
  insert: (parcels: readonly PackedRows[]) => Promise<RowRange[]>;
  monotonic: () => number;
}): BatchWriter {
  const { insert, monotonic } = options;

  const storeAll = async (parcels: readonly PackedRows[]): Promise<StoredBatch[]> => {
    const startedAt = monotonic();
    const places = await insert(parcels);
    const commit = { rows: places.reduce((all, { rows }) => all + rows, 0), ms: monotonic() - startedAt };
    return places.map(({ first }, at) => ({ first, commit: at === 0 ? commit : null }));
  };

  const oneByOne = async (parcels: readonly PackedRows[]): Promise<PromiseSettledResult<StoredBatch>[]> => {
    const each: PromiseSettledResult<StoredBatch>[] = [];
    let broken: PromiseRejectedResult | undefined;
    for (const parcel of parcels) {
      const [result] = broken ? [broken] : await record([parcel]);
      if (!result) continue;
      each.push(result);
      // The storage's own failure is everybody's from there on.
      if (result.status === 'rejected' && !isRowError(result.reason)) broken = result;
    }
    return each;
  };

  const record: BatchWriter = async parcels => {
    if (parcels.length === 0) return [];
    try {
      const stored = await storeAll(parcels);
      return stored.map(value => ({ status: 'fulfilled', value }));
    } catch (reason) {
      if (parcels.length === 1 || !isRowError(reason)) return parcels.map(() => ({ status: 'rejected', reason }));
      return oneByOne(parcels);
    }
  };
  return record;
}
