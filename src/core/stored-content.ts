/*
 * The format of a delivery's headers and body in the database: one blob, so that they compress together. Four bytes with the
 * length of the headers (big endian), the header pairs as JSON in UTF-8, then the body. Compressed with zstd at level 1 when that
 * saves at least a tenth: real payloads shrink several times, and are inserted faster.
 */

import type { YieldIfDue } from './concurrency/time-slices.ts';
import type { HeaderPair } from './headers.ts';
import { sha256 as hash, sha256InSlices } from './sha256.ts';

export type StoredContent = { encoding: 0 | 1; content: Uint8Array };

const minCompressedBytes = 200;
const encoder = new TextEncoder();
/** Headers are written as UTF-8, so anything else is damage. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reused for every delivery that fits, since nothing refers to it after the call. */
const scratch = new Uint8Array(256 << 10);

/** @param pairs after the header rules */
export function packContent(pairs: readonly HeaderPair[], body: Uint8Array): StoredContent {
  const headers = JSON.stringify(pairs);
  // UTF-8 takes three bytes for a UTF-16 unit at most.
  const maxBytes = 4 + headers.length * 3 + body.length;
  const plain = maxBytes <= scratch.length ? scratch : new Uint8Array(maxBytes);
  const { written } = encoder.encodeInto(headers, plain.subarray(4));
  plain[0] = written >>> 24;
  plain[1] = written >>> 16;
  plain[2] = written >>> 8;
  plain[3] = written;
  plain.set(body, 4 + written);
  const whole = plain.subarray(0, 4 + written + body.length);
  if (whole.length >= minCompressedBytes) {
    const packed = Bun.zstdCompressSync(whole, { level: 1 });
    if (packed.length < whole.length * 0.9) return { encoding: 1, content: packed };
  }
  return { encoding: 0, content: whole.slice() };
}

/** The body alone. @throws when the blob is damaged */
export const unpackBody = (encoding: number, content: Uint8Array): Uint8Array => split(unpack(encoding, content)).body;

/** Stored content has changed on disk. Changed headers are noticed only when they cannot be parsed. */
export class DamagedError extends Error {}

/** `sha256` of the received body: 32 bytes, or in hex. */
type Stored = { encoding: number; content: Uint8Array; sha256: Uint8Array | string };

export type Intact = { headers: HeaderPair[]; headersJson: string; body: Uint8Array };

/** The inverse of `packContent`; checks the body's hash. @throws DamagedError */
export function unpackIntact({ encoding, content, sha256 }: Stored): Intact {
  const intact = readable(() => unpack(encoding, content));
  compare(hash(intact.body), sha256);
  return intact;
}

/** The same in time slices, for a large body. @throws DamagedError */
export async function unpackIntactInSlices(
  { encoding, content, sha256 }: Stored,
  yieldIfDue: YieldIfDue,
): Promise<Intact> {
  const packed = content as Uint8Array<ArrayBuffer>;
  const plain = encoding === 1 ? await Bun.zstdDecompress(packed).catch(unreadable) : packed;
  const intact = readable(() => plain);
  compare(await sha256InSlices(intact.body, yieldIfDue), sha256);
  return intact;
}

/** @throws DamagedError */
function compare(found: Uint8Array, sha256: Stored['sha256']): void {
  const known = typeof sha256 === 'string' ? Buffer.from(sha256, 'hex') : sha256;
  if (Buffer.compare(found, known) !== 0) throw new DamagedError('its body is not the one that came');
}

/** The same; undefined for damaged content. */
export function unpackIfIntact(stored: Stored): Intact | undefined {
  try {
    return unpackIntact(stored);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

function readable(plain: () => Uint8Array): Intact {
  try {
    const text = split(plain());
    return { headers: readPairs(text.headersJson), ...text };
  } catch (cause) {
    return unreadable(cause);
  }
}

function unreadable(cause: unknown): never {
  throw new DamagedError('its headers and body cannot be read', { cause });
}

/** @throws when they are not header pairs */
function readPairs(json: string): HeaderPair[] {
  const pairs: unknown = JSON.parse(json);
  if (!Array.isArray(pairs) || !pairs.every(isPair)) throw new TypeError('not pairs of names and values');
  return pairs;
}

const isPair = (pair: unknown): pair is HeaderPair =>
  Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string' && typeof pair[1] === 'string';

const unpack = (encoding: number, content: Uint8Array): Uint8Array =>
  encoding === 1 ? Bun.zstdDecompressSync(content as Uint8Array<ArrayBuffer>) : content;

/** The pairs still as JSON. @throws when the blob is damaged */
function split(plain: Uint8Array): { headersJson: string; body: Uint8Array } {
  // By hand: asking for the underlying buffer costs more than all the rest when a whole history is read.
  const [a = 0, b = 0, c = 0, d = 0] = [plain[0], plain[1], plain[2], plain[3]];
  const start = 4 + a * 0x1000000 + b * 0x10000 + c * 0x100 + d;
  if (start > plain.length) throw new RangeError('stored content is damaged');
  return { headersJson: decoder.decode(plain.subarray(4, start)), body: plain.subarray(start) };
}
