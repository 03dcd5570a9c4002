/* What the writer thread does with batches of deliveries: encodes those that are not rows yet, and stores all in one commit. */

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

  const toRows = (job: WriteJob): { rows: PackedRows; prepared: WriteOutput['prepared'] } => {
    if ('rows' in job) return { rows: job.rows, prepared: null };
    const { bytes } = job.parcel;
    const { events, results } = encode({ ...decodeBatch(job.parcel), withSignatures: job.signed });
    return { rows: packRows(events), prepared: { ...results, bytes } };
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
    let at = 0;
    return ready.map(one => {
      if ('error' in one) return one;
      const result = results[at++];
      if (result?.status !== 'fulfilled') return { error: result?.reason };
      const { prepared } = one;
      const transfer = prepared ? [prepared.bytes] : [];
      if (prepared?.signatures) transfer.push(prepared.signatures.buffer as ArrayBuffer);
      return { output: { ...result.value, prepared } satisfies WriteOutput, transfer };
    });
  };
}
