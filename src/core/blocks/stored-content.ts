/*
 * An event's headers and body as they are read from the database, and the layout of 1.0, in which a row has its own content: four
 * bytes with the length of the headers (big endian), the header pairs as JSON in UTF-8, then the body; compressed with zstd when
 * that saved at least a tenth. core/blocks/event-block.ts has the layout of newer events.
 */

import type { YieldIfDue } from '../concurrency/time-slices.ts';
import { sha256 as hash, sha256InSlices } from '../encoding/sha256.ts';
import type { HeaderPair } from '../headers.ts';

/** Headers are written as UTF-8, so anything else is damage. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Stored content has changed on disk. In a row of 1.0, changed headers are noticed only if they cannot be parsed. */
export class DamagedError extends Error {}

/** The header pairs as JSON in UTF-8, not yet parsed, and the body. */
export type PlainContent = { headers: Uint8Array; body: Uint8Array };
export type Intact = { headers: HeaderPair[]; headersJson: string; body: Uint8Array };

/** The content of a row that contains it itself. */
export type OwnContent = { encoding: number; content: Uint8Array };

/** @throws DamagedError if the headers cannot be parsed */
export function parseContent({ headers, body }: PlainContent): Intact {
  try {
    const headersJson = decoder.decode(headers);
    return { headers: readPairs(headersJson), headersJson, body };
  } catch (cause) {
    return unreadable(cause);
  }
}

/** The content of a row of 1.0, whose checksum is not compared yet. @throws DamagedError */
export function unpackOwn({ encoding, content }: OwnContent): PlainContent {
  const packed = content as Uint8Array<ArrayBuffer>;
  try {
    return split(encoding === 1 ? Bun.zstdDecompressSync(packed) : packed);
  } catch (cause) {
    return unreadable(cause);
  }
}

/** Like `unpackOwn`, for a large body, on another thread. @throws DamagedError */
export async function unpackLargeOwn({ encoding, content }: OwnContent): Promise<PlainContent> {
  const packed = content as Uint8Array<ArrayBuffer>;
  const plain = encoding === 1 ? await Bun.zstdDecompress(packed).catch(unreadable) : packed;
  return unpackOwn({ encoding: 0, content: plain });
}

/** @throws DamagedError unless it is the hash of the body */
export const checkHash = (body: Uint8Array, sha256: Uint8Array): void => compare(hash(body), sha256);

/** Like `checkHash`, in time slices. */
export const checkHashInSlices = async (body: Uint8Array, sha256: Uint8Array, yieldIfDue: YieldIfDue): Promise<void> =>
  compare(await sha256InSlices(body, yieldIfDue), sha256);

function compare(found: Uint8Array, known: Uint8Array): void {
  if (Buffer.compare(found, known) !== 0) throw new DamagedError('the stored body does not match its checksum');
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

/** @throws when the blob is damaged */
function split(plain: Uint8Array): PlainContent {
  // The number is read byte by byte, because access to the underlying buffer would cost more than the rest when a whole history
  // is read.
  const [a = 0, b = 0, c = 0, d = 0] = [plain[0], plain[1], plain[2], plain[3]];
  const start = 4 + a * 0x1000000 + b * 0x10000 + c * 0x100 + d;
  if (start > plain.length) throw new RangeError('stored content is damaged');
  return { headers: plain.subarray(4, start), body: plain.subarray(start) };
}
