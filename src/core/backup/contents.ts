/* What the objects of a backup contain, before encryption: JSON and columns of numbers, compressed, and pages. Little endian. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Another log object, and the tag of its head. */
export type LogLink = { seq: number; tag: string };

export type Claim = {
  /** Identifies the history; 32 hex digits. */
  chain: string;
  /** Identifies the data directory of the writer, and its process. */
  instance: string;
  run: string;
  seq: number;
  at: number;
  everyMs: number;
  released: boolean;
};

/** One page each, in ascending order. `deltas`: 1 if the body has the XOR with the page's previous version. `hashes`: of the pages. */
export type PageRecords = { pages: Uint32Array; deltas: Uint8Array; hashes: BigUint64Array };

export type LogHead = {
  chain: string;
  seq: number;
  /** Null for the first one. */
  prev: LogLink | null;
  run: string;
  /** Nothing later is in it. Epoch ms. */
  at: number;
  /** The number of pages of a state that is complete with this object; null if more objects belong to it. */
  commit: { pages: number } | null;
  pageSize: number;
  /** The oldest state that can be restored. */
  horizon: number;
};

export type LogObject = LogHead & PageRecords;

export type ObjectEntry = {
  seq: number;
  records: number;
  bytes: number;
  at: number;
  isCommit: boolean;
  hasDeltas: boolean;
  /** The number of the object that completes the first state without its pages; 0: the newest state needs it. */
  died: number;
};

export type IndexHead = {
  chain: string;
  /** That of the state which it describes. */
  seq: number;
  prev: LogLink;
  at: number;
  pageSize: number;
  pages: number;
  deltas: number;
  objects: number;
  horizon: number;
  /** All indexes, this one included. */
  indexes: { seq: number; at: number }[];
};

/** `bases`: the number of the object with the last full version of each page; 0: a page of zeros. `deltas`: pairs of page and number. */
export type IndexBody = {
  bases: Uint32Array;
  hashes: BigUint64Array;
  deltas: Uint32Array;
  objects: readonly ObjectEntry[];
};

/** The content of an object does not have the right form. */
export class ContentError extends Error {
  override name = 'ContentError';
}

type Column = Uint8Array | Uint32Array | BigUint64Array | Float64Array;
type Bytes = Uint8Array<ArrayBuffer>;

const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const maxHeadBytes = 64 << 20;
const maxIndexBytes = 1 << 30;

const compress = (parts: readonly Uint8Array[]): Bytes => new Uint8Array(zstdCompressSync(Buffer.concat(parts), level));
const bytesOf = (column: Column): Uint8Array => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

function encodeHead(json: object, columns: readonly Column[] = []): Bytes {
  const text = Buffer.from(JSON.stringify(json));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return compress([length, text, ...columns.map(bytesOf)]);
}

function columnReader(bytes: Uint8Array) {
  let at = 0;
  const take = (length: number): ArrayBuffer => {
    if (at + length > bytes.length) throw new ContentError('it is too short');
    // Not `slice`, which copies nothing in a Buffer.
    const copy = Uint8Array.from(bytes.subarray(at, at + length)).buffer;
    at += length;
    return copy;
  };
  return {
    take,
    u8: (count: number) => new Uint8Array(take(count)),
    u32: (count: number) => new Uint32Array(take(count * 4)),
    u64: (count: number) => new BigUint64Array(take(count * 8)),
    f64: (count: number) => new Float64Array(take(count * 8)),
  };
}

function decodeHead(head: Uint8Array): { json: Record<string, unknown>; columns: ReturnType<typeof columnReader> } {
  let plain: Buffer;
  try {
    plain = zstdDecompressSync(head, { maxOutputLength: maxHeadBytes });
  } catch {
    throw new ContentError('it cannot be decompressed');
  }
  const columns = columnReader(plain);
  const length = Buffer.from(columns.take(4)).readUInt32BE();
  return { json: JSON.parse(Buffer.from(columns.take(length)).toString()) as Record<string, unknown>, columns };
}

export const encodeClaim = (claim: Claim): Bytes => encodeHead(claim);
export const decodeClaim = (head: Uint8Array): Claim => decodeHead(head).json as Claim;

