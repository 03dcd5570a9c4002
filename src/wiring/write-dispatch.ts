/*
 * Decides which thread encodes a batch of deliveries. With an embedded database the writer thread encodes and writes; while it
 * is busy, the main thread encodes every other batch, so that both threads work. With a libSQL server the main thread does
 * everything.
 */

import { signEvent } from '../features/search/index-entry.ts';
import { recognise } from '../features/secrets/recognition.ts';
import type { StoredBatch } from '../ingest/batch-writer.ts';
import { bytesOf, type DeliveryBatch, type WriteBatch } from '../ingest/capture.ts';
import { type EncodedBatch, encodeBatch, isReusable } from '../ingest/encoded-batch.ts';
import { createRowEncoder, type EncoderResults } from '../ingest/row-encoder.ts';
import { type CaptureStore, type PackedRows, packRows } from '../ingest/store.ts';

/** A job for the writer thread: encoded rows, or deliveries to encode. */
export type WriteJob = { rows: PackedRows } | { batch: EncodedBatch; withSignatures: boolean };
/** `encoded` is null when the job had encoded rows; otherwise it has the encoder's results, and returns the job's buffer. */
export type WriteOutput = StoredBatch & { encoded: (EncoderResults & { bytes: ArrayBuffer }) | null };

type RunJob = (input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>;

/** How many transferred buffers are kept for reuse. */
const maxSpareBuffers = 4;
/**
 * The writer thread stores all waiting batches in one commit. Encoding a batch takes about 1 ms, or 3 ms when it has many escaped or
 * non-ASCII characters; larger batches would block the main thread for too long.
 */
export const threadBatchLimits = { maxGroups: 4, maxRows: 32, maxBytes: 192 << 10 };
/** A libSQL server receives a batch as one value, and accepts about 5 MB by default. */
export const remoteBatchLimits = { maxBytes: 4 << 20 };

export const createEncoder = () => createRowEncoder({ recognise, sign: signEvent });

/** @param runJob sends a job to the writer thread, which commits all waiting jobs together */
export function writeInThread(runJob: RunJob): WriteBatch {
  const encode = createEncoder();
  const spareBuffers: ArrayBuffer[] = [];
  const run = async (job: WriteJob, ...transfer: ArrayBuffer[]): Promise<WriteOutput> =>
    (await runJob(job, transfer)) as WriteOutput;

  const encodeInWriterThread = async ({ deliveries, nonces, withSignatures }: DeliveryBatch) => {
    // A transferred buffer cannot be used here until the writer thread returns it.
    const batch = encodeBatch(deliveries, nonces, spareBuffers.pop());
    const { encoded, ...stored } = await run({ batch, withSignatures }, batch.bytes);
    if (!encoded) throw new TypeError('the writer thread returned no encoder results');
    const { bytes, ...results } = encoded;
    if (spareBuffers.length < maxSpareBuffers && isReusable(bytes)) spareBuffers.push(bytes);
    return { ...results, ...stored };
  };
  const encodeInMainThread = async (batch: DeliveryBatch) => {
    const { events, results } = encode(batch);
    const rows = packRows(events);
    const transfer = [rows.bytes.buffer, rows.numbers.buffer] as ArrayBuffer[];
    const { encoded, ...stored } = await run({ rows }, ...transfer);
    return { ...results, ...stored };
  };
  let inFlight = 0;
  let usedMainThread = false;
  return async batch => {
    usedMainThread = inFlight > 0 && !usedMainThread && totalBytes(batch) <= threadBatchLimits.maxBytes;
    inFlight++;
    try {
      return await (usedMainThread ? encodeInMainThread(batch) : encodeInWriterThread(batch));
    } finally {
      inFlight--;
    }
  };
}

const totalBytes = ({ deliveries }: DeliveryBatch): number =>
  deliveries.reduce((bytes, one) => bytes + bytesOf(one), 0);

/** Encodes in the main thread and stores each batch in its own commit. */
export function writeDirectly({ insert }: CaptureStore): WriteBatch {
  const encode = createEncoder();
  return async batch => {
    const { events, results } = encode(batch);
    const startedAt = performance.now();
    const [storedBatch] = await insert([packRows(events)]);
    if (!storedBatch) throw new TypeError('the insert returned no row numbers');
    return {
      ...results,
      first: storedBatch.first,
      commit: { rows: storedBatch.rows, ms: performance.now() - startedAt },
    };
  };
}
