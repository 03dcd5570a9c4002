/*
 * Turns deliveries into events: recognises the platform before the header rules apply. Bodies are stored unchanged; the header
 * rules are the only change. Pure computation without a database, so that any thread can do it.
 */
import type { Outcome } from '../core/answers/model.ts';
import { applyHeaderRules, type HeaderPair, readFieldLines } from '../core/headers.ts';
import { deliveryNumber } from '../core/ids/delivery-key.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import type { DeliveryId, HandshakeAnswer } from '../platforms/engine/model.ts';
import type { Delivery } from './delivery.ts';
import { rowErrorCode } from './group-commit.ts';

/** One event as it will be stored: header rules applied. Path and query are bytes as Latin-1. */
export type NewEvent = {
  nonce: Uint8Array;
  endpoint: number;
  receivedAt: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  sourceIp: string;
  path: string;
  query: string | null;
  /** The number of the delivery that it is an attempt of (core/ids/delivery-key.ts). */
  delivery: number;
  /** The header pairs. */
  headersJson: string;
  /** As received; a view of the delivery's memory. */
  body: Uint8Array;
  /** The stored outcome; most events have the default answer and no outcome. */
  outcome?: Outcome | undefined;
  /** Whether its signature is invalid with the secrets that are known now. Imported events are not verified. */
  isInvalid?: boolean;
};

/** What is verified when an event is stored: the event, with its header pairs. */
export type EventToFile = Pick<
  NewEvent,
  'method' | 'path' | 'query' | 'platform' | 'verdict' | 'receivedAt' | 'body'
> & { headers: readonly HeaderPair[] };

/** A delivery before the header rules, for recognition. */
export type UnredactedDelivery = {
  method: string;
  path: string;
  query: string | null;
  headers: readonly HeaderPair[];
  body: Uint8Array;
  receivedAt: number;
  /** Stored instead of `query` and `headers` (before the header rules) if the delivery contains the token of a guard. */
  stored?: Pick<UnredactedDelivery, 'query' | 'headers'>;
};

export function unredacted({ method, path, query, fields, body, receivedAt, stored }: Delivery): UnredactedDelivery {
  const received: UnredactedDelivery = { method, path, query, headers: readFieldLines(fields), body, receivedAt };
  if (stored) received.stored = { query: stored.query, headers: readFieldLines(stored.fields) };
  return received;
}

/** The result of recognition. `verdict`: JSON, only if the header rules remove the proof. */
export type Recognition = {
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  deliveryId: DeliveryId | undefined;
  /** The response that the sender's platform expects instead of the default one. */
  answer: HandshakeAnswer | null;
  /** The stored outcome, if it is already decided. */
  outcome?: Outcome | undefined;
};

/** The results about the rows of a batch that the main thread needs. */
export type EncoderResults = {
  eventTypes: (string | null)[];
  /** By position in the batch; few deliveries are handshakes. */
  answers: [index: number, answer: HandshakeAnswer][];
};

export type EncodedRows = { events: NewEvent[]; results: EncoderResults };

/** @throws an error with the code `rowInvalid` if one of the deliveries cannot be stored */
export type RowEncoder<Destination extends { seq: number }> = (deliveries: {
  deliveries: readonly { destination: Destination; delivery: Delivery }[];
  /** Concatenated, in the order of `deliveries`. */
  nonces: Uint8Array;
}) => EncodedRows;

/** Both functions get the destination from `deliveries`. */
export function createRowEncoder<Destination extends { seq: number }>({
  recognise,
  hasInvalidSignature,
}: {
  recognise: (destination: Destination, delivery: UnredactedDelivery) => Recognition;
  hasInvalidSignature: (destination: Destination, event: EventToFile) => boolean;
}): RowEncoder<Destination> {
  const encode = (
    { destination, delivery }: { destination: Destination; delivery: Delivery },
    nonce: Uint8Array,
  ): { event: NewEvent; answer: HandshakeAnswer | null } => {
    const { method, path, body, sourceIp, receivedAt } = delivery;
    const received = unredacted(delivery);
    const { query, headers: given } = received.stored ?? received;
    const headers = applyHeaderRules(given);
    const { answer, deliveryId, platform, eventType, verdict, outcome } = recognise(destination, received);
    const endpoint = destination.seq;
    const event: NewEvent = {
      nonce,
      endpoint,
      receivedAt,
      method,
      platform,
      eventType,
      verdict,
      sourceIp,
      path,
      query,
      delivery: deliveryNumber({ endpoint, platform, method, path, query, eventType, body }, deliveryId),
      headersJson: JSON.stringify(headers),
      body,
      outcome,
      isInvalid: hasInvalidSignature(destination, {
        method,
        path,
        query,
        platform,
        verdict,
        receivedAt,
        body,
        headers,
      }),
    };
    return { event, answer };
  };

  return ({ deliveries, nonces }) => {
    const answers: EncoderResults['answers'] = [];
    const events = deliveries.map((one, at) => {
      try {
        const { event, answer } = encode(one, nonces.subarray(at * nonceBytes, (at + 1) * nonceBytes));
        if (answer) answers.push([at, answer]);
        return event;
      } catch (cause) {
        throw Object.assign(new Error(`delivery cannot be stored: ${cause}`, { cause }), { code: rowErrorCode });
      }
    });
    const eventTypes = events.map(event => event.eventType);
    return { events, results: { eventTypes, answers } };
  };
}
