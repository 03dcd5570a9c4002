/*
 * The packer: background work that builds full blocks. It joins the small blocks that low traffic produces, and moves rows of 1.0 into
 * blocks, oldest first. Events deleted after the packer has read them are skipped by its transaction. A crash loses at most the work
 * of one slice.
 */

import type { SignedEvent } from '../../core/blocks/block-signature.ts';
import {
  type BlockBuilder,
  createBlockBuilder,
  type EventRecord,
  type EventText,
  maxBlockBytes,
  type PackedBlock,
  readRecords,
  type SignBlock,
  unpackBlock,
} from '../../core/blocks/event-block.ts';
import {
  checkHash,
  checkHashInSlices,
  DamagedError,
  type PlainContent,
  unpackLargeOwn,
  unpackOwn,
} from '../../core/blocks/stored-content.ts';
import { createBatchSize } from '../../core/concurrency/batch-size.ts';
import { createTimeSlices } from '../../core/concurrency/time-slices.ts';
import { latin1 } from '../../core/encoding/buffer.ts';
import type { HeaderPair } from '../../core/headers.ts';
import { deliveryNumber } from '../../core/ids/delivery-key.ts';
import { deliveryIdOf } from '../../platforms/platforms.ts';
import type { EventRow, Move, OldRow, PackingStore, RowsToPack } from './store.ts';

type SliceResult = 'more' | 'done' | { restMs: number };

const sliceMs = 2.5;
/** Size limit for bodies of 1.0 rows read together. */
const maxReadBytes = 256 << 10;
/**
 * An endpoint's small blocks are joined if there are this many, or if they fill most of a block; so each event moves about twice.
 */
const minJoined = { blocks: 16, bytes: 48 << 10 };
const maxJoinedBlocks = 64;
/** Under load, each step is followed by a pause of this many times its duration. */
const restFactor = 100;
const maxRestMs = 50;

type Packer = { builder: BlockBuilder; sign: SignBlock | null; monotonic: () => number };

export function createPackingService(options: {
  store: PackingStore;
  /** Computes the search signature of a block. */
  sign: SignBlock | null;
  monotonic: () => number;
  /** Whether deliveries wait for their commit, or arrive at a high rate. */
  isBusy: () => boolean;
  background: { add: (job: { name: string; slice: () => Promise<SliceResult> }) => { wake: () => void } };
}) {
  const { store, sign, monotonic, isBusy, background } = options;
  const batchSize = createBatchSize({ targetMs: sliceMs, initial: 32, min: 8, max: 256 });
  const packer: Packer = { builder: createBlockBuilder(), sign, monotonic };
  /** Blocks that cannot be read, or whose count of events is wrong; they are skipped. */
  const damaged = new Set<number>();
  /** Undefined until it is read; null if no rows are left. */
  let rowsToPack: RowsToPack | null | undefined;
  /** The last block of the last complete pass through all endpoints, and the current pass. */
  let packedUpTo = 0;
  let pass: { endpoint: number; upTo: number } | undefined;
  let restUntil = 0;
  let lastMismatch = '';

  const packRows = async (rest: RowsToPack): Promise<void> => {
    const rows = await store.oldRows(rest, batchSize.units(), maxReadBytes);
    const packing = await packOldRows(rows, packer);
    const next = { after: rows.at(-1)?.seq ?? rest.upTo, upTo: rest.upTo };
    // After an error the progress is unknown.
    rowsToPack = undefined;
    const writerMs = await store.pack({ ...packing, from: [], rowsToPack: next });
    batchSize.record(rows.length, writerMs);
    rowsToPack = next.after < next.upTo ? next : null;
  };

  /** Joins some of the endpoint's small blocks. @returns false if there are too few */
  const join = async (endpoint: number): Promise<boolean> => {
    const all = await store.smallBlocks(endpoint, maxJoinedBlocks + damaged.size);
    const joined: number[] = [];
    let [bytes, events, total] = [0, 0, 0];
    const readable = all.filter(({ seq }) => !damaged.has(seq));
    for (const block of readable) {
      total += block.bytes;
      if (bytes + block.bytes > maxBlockBytes || joined.length === maxJoinedBlocks) continue;
      joined.push(block.seq);
      bytes += block.bytes;
      events += block.events;
    }
    if (joined.length < 2 || (readable.length < minJoined.blocks && total < minJoined.bytes)) return false;
    const records = new Map<number, EventRecord>();
    for (const block of await store.blocks(joined))
      try {
        for (const record of readRecords(unpackBlock(block), block.firstEvent)) records.set(record.seq, record);
      } catch (error) {
        if (!(error instanceof DamagedError)) throw error;
        damaged.add(block.seq);
        return true;
      }
    const rows = await store.eventsIn(joined, [...records.keys()]);
    // Events were deleted after the blocks were counted: the next step counts again. If the result is the same, the counts are wrong.
    if (rows.length !== events) {
      const found = `${joined} ${events} ${rows.length}`;
      if (found === lastMismatch) for (const seq of joined) damaged.add(seq);
      lastMismatch = found;
      return true;
    }
    const { blocks, moves } = joinRecords(rows, records, packer);
    await store.pack({ blocks: new Map([[endpoint, blocks]]), moves, from: joined });
    return true;
  };

  const joinNext = async (): Promise<SliceResult> => {
    if (!pass) {
      const upTo = await store.lastBlock();
      if (upTo === packedUpTo) return 'done';
      pass = { endpoint: 0, upTo };
    }
    const endpoint = await store.endpointToPack(pass.endpoint, minJoined.blocks, minJoined.bytes);
    if (endpoint === undefined) {
      packedUpTo = pass.upTo;
      pass = undefined;
      return 'done';
    }
    pass.endpoint = (await join(endpoint)) ? endpoint : endpoint + 1;
    return 'more';
  };

  const slice = async (): Promise<SliceResult> => {
    const startedAt = monotonic();
    if (isBusy() && startedAt < restUntil) return { restMs: Math.min(maxRestMs, restUntil - startedAt) };
    let result: SliceResult = 'more';
    if (rowsToPack === undefined) rowsToPack = (await store.rowsToPack()) ?? null;
    if (rowsToPack) await packRows(rowsToPack);
    else result = await joinNext();
    const endedAt = monotonic();
    restUntil = endedAt + restFactor * (endedAt - startedAt);
    return result;
  };

  return background.add({ name: 'packing', slice });
}

