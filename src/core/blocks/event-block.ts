/*
 * The format of a block: several events of one endpoint, compressed together because they are similar.
 *
 * A block is a sequence of records, compressed with zstd when that saves space. Its checksum (XXH3, eight bytes, little endian) covers
 * the uncompressed records and is stored beside them. A record has the offset of its row number from the block's first; the lengths of
 * five parts; and the parts: path, query, source address, header pairs as JSON, body. Numbers are LEB128; the length of the query is
 * stored plus one, 0 for no query.
 */

import { asBuffer } from '../encoding/buffer.ts';
import { type BlockSignature, type SignedEvent, signTimes } from './block-signature.ts';
import { DamagedError } from './stored-content.ts';

/** Maximum size of a block's uncompressed records, unless it has a single larger event. */
export const maxBlockBytes = 64 << 10;

/** The content of a record. Path and query are bytes as Latin-1. */
export type EventText = {
  path: string;
  query: string | null;
  sourceIp: string;
  headersJson: string;
  body: Uint8Array;
};

/** A record as read: views of the block. */
export type EventRecord = {
  seq: number;
  path: Buffer;
  query: Buffer | null;
  sourceIp: string;
  headers: Buffer;
  body: Buffer;
  /** The record without its row number. */
  tail: Buffer;
  /** The position of the next record. */
  end: number;
};

export type SignBlock = (events: readonly SignedEvent[]) => BlockSignature;

export type PackedBlock = {
  firstEvent: number;
  lastEvent: number;
  events: number;
  /** The size of the uncompressed records. */
  bytes: number;
  encoding: number;
  checksum: Uint8Array;
  signature: BlockSignature;
  content: Uint8Array;
};

export const checksumBytes = 8;
/** Smaller blocks are not worth compressing. */
const minCompressedBytes = 200;
const minSavings = 0.1;

function checksumOf(records: Uint8Array): Buffer {
  const checksum = Buffer.allocUnsafe(checksumBytes);
  checksum.writeBigUInt64LE(Bun.hash.xxHash3(records));
  return checksum;
}

/** Fills blocks, one at a time. Row numbers must ascend. Its memory is reused. */
export function createBlockBuilder() {
  let plain = Buffer.allocUnsafeSlow(2 * maxBlockBytes);
  let used = 0;
  let first = 0;
  let last = 0;
  let count = 0;
  let contained: SignedEvent[] = [];

  /** Reserves space for a record and writes its row number. @returns where the rest begins; undefined when the block is full */
  const begin = (seq: number, tailBytes: number): number | undefined => {
    const distance = count === 0 ? 0 : seq - first;
    const end = used + bytesOfNumber(distance) + tailBytes;
    if (count > 0 && end > maxBlockBytes) return undefined;
    if (end > plain.length) plain = Buffer.allocUnsafeSlow(end);
    if (count++ === 0) first = seq;
    last = seq;
    const at = writeNumber(plain, used, distance);
    used = end;
    return at;
  };

  const clear = (): void => {
    used = 0;
    count = 0;
    contained = [];
    // The memory of a large event is not kept.
    if (plain.length > 2 * maxBlockBytes) plain = Buffer.allocUnsafeSlow(2 * maxBlockBytes);
  };

  const describe = (sign: SignBlock | null) => ({
    firstEvent: first,
    lastEvent: last,
    events: count,
    bytes: used,
    signature: sign ? sign(contained) : signTimes(contained),
  });

  return {
    /** @returns where the record begins; undefined when the block is full: take it, and add the event again */
    add(seq: number, event: EventText & SignedEvent): number | undefined {
      const { path, query, sourceIp, headersJson, body } = event;
      const headersBytes = Buffer.byteLength(headersJson);
      const sourceIpBytes = Buffer.byteLength(sourceIp);
      const queryBytes = query === null ? 0 : query.length;
      const tailBytes =
        bytesOfNumber(path.length) +
        bytesOfNumber(query === null ? 0 : queryBytes + 1) +
        bytesOfNumber(sourceIpBytes) +
        bytesOfNumber(headersBytes) +
        bytesOfNumber(body.length) +
        path.length +
        queryBytes +
        sourceIpBytes +
        headersBytes +
        body.length;
      const start = used;
      let at = begin(seq, tailBytes);
      if (at === undefined) return undefined;
      at = writeNumber(plain, at, path.length);
      at = writeNumber(plain, at, query === null ? 0 : queryBytes + 1);
      at = writeNumber(plain, at, sourceIpBytes);
      at = writeNumber(plain, at, headersBytes);
      at = writeNumber(plain, at, body.length);
      at += plain.write(path, at, 'latin1');
      if (query !== null) at += plain.write(query, at, 'latin1');
      at += plain.write(sourceIp, at, 'utf8');
      at += plain.write(headersJson, at, 'utf8');
      plain.set(body, at);
      contained.push(event);
      return start;
    },

    /** Like `add`, for the `tail` of a record of another block. */
    addTail(seq: number, tail: Uint8Array, event: SignedEvent): number | undefined {
      const start = used;
      const at = begin(seq, tail.length);
      if (at === undefined) return undefined;
      plain.set(tail, at);
      contained.push(event);
      return start;
    },

    events: (): number => count,
    bytes: (): number => used,

    /** Finishes the block, which must not be empty, and starts the next one. @param sign null: the signature excludes no text */
    take(sign: SignBlock | null): PackedBlock {
      const records = plain.subarray(0, used);
      const block = { ...describe(sign), ...compress(records) };
      clear();
      return block;
    },

    /** Like `take`, for a large event, which is compressed on another thread. */
    async takeLarge(sign: SignBlock | null): Promise<PackedBlock> {
      const records = plain.subarray(0, used);
      const block = describe(sign);
      // The memory is not reused, because it is larger than a usual block.
      clear();
      return { ...block, ...keepSmaller(records, await Bun.zstdCompress(records, { level: 1 })) };
    },

    clear,
  };
}

