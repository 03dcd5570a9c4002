/*
 * The format of a group in the capture journal: the deliveries of one write, after the header rules and the redaction rules. A header of 64 bytes, a JSON
 * text with the short values, then nonces, header fields and bodies. Groups begin at multiples of 4096 bytes, so that a write never
 * touches a disk block of an earlier group. A checksum covers the group. The segment's nonce distinguishes it from older content of
 * the same file and from a forged group in a body.
 */
import { crc32 } from 'node:zlib';
import type { Outcome } from '../../core/answers/model.ts';
import { nonceBytes } from '../../core/ids/ids.ts';
import type { Redacted } from '../../core/redaction/model.ts';
import type { Delivery } from '../delivery.ts';

export const groupAlignment = 4096;
export const segmentNonceBytes = 8;
const headerBytes = 64;
const magic = 0x4a_54_4b_48;
/** Byte offsets in the header. Sizes and numbers are little endian; 6-byte fields are integers below 2^48. */
const at = { magic: 0, checksum: 4, nonce: 8, group: 16, first: 24, count: 32, textBytes: 36, dataBytes: 40 } as const;

/** The result of recognition before the header rules; null if the delivery is recognised during filing. */
export type EarlyRecognition = { platform: string | null; eventType: string | null; verdict: string | null };

/** A delivery as the journal keeps it: the header rules and the redaction rules have been applied to `delivery`. */
export type JournalEntry = {
  endpoint: number;
  /** The platforms for which the endpoint had confirmed secrets; recognition needs them. */
  platforms: readonly string[];
  /** The URL to which it was sent; absent if the endpoint had no secrets. Signatures may cover it. */
  url?: string | undefined;
  delivery: Delivery;
  recognition: EarlyRecognition | null;
  /** The stored outcome, if the answer is not the default. */
  outcome?: Outcome | undefined;
  /** If rules took something out of it: what, and the number of the delivery. */
  redaction?: { redacted: Redacted; delivery: number } | undefined;
};

/** Identifies a group. `group`: consecutive over all segments. `first`: the row number of its first event. */
export type GroupNumbers = { segmentNonce: Uint8Array; group: number; first: number };

export type GroupHeader = { group: number; first: number; count: number; bytes: number };

type EntryText = [
  endpoint: number,
  receivedAt: number,
  method: string,
  path: string,
  query: string | null,
  sourceIp: string,
  fieldsSize: number,
  bodySize: number,
  recognition?: [platform: string | null, eventType: string | null, verdict: string | null] | null,
  outcome?: Outcome | null,
  redaction?: JournalEntry['redaction'],
];
const redactionAt = 10;
type GroupText = { endpoints: [seq: number, platforms: readonly string[], url?: string][]; entries: EntryText[] };

export const alignedBytes = (bytes: number): number => Math.ceil(bytes / groupAlignment) * groupAlignment;

/** @param nonces concatenated @param bufferFor gets an upper bound of the size @returns `bytes`: the size with padding */
export function encodeGroup(
  entries: readonly JournalEntry[],
  nonces: Uint8Array,
  { segmentNonce, group, first }: GroupNumbers,
  bufferFor: (bytes: number) => Buffer,
): { buffer: Buffer; bytes: number } {
  const text = textOf(entries);
  let dataBytes = nonces.length;
  for (const { delivery } of entries) dataBytes += delivery.fields.length + delivery.body.length;
  // UTF-8 takes at most three bytes per UTF-16 unit.
  const buffer = bufferFor(alignedBytes(headerBytes + text.length * 3 + dataBytes));
  const textBytes = buffer.write(text, headerBytes, 'utf8');
  let end = headerBytes + textBytes;
  const append = (bytes: Uint8Array): void => {
    buffer.set(bytes, end);
    end += bytes.length;
  };
  append(nonces);
  for (const { delivery } of entries) {
    append(delivery.fields);
    append(delivery.body);
  }
  buffer.fill(0, 0, headerBytes);
  buffer.writeUInt32LE(magic, at.magic);
  buffer.set(segmentNonce, at.nonce);
  buffer.writeUIntLE(group, at.group, 6);
  buffer.writeUIntLE(first, at.first, 6);
  buffer.writeUInt32LE(entries.length, at.count);
  buffer.writeUInt32LE(textBytes, at.textBytes);
  buffer.writeUIntLE(dataBytes, at.dataBytes, 6);
  buffer.writeUInt32LE(crc32(buffer.subarray(at.nonce, end)), at.checksum);
  const bytes = alignedBytes(end);
  buffer.fill(0, end, bytes);
  return { buffer, bytes };
}

