/*
 * The message that carries a batch of deliveries to the writer thread: short values in one JSON text, all header fields and bodies
 * in one buffer that is transferred. The structured clone of single values would cost more than storing them.
 */
import { nonceBytes } from '../core/ids.ts';
import type { SigningSecret } from '../platforms/engine/model.ts';

/** A delivery as received: path and query are not decoded. */
export type Delivery = {
  method: string;
  path: string;
  query: string | null;
  /** Header fields as on the wire, each line with its CRLF (core/headers). */
  fields: Uint8Array;
  body: Uint8Array;
  sourceIp: string;
  /** Epoch ms. */
  receivedAt: number;
};

/** What recognition needs to know about the endpoint. */
export type Destination = {
  seq: number;
  /** The public address, for signatures that cover it. */
  url: string;
  secrets: readonly SigningSecret[];
};

export type PendingDelivery = { destination: Destination; delivery: Delivery };

export type EncodedBatch = { text: string; bytes: ArrayBuffer };

type Entry = [
  destination: number,
  receivedAt: number,
  method: string,
  path: string,
  query: string | null,
  sourceIp: string,
  fieldsSize: number,
  bodySize: number,
];
type Text = { destinations: Destination[]; entries: Entry[] };

/** Larger buffers are not reused. */
const maxReusableBytes = 1 << 20;
const minBufferBytes = 64 << 10;

/**
 * @param nonces concatenated, in the order of `deliveries`
 * @param reusable a buffer of an earlier batch, to be overwritten if it is large enough
 */
export function encodeBatch(
  deliveries: readonly PendingDelivery[],
  nonces: Uint8Array,
  reusable?: ArrayBuffer,
): EncodedBatch {
  const destinations: Destination[] = [];
  const indexes = new Map<number, number>();
  const entries = new Array<Entry>(deliveries.length);
  let size = nonces.length;
  for (const [i, { destination, delivery }] of deliveries.entries()) {
    let index = indexes.get(destination.seq);
    // The secrets of an endpoint may change between two deliveries of a batch.
    if (index === undefined || destinations[index]?.secrets !== destination.secrets) {
      index = destinations.push(destination) - 1;
      indexes.set(destination.seq, index);
    }
    const { receivedAt, method, path, query, sourceIp, fields, body } = delivery;
    entries[i] = [index, receivedAt, method, path, query, sourceIp, fields.length, body.length];
    size += fields.length + body.length;
  }
  const buffer = reusable && reusable.byteLength >= size ? reusable : new ArrayBuffer(bufferBytesFor(size));
  const bytes = new Uint8Array(buffer);
  bytes.set(nonces);
  let at = nonces.length;
  for (const { delivery } of deliveries) {
    bytes.set(delivery.fields, at);
    at += delivery.fields.length;
    bytes.set(delivery.body, at);
    at += delivery.body.length;
  }
  return { text: JSON.stringify({ destinations, entries } satisfies Text), bytes: buffer };
}

/** The inverse of `encodeBatch`; nonces, fields and bodies are views of `bytes`. */
export function decodeBatch({ text, bytes }: EncodedBatch): { deliveries: PendingDelivery[]; nonces: Uint8Array } {
  const { destinations, entries } = JSON.parse(text) as Text;
  // A Buffer, so that its parts are Buffers, too, and need not be wrapped to be decoded.
  const all = Buffer.from(bytes);
  let at = entries.length * nonceBytes;
  const next = (size: number): Uint8Array => {
    at += size;
    return all.subarray(at - size, at);
  };
  const deliveries = entries.map(([index, receivedAt, method, path, query, sourceIp, fieldsSize, bodySize]) => {
    const fields = next(fieldsSize);
    const body = next(bodySize);
    const destination = destinations[index];
    if (!destination) throw new RangeError('an encoded batch refers to a destination that it does not contain');
    return { destination, delivery: { method, path, query, fields, body, sourceIp, receivedAt } };
  });
  return { deliveries, nonces: all.subarray(0, entries.length * nonceBytes) };
}

/** Whether a buffer that the writer thread returned can serve another batch. */
export const isReusable = (buffer: ArrayBuffer): boolean =>
  buffer.byteLength > 0 && buffer.byteLength <= maxReusableBytes;

function bufferBytesFor(size: number): number {
  if (size > maxReusableBytes) return size;
  let bytes = minBufferBytes;
  while (bytes < size) bytes *= 2;
  return bytes;
}
