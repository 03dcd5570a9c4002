/*
 * From deliveries to their receipt: prepared, then stored. The thread of an embedded database does both, and leaves this one to
 * the senders. While it is busy, every other group is prepared here: it has less to do then, and neither waits for the other. For
 * a database elsewhere all of it is done here.
 */

import { signEvent } from '../features/search/index-entry.ts';
import { recognise } from '../features/secrets/recognition.ts';
import type { StoredBatch } from '../ingest/batch-writer.ts';
import { bytesOf, type DeliveryBatch, type WriteBatch } from '../ingest/capture.ts';
import { type EncodedBatch, encodeBatch, isReusable } from '../ingest/encoded-batch.ts';
import { createRowEncoder, type EncoderResults } from '../ingest/row-encoder.ts';
import { type CaptureStore, type PackedRows, packRows } from '../ingest/store.ts';

/** What the writer thread is given: rows that are ready, or deliveries that it prepares itself; and what it says of them. */
export type WriteJob = { rows: PackedRows } | { parcel: EncodedBatch; signed: boolean };
export type WriteOutput = StoredBatch & { prepared: (EncoderResults & { bytes: ArrayBuffer }) | null };

type RunJob = (input: unknown, transfer: ArrayBuffer[]) => Promise<unknown>;

/** Buffers of parcels that are kept for the next ones. */
const mostSpares = 4;
/**
 * Groups for the writer thread, which makes one commit of those that wait for it. Preparing one is a millisecond of work, or three
 * when its texts are difficult: the main thread has others to serve.
 */
export const threadBatchLimits = { maxGroups: 4, maxRows: 32, maxBytes: 192 << 10 };
/** A group is one value for a libSQL server, which takes some 5 MB by default. */
export const remoteBatchLimits = { maxBytes: 4 << 20 };

export const createEncoder = () => createRowEncoder({ recognise, sign: signEvent });

/** @param runJob gives something to the writer thread, which makes one commit of all that waits for it */
export function writeInThread(runJob: RunJob): WriteBatch {
  const prepare = createEncoder();
  const spares: ArrayBuffer[] = [];
  const run = async (job: WriteJob, ...transfer: ArrayBuffer[]): Promise<WriteOutput> =>
    (await runJob(job, transfer)) as WriteOutput;

  const inWriter = async ({ deliveries, nonces, withSignatures }: DeliveryBatch) => {
    // A spare that is on its way is the writer's until it comes back.
    const parcel = encodeBatch(deliveries, nonces, spares.pop());
    const { prepared, ...stored } = await run({ parcel, signed: withSignatures }, parcel.bytes);
    if (!prepared) throw new TypeError('the writer has not said what it found');
    const { bytes, ...findings } = prepared;
    if (spares.length < mostSpares && isReusable(bytes)) spares.push(bytes);
    return { ...findings, ...stored };
  };
  const here = async (group: DeliveryBatch) => {
    const { events, results } = prepare(group);
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

/** Each group in a commit of its own. */
export function writeDirectly({ insert }: CaptureStore): WriteBatch {
  const prepare = createEncoder();
  return async group => {
    const { events, results } = prepare(group);
    const startedAt = performance.now();
    const [place] = await insert([packRows(events)]);
    if (!place) throw new TypeError('nobody has said where the events are');
    return { ...results, first: place.first, commit: { rows: place.rows, ms: performance.now() - startedAt } };
  };
}
