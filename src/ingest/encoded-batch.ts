/*
 * A group of deliveries on its way to the writer thread: what is short in one JSON text, all header fields and bodies in one
 * buffer that is handed over. Cloning them value by value would cost more than storing them.
 */
import { nonceBytes } from '../core/ids.ts';
import type { SigningSecret } from '../platforms/engine/model.ts';

/** A delivery as it came: path and query raw. */
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

/** What has to be known of an endpoint to recognise its deliveries. */
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

/** A buffer that came back is used again up to this size; larger ones are let go. */
const keptBytes = 1 << 20;
const smallestBytes = 64 << 10;

/**
 * @param nonces one after the other, in the order of `deliveries`
 * @param spare a buffer that may be filled anew
 */
export function encodeBatch(
  deliveries: readonly PendingDelivery[],
  nonces: Uint8Array,
  spare?: ArrayBuffer,
): EncodedBatch {
  const destinations: Destination[] = [];
  const indexes = new Map<number, number>();
  const entries = new Array<Entry>(deliveries.length);
  let size = nonces.length;
  for (const [i, { destination, delivery }] of deliveries.entries()) {
    let index = indexes.get(destination.seq);
    // Secrets that changed between two of them count from there on.
    if (index === undefined || destinations[index]?.secrets !== destination.secrets) {
      index = destinations.push(destination) - 1;
      indexes.set(destination.seq, index);
    }
    const { receivedAt, method, path, query, sourceIp, fields, body } = delivery;
    entries[i] = [index, receivedAt, method, path, query, sourceIp, fields.length, body.length];
    size += fields.length + body.length;
  }
  const buffer = spare && spare.byteLength >= size ? spare : new ArrayBuffer(roomFor(size));
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

/** The inverse of `packParcel`; nonces, fields and bodies are views of the parcel's bytes. */
export function decodeBatch({ text, bytes }: EncodedBatch): { deliveries: PendingDelivery[]; nonces: Uint8Array } {
  const { destinations, entries } = JSON.parse(text) as Text;
  // Its parts are buffers then, and nothing that looks into one has to make one of it.
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
    if (!destination) throw new RangeError('a parcel names a destination that it does not have');
    return { destination, delivery: { method, path, query, fields, body, sourceIp, receivedAt } };
  });
  return { deliveries, nonces: all.subarray(0, entries.length * nonceBytes) };
}

/** Whether a buffer that came back is worth keeping for the next parcel. */
export const isReusable = (buffer: ArrayBuffer): boolean => buffer.byteLength > 0 && buffer.byteLength <= keptBytes;

function roomFor(size: number): number {
  if (size > keptBytes) return size;
  let room = smallestBytes;
  while (room < size) room *= 2;
  return room;
}