export const encodeLogHead = ({ pages, deltas, hashes, ...head }: LogObject): Bytes =>
  encodeHead({ ...head, records: pages.length }, [pages, deltas, hashes]);

export function decodeLogHead(bytes: Uint8Array): LogObject {
  const { json, columns } = decodeHead(bytes);
  const { records, ...head } = json as LogHead & { records: number };
  return { ...head, pages: columns.u32(records), deltas: columns.u8(records), hashes: columns.u64(records) };
}

/** @param records the pages, or their XOR, one after the other */
export const encodeLogBody = async (records: Uint8Array<ArrayBuffer>): Promise<Bytes> =>
  new Uint8Array(await Bun.zstdCompress(records, { level: 1 }));

/** @throws ContentError */
export async function decodeLogBody(body: Uint8Array<ArrayBuffer>, { pages, pageSize }: LogObject): Promise<Buffer> {
  const records = await Bun.zstdDecompress(body).catch(() => undefined);
  if (records?.length !== pages.length * pageSize) throw new ContentError('its pages are not complete');
  return records;
}

type IndexCounts = 'pages' | 'deltas' | 'objects';
const isCommitFlag = 1;
const hasDeltasFlag = 2;

export function encodeIndex(head: Omit<IndexHead, IndexCounts>, body: IndexBody): { head: Bytes; body: Bytes } {
  const { bases, hashes, deltas, objects } = body;
  const counts: Pick<IndexHead, IndexCounts> = {
    pages: bases.length,
    deltas: deltas.length / 2,
    objects: objects.length,
  };
  const columns: Column[] = [
    bases,
    hashes,
    deltas,
    Uint32Array.from(objects, ({ seq }) => seq),
    Uint32Array.from(objects, ({ records }) => records),
    Uint32Array.from(objects, ({ bytes }) => bytes),
    Float64Array.from(objects, ({ at }) => at),
    Uint8Array.from(objects, one => (one.isCommit ? isCommitFlag : 0) | (one.hasDeltas ? hasDeltasFlag : 0)),
    Uint32Array.from(objects, ({ died }) => died),
  ];
  return { head: encodeHead({ ...head, ...counts }), body: compress(columns.map(bytesOf)) };
}

export const decodeIndexHead = (head: Uint8Array): IndexHead => decodeHead(head).json as IndexHead;

/** @throws ContentError */
export function decodeIndexBody(bytes: Uint8Array, { pages, deltas, objects }: IndexHead): IndexBody {
  let plain: Buffer;
  try {
    plain = zstdDecompressSync(bytes, { maxOutputLength: maxIndexBytes });
  } catch {
    throw new ContentError('it cannot be decompressed');
  }
  const columns = columnReader(plain);
  const read = { bases: columns.u32(pages), hashes: columns.u64(pages), deltas: columns.u32(deltas * 2) };
  const [seqs, records, sizes] = [columns.u32(objects), columns.u32(objects), columns.u32(objects)];
  const [ats, flags, dieds] = [columns.f64(objects), columns.u8(objects), columns.u32(objects)];
  return {
    ...read,
    objects: Array.from(seqs, (seq, i) => ({
      seq,
      records: records[i] as number,
      bytes: sizes[i] as number,
      at: ats[i] as number,
      isCommit: ((flags[i] as number) & isCommitFlag) !== 0,
      hasDeltas: ((flags[i] as number) & hasDeltasFlag) !== 0,
      died: dieds[i] as number,
    })),
  };
}

const hashSeed = 0n;

/** The hash of a page's content. It finds changes; authenticity comes from encryption. */
export const hashPage = (page: Uint8Array): bigint => Bun.hash.xxHash3(page, hashSeed);

/** Replaces `target` by its XOR with `other`. Both begin at a multiple of 4 bytes. */
export function xorPage(target: Uint8Array, other: Uint8Array): void {
  const words = new Uint32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
  const others = new Uint32Array(other.buffer, other.byteOffset, other.byteLength >> 2);
  for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) ^ (others[i] as number);
}
