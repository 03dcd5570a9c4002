/* Turns deliveries into events: recognises the platform before the header rules apply. Pure, so that any thread can do it. */
import type { Outcome } from '../core/answers/model.ts';
import type { EventText } from '../core/blocks/event-block.ts';
import { applyHeaderRules, type HeaderPair, readFieldLines } from '../core/headers.ts';
import { deliveryNumber } from '../core/ids/delivery-key.ts';
import { nonceBytes } from '../core/ids/ids.ts';
import type { Redacted } from '../core/redaction/model.ts';
import type { DeliveryId, HandshakeAnswer } from '../platforms/engine/model.ts';
import type { Delivery } from './delivery.ts';
import { rowErrorCode } from './group-commit.ts';

/** One event as it will be stored: header rules applied. Path and query are bytes as Latin-1. */
export type NewEvent = EventText & {
  nonce: Uint8Array;
  endpoint: number;
  receivedAt: number;
  method: string;
  platform: string | null;
  eventType: string | null;
  verdict: string | null;
  /** The number of the delivery that it is an attempt of (core/ids/delivery-key.ts). */
  delivery: number;
  /** The stored outcome; most events have the default answer and no outcome. */
  outcome?: Outcome | undefined;
  /** What the redaction rules took out of it. */
  redacted?: Redacted | undefined;
  /** Whether its signature is invalid with the secrets that are known now. Imported events are not verified. */
  isInvalid?: boolean;
};

/** What is verified when an event is stored: the event, with its header pairs. */
export type EventToFile = Pick<
  NewEvent,
  'method' | 'path' | 'query' | 'platform' | 'verdict' | 'receivedAt' | 'body'
> & { headers: readonly HeaderPair[] };

/** A delivery before the header rules, for recognition. */
export type UnredactedDelivery = Pick<Delivery, 'method' | 'path' | 'query' | 'body' | 'receivedAt'> & {
  headers: readonly HeaderPair[];
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
  /** Given if rules took something out of the delivery: its number cannot be computed from what is left. */
  redaction?: { redacted: Redacted; delivery: number } | undefined;
};

/** A delivery in the form in which it is stored: after the header rules, and without the token of a guard. */
export type StoredForm = Omit<UnredactedDelivery, 'receivedAt' | 'stored'> & { sourceIp: string };

/** What is stored of a delivery from which rules took something. `verdict`: JSON. */
export type RedactedForm = Omit<StoredForm, 'method'> & {
  eventType: string | null;
  verdict: string;
  redaction: { redacted: Redacted; delivery: number };
};

/** Takes out what the rules remove; undefined if they take nothing. @throws an error without content of the delivery */
export type Redact<Destination> = (
  destination: Destination,
  delivery: { received: UnredactedDelivery; stored: StoredForm; recognition: Recognition },
) => RedactedForm | undefined;

export type EncodedRows = {
  events: NewEvent[];
  /** By position in the batch; few deliveries are handshakes. */
  answers: [index: number, answer: HandshakeAnswer][];
  /** Headers and types before the redaction rules, which choose the answers; by position in the batch. */
  originals: Map<number, EncodedOriginal>;
};

type EncodedOriginal = { headers: readonly HeaderPair[]; eventType: string | null };

/** @throws an error with the code `rowInvalid` if one of the deliveries cannot be stored */
export type RowEncoder<Destination extends { seq: number }> = (deliveries: {
  deliveries: readonly { destination: Destination; delivery: Delivery }[];
  /** Concatenated, in the order of `deliveries`. */
  nonces: Uint8Array;
}) => EncodedRows;

/** The functions get the destination from `deliveries`. */
export function createRowEncoder<Destination extends { seq: number }>({
  recognise,
  redact,
  hasInvalidSignature,
}: {
  recognise: (destination: Destination, delivery: UnredactedDelivery) => Recognition;
  /** Absent for deliveries of the journal, where the rules have been applied. */
  redact?: Redact<Destination>;
  hasInvalidSignature: (destination: Destination, event: EventToFile) => boolean;
}): RowEncoder<Destination> {
  const encode = (
    { destination, delivery }: { destination: Destination; delivery: Delivery },
    nonce: Uint8Array,
  ): { event: NewEvent; answer: HandshakeAnswer | null; original: EncodedOriginal | undefined } => {
    const { method, receivedAt } = delivery;
    const received = unredacted(delivery);
    const { query: givenQuery, headers: given } = received.stored ?? received;
    const stored: StoredForm = {
      method,
      path: delivery.path,
      query: givenQuery,
      headers: applyHeaderRules(given),
      body: delivery.body,
      sourceIp: delivery.sourceIp,
    };
    const recognition = recognise(destination, received);
    const taken = redact?.(destination, { received, stored, recognition });
    const { path, query, headers, body, sourceIp } = taken ?? stored;
    const { eventType, verdict, redaction } = taken ?? recognition;
    const { answer, deliveryId, platform, outcome } = recognition;
    const endpoint = destination.seq;
    const filed = { method, path, query, platform, verdict, receivedAt, body, headers };
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
      delivery:
        redaction?.delivery ?? deliveryNumber({ endpoint, platform, method, path, query, eventType, body }, deliveryId),
      headersJson: JSON.stringify(headers),
      body,
      outcome,
      redacted: redaction?.redacted,
      isInvalid: hasInvalidSignature(destination, filed),
    };
    const original = taken && { headers: stored.headers, eventType: recognition.eventType };
    return { event, answer, original };
  };

  return ({ deliveries, nonces }) => {
    const answers: EncodedRows['answers'] = [];
    const originals: EncodedRows['originals'] = new Map();
    const events = deliveries.map((one, at) => {
      try {
        const { event, answer, original } = encode(one, nonces.subarray(at * nonceBytes, (at + 1) * nonceBytes));
        if (answer) answers.push([at, answer]);
        if (original) originals.set(at, original);
        return event;
      } catch (cause) {
        throw Object.assign(new Error(`delivery cannot be stored: ${cause}`, { cause }), { code: rowErrorCode });
      }
    });
    return { events, answers, originals };
  };
}
