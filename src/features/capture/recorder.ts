/*
 * From a parcel of deliveries to rows on disk: recognised before the header rules, packed, hashed, stored in one commit.
 * Nothing is parsed, inflated or re-encoded; the header rules are the only change. All of it is computation on the bytes,
 * so it runs beside the writing connection and leaves the main thread to the senders.
 */
import { applyHeaderRules, type HeaderPair, toPairs } from '../../core/headers.ts';
import { payloadPreviewCharacters } from '../../core/limits.ts';
import type { HandshakeAnswer } from '../../core/platforms/model.ts';
import { signatureWords } from '../../core/search-signature.ts';
import { sha256 } from '../../core/sha256.ts';
import { packContent } from '../../core/stored-content.ts';
import { isOfOneRow, rowInvalid } from './group-commit.ts';
import { type Destination, type Parcel, type Unpacked, unpackParcel } from './parcel.ts';

/** One event as stored. Bytes are final: header rules applied, content packed. */
export type NewEvent = {
  nonce: Uint8Array;
  endpoint: number;
  receivedAt: number;
  size: number;
  encoding: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  sourceIp: string;
  sha256: Uint8Array;
  path: Uint8Array;
  query: Uint8Array | null;
  preview: Uint8Array;
  content: Uint8Array;
};

/** A delivery as recognition sees it: before the header rules. */
export type Arrived = {
  method: string;
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  receivedAt: number;
};

/** What is known of a delivery before it is stored. `verdict`: JSON, only when the proof does not survive the header rules. */
export type Recognised = {
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  /** An answer that the sender's platform wants instead of Hooktape's own. */
  answer: HandshakeAnswer | null;
};

/** What became of a parcel. The parcel's bytes come back in it, to be used again. */
export type Receipt = {
  /** The row number of the first delivery; the others follow without a gap. */
  first: number;
  eventTypes: (string | null)[];
  /** By position in the parcel; few deliveries want one. */
  answers: [at: number, answer: HandshakeAnswer][];
  /** The search signatures, `signatureWords` for each delivery; null when nobody wants them. */
  signatures: Uint32Array | null;
  bytes: ArrayBuffer;
  /** The commit that it was in, told once: other parcels of the same one have null. */
  commit: { rows: number; ms: number } | null;
};

/**
 * Stores parcels in one commit. Never rejects. When the database will not take one of their rows, each parcel has a commit of
 * its own, so that only the one with that row fails.
 */
export type Recorder = (parcels: readonly Parcel[], signed: boolean) => Promise<PromiseSettledResult<Receipt>[]>;

export function createRecorder(options: {
  recognise: (destination: Destination, arrived: Arrived) => Recognised;
  sign: (words: Uint32Array, offset: number, eventType: string | null, body: Uint8Array) => void;
  /** All or none, in one commit. @returns the row number of the first */
  insert: (events: readonly NewEvent[]) => Promise<number>;
  monotonic: () => number;
}): Recorder {
  const { recognise, sign, insert, monotonic } = options;

  const prepare = ({ destination, nonce, delivery }: Unpacked): { event: NewEvent; answer: HandshakeAnswer | null } => {
    const { method, path, query, body, sourceIp, receivedAt } = delivery;
    const headers = toPairs(delivery.headers);
    const { answer, ...recognised } = recognise(destination, { method, path, query, headers, body, receivedAt });
    const event: NewEvent = {
      nonce,
      endpoint: destination.seq,
      receivedAt,
      size: body.length,
      ...packContent(applyHeaderRules(headers), body),
      method,
      ...recognised,
      sourceIp,
      sha256: sha256(body),
      path: Buffer.from(path, 'latin1'),
      query: query === null ? null : Buffer.from(query, 'latin1'),
      preview: preview(body),
    };
    return { event, answer };
  };

  const prepareAll = (parcel: Parcel, signed: boolean): Prepared => {
    const posted = unpackParcel(parcel);
    const signatures = signed ? new Uint32Array(posted.length * signatureWords) : null;
    const answers: Receipt['answers'] = [];
    const events = posted.map((one, at) => {
      try {
        const { event, answer } = prepare(one);
        if (answer) answers.push([at, answer]);
        if (signatures) sign(signatures, at * signatureWords, event.eventType, one.delivery.body);
        return event;
      } catch (cause) {
        throw Object.assign(new Error(`a delivery cannot be stored: ${cause}`, { cause }), { code: rowInvalid });
      }
    });
    const eventTypes = events.map(event => event.eventType);
    return { events, receipt: { eventTypes, answers, signatures, bytes: parcel.bytes } };
  };

  const storeAll = async (parcels: readonly Parcel[], signed: boolean): Promise<Receipt[]> => {
    const startedAt = monotonic();
    const prepared = parcels.map(parcel => prepareAll(parcel, signed));
    const first = await insert(prepared.flatMap(({ events }) => events));
    let next = first;
    const receipts = prepared.map(({ events, receipt }): Receipt => {
      const begins = next;
      next += events.length;
      return { first: begins, ...receipt, commit: null };
    });
    if (receipts[0]) receipts[0].commit = { rows: next - first, ms: monotonic() - startedAt };
    return receipts;
  };

  const record: Recorder = async (parcels, signed) => {
    try {
      const receipts = await storeAll(parcels, signed);
      return receipts.map(value => ({ status: 'fulfilled', value }));
    } catch (reason) {
      if (parcels.length === 1 || !isOfOneRow(reason)) return parcels.map(() => ({ status: 'rejected', reason }));
      const each: PromiseSettledResult<Receipt>[] = [];
      for (const parcel of parcels) each.push(...(await record([parcel], signed)));
      return each;
    }
  };
  return record;
}

/** A parcel with all but its place in the database. */
type Prepared = { events: NewEvent[]; receipt: Omit<Receipt, 'first' | 'commit'> };

/** The bytes of the body's first 200 characters, as they are; one that is cut in half at the end is left out. */
export function preview(body: Uint8Array): Uint8Array {
  let characters = 0;
  const limit = Math.min(body.length, payloadPreviewCharacters * 4);
  for (let i = 0; i < limit; i++) {
    // Every byte but a continuation byte begins a character.
    if (((body[i] ?? 0) & 0xc0) !== 0x80 && ++characters > payloadPreviewCharacters) return body.subarray(0, i);
  }
  return body.subarray(0, limit);
}
