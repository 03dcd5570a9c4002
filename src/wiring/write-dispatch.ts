/*
 * Where batches of deliveries are encoded and written. With an embedded database the writer thread does both; while it is busy,
 * every other batch is encoded in the main thread, so that neither thread waits for the other. With a libSQL server the main
 * thread does all of it.
 */

import { signEvent } from '../features/search/index-entry.ts';
import { recognise } from '../features/secrets/recognition.ts';
import type { StoredBatch } from '../ingest/batch-writer.ts';
import { bytesOf, type DeliveryBatch, type WriteBatch } from '../ingest/capture.ts';
import { type EncodedBatch, encodeBatch, isReusable } from '../ingest/encoded-batch.ts';
import { createRowEncoder, type EncoderResults } from '../ingest/row-encoder.ts';
import { type CaptureStore, type PackedRows, packRows } from '../ingest/store.ts';

/** A job for the writer thread: encoded rows, or deliveries to encode. `prepared` has its findings about deliveries it encoded. */
export type WriteJob = { rows: PackedRows } | { parcel: EncodedBatch; signed: boolean };
export type WriteOutput = StoredBatch & { prepared: (EncoderResults & { bytes: ArrayBuffer }) | null };

type RunJob = (input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>;

/** How many transferred buffers are kept for reuse. */
const maxSpareBuffers = 4;
/**
 * Groups for the writer thread, which makes one commit of those that wait for it. Preparing one is a millisecond of work, or three
 * when its texts are difficult: the main thread has others to serve.
 */
export const threadBatchLimits = { maxGroups: 4, maxRows: 32, maxBytes: 192 << 10 };
/** A group is one value for a libSQL server, which takes some 5 MB by default. */
export const remoteBatchLimits = { maxBytes: 4 << 20 };

export const createEncoder = () => createRowEncoder({ recognise, sign: signEvent });

/** @param runJob sends a job to the writer thread, which commits all waiting jobs together */
export function writeInThread(runJob: RunJob): WriteBatch {
  const encode = createEncoder();
  const spares: ArrayBuffer[] = [];
  const run = async (job: WriteJob, ...transfer: ArrayBuffer[]): Promise<WriteOutput> =>
    (await runJob(job, transfer)) as WriteOutput;

  const inWriter = async ({ deliveries, nonces, withSignatures }: DeliveryBatch) => {
    // A spare buffer belongs to the writer thread until it is returned.
    const parcel = encodeBatch(deliveries, nonces, spares.pop());
    const { prepared, ...stored } = await run({ parcel, signed: withSignatures }, parcel.bytes);
    if (!prepared) throw new TypeError('the writer thread returned no findings');
    const { bytes, ...findings } = prepared;
    if (spares.length < maxSpareBuffers && isReusable(bytes)) spares.push(bytes);
    return { ...findings, ...stored };
  };
  const here = async (group: DeliveryBatch) => {
    const { events, results } = encode(group);
    const rows = packRows(events);
    const transfer = [rows.bytes.buffer, rows.numbers.buffer] as ArrayBuffer[];
    const { prepared, ...stored } = await run({ rows }, ...transfer);
    return { ...results, ...stored };
  };
  let underway = 0;
  let wasHere = false;
  return async group => {
    wasHere = underway > 0 && !wasHere && weigh(group) <= threadBatchLimits.maxBytes;
    underway++;
    try {
      return await (wasHere ? here(group) : inWriter(group));
    } finally {
      underway--;
    }
  };
}

const weigh = ({ deliveries }: DeliveryBatch): number => deliveries.reduce((bytes, one) => bytes + bytesOf(one), 0);

/** Each batch in its own commit. */
export function writeDirectly({ insert }: CaptureStore): WriteBatch {
  const encode = createEncoder();
  return async group => {
    const { events, results } = encode(group);
    const startedAt = performance.now();
    const [place] = await insert([packRows(events)]);
    if (!place) throw new TypeError('the insert returned no row numbers');
    return { ...results, first: place.first, commit: { rows: place.rows, ms: performance.now() - startedAt } };
  };
}
