/*
 * From deliveries to rows: recognised before the header rules, packed, hashed. Nothing is parsed, inflated or
 * re-encoded; the header rules are the only change. All of it is computation on the bytes and knows of no database: any thread
 * can do it.
 */
import { applyHeaderRules, type HeaderPair, readFieldLines } from '../core/headers.ts';
import { nonceBytes } from '../core/ids.ts';
import { payloadPreviewCharacters } from '../core/limits.ts';
import { signatureWords } from '../core/search-signature.ts';
import { sha256 } from '../core/sha256.ts';
import { packContent } from '../core/stored-content.ts';
import type { HandshakeAnswer } from '../platforms/engine/model.ts';
import type { Destination, PendingDelivery } from './encoded-batch.ts';
import { rowErrorCode } from './group-commit.ts';

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
export type UnredactedDelivery = {
  method: string;
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  receivedAt: number;
};

/** What is known of a delivery before it is stored. `verdict`: JSON, only when the proof does not survive the header rules. */
export type Recognition = {
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  /** An answer that the sender's platform wants instead of Hooktape's own. */
  answer: HandshakeAnswer | null;
};

/** What deliveries were found to be. */
export type EncoderResults = {
  eventTypes: (string | null)[];
  /** By position; few deliveries want one. */
  answers: [at: number, answer: HandshakeAnswer][];
  /** The search signatures, `signatureWords` for each delivery; null when nobody wants them. */
  signatures: Uint32Array | null;
};

export type EncodedRows = { events: NewEvent[]; results: EncoderResults };

/** @throws an error with the code `rowInvalid` when one of the deliveries cannot be stored */
export type RowEncoder = (deliveries: {
  deliveries: readonly PendingDelivery[];
  /** One after the other, in the order of `deliveries`. */
  nonces: Uint8Array;
  withSignatures: boolean;
}) => EncodedRows;

export function createRowEncoder({
  recognise,
  sign,
}: {
  recognise: (destination: Destination, arrived: UnredactedDelivery) => Recognition;
  sign: (words: Uint32Array, offset: number, eventType: string | null, body: Uint8Array) => void;
}): RowEncoder {
  const prepare = (
    { destination, delivery }: PendingDelivery,
    nonce: Uint8Array,
  ): { event: NewEvent; answer: HandshakeAnswer | null } => {
    const { method, path, query, body, sourceIp, receivedAt } = delivery;
    const headers = readFieldLines(delivery.fields);
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

  return ({ deliveries, nonces, withSignatures }) => {
    const signatures = withSignatures ? new Uint32Array(deliveries.length * signatureWords) : null;
    const answers: EncoderResults['answers'] = [];
    const events = deliveries.map((one, at) => {
      try {
        const { event, answer } = prepare(one, nonces.subarray(at * nonceBytes, (at + 1) * nonceBytes));
        if (answer) answers.push([at, answer]);
        if (signatures) sign(signatures, at * signatureWords, event.eventType, one.delivery.body);
        return event;
      } catch (cause) {
        throw Object.assign(new Error(`a delivery cannot be stored: ${cause}`, { cause }), { code: rowErrorCode });
      }
    });
    const eventTypes = events.map(event => event.eventType);
    return { events, results: { eventTypes, answers, signatures } };
  };
}

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
