/*
 * The deliveries of one commit on their way to the recorder, which may be in another thread: everything that is text in one
 * JSON text, all bodies in one buffer that is handed over. Cloning them value by value would cost more than storing them.
 */
import { nonceBytes } from '../../core/ids.ts';
import type { SigningSecret } from '../../core/platforms/model.ts';

/** A delivery as it came: header values are latin1, path and query raw. */
export type Delivery = {
  method: string;
  path: string;
  query: string | null;
  /** Names and values in turn, as node's `rawHeaders`. */
  headers: readonly string[];
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

export type Posted = { destination: Destination; delivery: Delivery };

/** As the recorder gets it; `nonce` and body are views of the parcel's bytes. */
export type Unpacked = Posted & { nonce: Uint8Array };

export type Parcel = { text: string; bytes: ArrayBuffer };

type Entry = [
  destination: number,
  receivedAt: number,
  method: string,
  path: string,
  query: string | null,
  sourceIp: string,
  size: number,
  headers: readonly string[],
];
type Text = { destinations: Destination[]; entries: Entry[] };

/** A buffer that came back is used again up to this size; larger ones are let go. */
const keptBytes = 1 << 20;
const smallestBytes = 64 << 10;

/**
 * @param nonces one after the other, in the order of `posted`
 * @param spare a buffer that may be filled anew
 */
export function packParcel(posted: readonly Posted[], nonces: Uint8Array, spare?: ArrayBuffer): Parcel {
  const destinations: Destination[] = [];
  const indexes = new Map<number, number>();
  const entries = new Array<Entry>(posted.length);
  let size = nonces.length;
  for (const [i, { destination, delivery }] of posted.entries()) {
    let index = indexes.get(destination.seq);
    // Secrets that changed between two of them count from there on.
    if (index === undefined || destinations[index]?.secrets !== destination.secrets) {
      index = destinations.push(destination) - 1;
      indexes.set(destination.seq, index);
    }
    const { receivedAt, method, path, query, sourceIp, body, headers } = delivery;
    entries[i] = [index, receivedAt, method, path, query, sourceIp, body.length, headers];
    size += body.length;
  }
  const buffer = spare && spare.byteLength >= size ? spare : new ArrayBuffer(roomFor(size));
  const bytes = new Uint8Array(buffer);
  bytes.set(nonces);
  let at = nonces.length;
  for (const { delivery } of posted) {
    bytes.set(delivery.body, at);
    at += delivery.body.length;
  }
  return { text: JSON.stringify({ destinations, entries } satisfies Text), bytes: buffer };
}

/** The inverse of `packParcel`. */
export function unpackParcel({ text, bytes }: Parcel): Unpacked[] {
  const { destinations, entries } = JSON.parse(text) as Text;
  const all = new Uint8Array(bytes);
  let at = entries.length * nonceBytes;
  return entries.map(([index, receivedAt, method, path, query, sourceIp, size, headers], i) => {
    const nonce = all.subarray(i * nonceBytes, (i + 1) * nonceBytes);
    const body = all.subarray(at, at + size);
    at += size;
    const destination = destinations[index];
    if (!destination) throw new RangeError('a parcel names a destination that it does not have');
    return { destination, nonce, delivery: { method, path, query, headers, body, sourceIp, receivedAt } };
  });
}

/** Whether a buffer that came back is worth keeping for the next parcel. */
export const isSpare = (buffer: ArrayBuffer): boolean => buffer.byteLength > 0 && buffer.byteLength <= keptBytes;

function roomFor(size: number): number {
  if (size > keptBytes) return size;
  let room = smallestBytes;
  while (room < size) room *= 2;
  return room;
}