export type BlockBuilder = ReturnType<typeof createBlockBuilder>;

type Compressed = Pick<PackedBlock, 'encoding' | 'checksum' | 'content'>;

const compress = (records: Buffer): Compressed =>
  keepSmaller(records, records.length < minCompressedBytes ? records : Bun.zstdCompressSync(records, { level: 1 }));

function keepSmaller(records: Buffer, packed: Uint8Array): Compressed {
  const checksum = checksumOf(records);
  return packed.length < records.length * (1 - minSavings)
    ? { encoding: 1, checksum, content: packed }
    : { encoding: 0, checksum, content: Buffer.from(records) };
}

export type StoredBlock = Compressed & Pick<PackedBlock, 'firstEvent' | 'bytes'>;

/** The records of a block. @throws DamagedError */
export function unpackBlock(block: StoredBlock): Buffer {
  const { encoding, content } = block;
  const stored = content as Uint8Array<ArrayBuffer>;
  try {
    return intact(block, encoding === 1 ? Bun.zstdDecompressSync(stored) : stored);
  } catch (cause) {
    return unreadable(cause);
  }
}

/** Like `unpackBlock`, for a large event, on another thread. @throws DamagedError */
export async function unpackLargeBlock(block: StoredBlock): Promise<Buffer> {
  const { encoding, content } = block;
  const stored = content as Uint8Array<ArrayBuffer>;
  return intact(block, encoding === 1 ? await Bun.zstdDecompress(stored).catch(unreadable) : stored);
}

/** @throws DamagedError */
function intact({ bytes, checksum }: StoredBlock, records: Uint8Array): Buffer {
  if (records.length !== bytes || checksumOf(records).compare(checksum) !== 0)
    throw new DamagedError('the stored block does not match its checksum');
  return asBuffer(records);
}

function unreadable(cause?: unknown): never {
  if (cause instanceof DamagedError) throw cause;
  throw new DamagedError('its headers and body cannot be read', { cause });
}

/** Where the parts of a record begin, and where it ends. `query`: equal to `sourceIp` if the query is missing or empty. */
export type RecordPlace = {
  /** The distance of its row number from the block's first. */
  distance: number;
  hasQuery: boolean;
  tail: number;
  path: number;
  query: number;
  sourceIp: number;
  headers: number;
  body: number;
  end: number;
};

/** @throws DamagedError if no record begins at `start` */
function placeAt(records: Buffer, start: number): RecordPlace {
  let at = start;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = records[at++];
      if (byte === undefined) return unreadable();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const distance = next();
  const tail = at;
  const [pathBytes, queryBytes, sourceIpBytes, headersBytes, bodyBytes] = [next(), next(), next(), next(), next()];
  const query = at + pathBytes;
  const sourceIp = query + Math.max(0, queryBytes - 1);
  const headers = sourceIp + sourceIpBytes;
  const body = headers + headersBytes;
  const end = body + bodyBytes;
  if (end > records.length) return unreadable();
  return { distance, hasQuery: queryBytes > 0, tail, path: at, query, sourceIp, headers, body, end };
}

function recordAt(records: Buffer, place: RecordPlace, firstEvent: number): EventRecord {
  const { distance, hasQuery, tail, path, query, sourceIp, headers, body, end } = place;
  return {
    seq: firstEvent + distance,
    path: records.subarray(path, query),
    query: hasQuery ? records.subarray(query, sourceIp) : null,
    sourceIp: records.toString('utf8', sourceIp, headers),
    headers: records.subarray(headers, body),
    body: records.subarray(body, end),
    tail: records.subarray(tail, end),
    end,
  };
}

/** The record that begins at `start`. @throws DamagedError if no record begins there */
export const readRecord = (records: Buffer, start: number, firstEvent: number): EventRecord =>
  recordAt(records, placeAt(records, start), firstEvent);

/** All records of a block, with their offsets. @throws DamagedError */
export function* readRecords(records: Buffer, firstEvent: number): Generator<EventRecord & { start: number }> {
  for (let start = 0; start < records.length; ) {
    const record = readRecord(records, start, firstEvent);
    yield { ...record, start };
    start = record.end;
  }
}

/** The records of a block that are wanted, which is decided in order by their places. @throws DamagedError */
export function selectRecords(
  records: Buffer,
  firstEvent: number,
  isWanted: (place: RecordPlace) => boolean,
): EventRecord[] {
  const found: EventRecord[] = [];
  for (let start = 0; start < records.length; ) {
    const place = placeAt(records, start);
    if (isWanted(place)) found.push(recordAt(records, place, firstEvent));
    start = place.end;
  }
  return found;
}

function bytesOfNumber(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeNumber(buffer: Buffer, at: number, value: number): number {
  let [next, rest] = [at, value];
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) buffer[next++] = (rest % 128) | 0x80;
  buffer[next++] = rest;
  return next;
}
