/* The writer thread's job: encodes the batches that are not encoded yet, and stores all of them in one commit. */

import type { PackedResult, Statement } from '../db/threads/messages.ts';
import type { WriterJob } from '../db/threads/thread-server.ts';
import { createBatchWriter } from '../ingest/batch-writer.ts';
import { decodeBatch } from '../ingest/encoded-batch.ts';
import { createCaptureStore, type PackedRows, packRows } from '../ingest/store.ts';
import { createEncoder, type WriteJob, type WriteOutput } from './write-dispatch.ts';

export function createWriterJob(write: (statements: readonly Statement[]) => PackedResult[]): WriterJob {
  const { insert } = createCaptureStore(async statements => write(statements));
  const record = createBatchWriter({ insert, monotonic: () => performance.now() });
  const encode = createEncoder();

  const toRows = (job: WriteJob): { rows: PackedRows; encoded: WriteOutput['encoded'] } => {
    if ('rows' in job) return { rows: job.rows, encoded: null };
    const { bytes } = job.batch;
    const { events, results } = encode({ ...decodeBatch(job.batch), withSignatures: job.withSignatures });
    return { rows: packRows(events), encoded: { ...results, bytes } };
  };

  return async inputs => {
    const ready = (inputs as WriteJob[]).map(job => {
      try {
        return toRows(job);
      } catch (error) {
        return { error };
      }
    });
    const results = await record(ready.flatMap(one => ('rows' in one ? [one.rows] : [])));
    let next = 0;
    return ready.map(one => {
      if ('error' in one) return one;
      const result = results[next++];
      if (result?.status !== 'fulfilled') return { error: result?.reason };
      const { encoded } = one;
      const transfer = encoded ? [encoded.bytes] : [];
      if (encoded?.signatures) transfer.push(encoded.signatures.buffer as ArrayBuffer);
      return { output: { ...result.value, encoded } satisfies WriteOutput, transfer };
    });
  };
}
