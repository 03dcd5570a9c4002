/*
 * Stores encoded rows: all batches that wait for the writing connection go into one commit, and each gets its row numbers.
 */
import { isRowError } from './group-commit.ts';
import type { EncoderResults } from './row-encoder.ts';
import type { PackedRows, RowRange } from './store.ts';

export type StoredBatch = {
  /** The row number of the batch's first delivery; the others follow without a gap. */
  first: number;
  /** The commit, reported with its first batch only; null for the other batches. */
  commit: { rows: number; ms: number } | null;
};

/** The outcome of a batch. */
export type BatchResult = EncoderResults & StoredBatch;

/**
 * Stores the rows of several batches in one commit. Never rejects. When the database refuses one of the rows, each batch gets a
 * commit of its own, so that only the batch with that row fails.
 */
export type BatchWriter = (batches: readonly PackedRows[]) => Promise<PromiseSettledResult<StoredBatch>[]>;

export function createBatchWriter(options: {
  /** All or none, in one commit. */
  insert: (batches: readonly PackedRows[]) => Promise<RowRange[]>;
  monotonic: () => number;
}): BatchWriter {
  const { insert, monotonic } = options;

  const storeAll = async (batches: readonly PackedRows[]): Promise<StoredBatch[]> => {
    const startedAt = monotonic();
    const ranges = await insert(batches);
    const commit = { rows: ranges.reduce((total, { rows }) => total + rows, 0), ms: monotonic() - startedAt };
    return ranges.map(({ first }, index) => ({ first, commit: index === 0 ? commit : null }));
  };

  const storeOneByOne = async (batches: readonly PackedRows[]): Promise<PromiseSettledResult<StoredBatch>[]> => {
    const results: PromiseSettledResult<StoredBatch>[] = [];
    let storageFailure: PromiseRejectedResult | undefined;
    for (const batch of batches) {
      const [result] = storageFailure ? [storageFailure] : await writeBatches([batch]);
      if (!result) continue;
      results.push(result);
      // A failure of the storage itself applies to all batches that follow.
      if (result.status === 'rejected' && !isRowError(result.reason)) storageFailure = result;
    }
    return results;
  };

  const writeBatches: BatchWriter = async batches => {
    if (batches.length === 0) return [];
    try {
      const stored = await storeAll(batches);
      return stored.map(value => ({ status: 'fulfilled', value }));
    } catch (reason) {
      if (batches.length === 1 || !isRowError(reason)) return batches.map(() => ({ status: 'rejected', reason }));
      return storeOneByOne(batches);
    }
  };
  return writeBatches;
}