/** Packs rows of 1.0 by endpoint. Damaged rows stay unchanged. */
async function packOldRows(rows: readonly OldRow[], { builder, sign, monotonic }: Packer) {
  const blocks = new Map<number, PackedBlock[]>();
  const moves: Move[] = [];
  const endpoints = Map.groupBy(rows, ({ endpoint }) => endpoint);
  let taken = 0;
  for (const [endpoint, ofEndpoint] of endpoints) {
    const packed: PackedBlock[] = [];
    builder.clear();
    const take = async (): Promise<void> => {
      const isLarge = builder.bytes() > maxBlockBytes;
      packed.push(isLarge ? await builder.takeLarge(sign) : builder.take(sign));
      taken++;
    };
    for (const row of ofEndpoint) {
      const event = await readOldRow(row, monotonic);
      if (!event) continue;
      let start = builder.add(row.seq, event);
      if (start === undefined) {
        await take();
        start = builder.add(row.seq, event) ?? 0;
      }
      moves.push({ seq: row.seq, block: taken, start, delivery: deliveryOf(row, event) });
    }
    if (builder.events() > 0) await take();
    if (packed.length > 0) blocks.set(endpoint, packed);
  }
  return { blocks, moves };
}

/** Rows of 1.0 have no delivery. */
function deliveryOf({ endpoint, method, platform }: OldRow, event: EventText & SignedEvent): number {
  const { path, query, eventType, headersJson, body } = event;
  const rawHeaders = JSON.parse(headersJson) as HeaderPair[];
  const id = deliveryIdOf({ method, path, query, rawHeaders, body }, platform);
  return deliveryNumber({ endpoint, platform, method, path, query, eventType, body }, id);
}

async function readOldRow(row: OldRow, monotonic: () => number) {
  const { receivedAt, eventType, platform, method, path, query, sourceIp, sha256, size } = row;
  try {
    const isLarge = size > maxReadBytes;
    const content: PlainContent = isLarge ? await unpackLargeOwn(row) : unpackOwn(row);
    if (isLarge) await checkHashInSlices(content.body, sha256, createTimeSlices({ monotonic }));
    else checkHash(content.body, sha256);
    return {
      receivedAt,
      eventType,
      platform,
      method,
      path: latin1(path),
      query: query && latin1(query),
      sourceIp,
      headersJson: Buffer.from(content.headers).toString(),
      body: content.body,
    };
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

/** Copies the records of these events, in order, into new blocks. */
function joinRecords(rows: readonly EventRow[], records: ReadonlyMap<number, EventRecord>, { builder, sign }: Packer) {
  const blocks: PackedBlock[] = [];
  const moves: Move[] = [];
  builder.clear();
  for (const { seq, ...columns } of rows) {
    const record = records.get(seq);
    if (!record) continue;
    const { path, headers, body } = record;
    const event = { ...columns, path: latin1(path), headersJson: headers.toString(), body };
    const add = () => builder.addTail(seq, record.tail, event);
    let start = add();
    if (start === undefined) {
      blocks.push(builder.take(sign));
      start = add() ?? 0;
    }
    moves.push({ seq, block: blocks.length, start });
  }
  blocks.push(builder.take(sign));
  return { blocks, moves };
}