function textOf(entries: readonly JournalEntry[]): string {
  const endpoints: GroupText['endpoints'] = [];
  const indexes = new Map<number, number>();
  const texts = entries.map(({ endpoint, platforms, url, delivery, recognition, outcome, redaction }): EntryText => {
    let index = indexes.get(endpoint);
    const known = index === undefined ? undefined : endpoints[index];
    // The secrets and the URL of an endpoint may change between two deliveries of a group.
    if (index === undefined || known?.[1] !== platforms || known[2] !== url) {
      index = endpoints.push(url === undefined ? [endpoint, platforms] : [endpoint, platforms, url]) - 1;
      indexes.set(endpoint, index);
    }
    const { receivedAt, method, path, query, sourceIp, fields, body } = delivery;
    const entry: EntryText = [index, receivedAt, method, path, query, sourceIp, fields.length, body.length];
    if (recognition) entry.push([recognition.platform, recognition.eventType, recognition.verdict]);
    if (outcome) {
      if (!recognition) entry.push(null);
      entry.push(outcome);
    }
    if (redaction) {
      while (entry.length < redactionAt) entry.push(null);
      entry.push(redaction);
    }
    return entry;
  });
  return JSON.stringify({ endpoints, entries: texts } satisfies GroupText);
}

/** Undefined if no group of this segment begins at the beginning of `bytes`. Does not verify the checksum. */
export function readGroupHeader(bytes: Buffer, segmentNonce: Uint8Array): GroupHeader | undefined {
  if (bytes.length < headerBytes || bytes.readUInt32LE(at.magic) !== magic) return undefined;
  if (bytes.compare(segmentNonce, 0, segmentNonceBytes, at.nonce, at.nonce + segmentNonceBytes) !== 0) return undefined;
  return {
    group: bytes.readUIntLE(at.group, 6),
    first: bytes.readUIntLE(at.first, 6),
    count: bytes.readUInt32LE(at.count),
    bytes: alignedBytes(endOf(bytes)),
  };
}

const endOf = (bytes: Buffer): number =>
  headerBytes + bytes.readUInt32LE(at.textBytes) + bytes.readUIntLE(at.dataBytes, 6);

/** Whether the group at the beginning of `bytes` is complete and its checksum matches. */
export function isIntactGroup(bytes: Buffer): boolean {
  if (bytes.length < headerBytes) return false;
  const end = endOf(bytes);
  return end <= bytes.length && crc32(bytes.subarray(at.nonce, end)) === bytes.readUInt32LE(at.checksum);
}

/** The inverse of `encodeGroup`, for an intact group. Nonces, fields and bodies are views of `bytes`. */
export function decodeGroup(bytes: Buffer): { entries: JournalEntry[]; nonces: Uint8Array; first: number } {
  const textEnd = headerBytes + bytes.readUInt32LE(at.textBytes);
  const { endpoints, entries } = JSON.parse(bytes.toString('utf8', headerBytes, textEnd)) as GroupText;
  const noncesEnd = textEnd + entries.length * nonceBytes;
  let from = noncesEnd;
  const next = (size: number): Uint8Array => {
    from += size;
    return bytes.subarray(from - size, from);
  };
  const decoded = entries.map((entry): JournalEntry => {
    const [index, receivedAt, method, path, query, sourceIp, fieldsSize, bodySize, recognition, outcome, redaction] =
      entry;
    const endpoint = endpoints[index];
    if (!endpoint) throw new RangeError('a journal group refers to an endpoint that it does not name');
    const fields = next(fieldsSize);
    const body = next(bodySize);
    return {
      endpoint: endpoint[0],
      platforms: endpoint[1],
      url: endpoint[2],
      delivery: { method, path, query, fields, body, sourceIp, receivedAt },
      recognition: recognition
        ? { platform: recognition[0], eventType: recognition[1], verdict: recognition[2] }
        : null,
      outcome: outcome ?? undefined,
      redaction,
    };
  });
  return { entries: decoded, nonces: bytes.subarray(textEnd, noncesEnd), first: bytes.readUIntLE(at.first, 6) };
}
