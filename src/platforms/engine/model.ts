/*
 * What goes into the engine (a raw delivery, secrets) and what comes out of it (a detection, a verdict, an answer).
 * The engine is pure: no I/O, no clock; the same input always gives the same output.
 */

/** A delivery off the wire, before the header rules are applied. Header values are latin1 strings, as node gives them. */
export type RawDelivery = {
  method: string;
  /** The raw path after the endpoint's token: with its leading '/', or ''. */
  path: string;
  /** Raw, without '?'; null when there was no '?'. */
  query: string | null;
  rawHeaders: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
};

export type Detection = { platform: string | null; eventType: string | null };

/**
 * The sender's own id of a delivery, the same in each of its attempts; unique for its platform at best. Not empty, of any length, and
 * untrusted like all content. `basis`: where it was found.
 */
export type DeliveryId = { id: string; basis: 'header' | 'body' };

/** A detection with the delivery's id; undefined when it has none, or its platform documents none. */
export type IdentifiedDetection = Detection & { deliveryId: DeliveryId | undefined };

/**
 * `platform` null = may be used for any platform. `unconfirmed`: it came with a handshake, which anybody can send, and no person
 * has confirmed it: it makes no verdict `valid` or `invalid` and answers no handshake. `test`: it was made to sign samples: it makes
 * no verdict of another delivery `invalid`, does not tell platforms apart and answers no handshake.
 */
export type SigningSecret = { platform: string | null; secret: string; unconfirmed?: true; test?: true };

/** Whether a person registered or confirmed it. */
export const isConfirmed = ({ unconfirmed, test }: SigningSecret): boolean => unconfirmed !== true && test !== true;

export type Reason =
  | null
  | 'no_secret'
  | 'unconfirmed_secret'
  | 'wrong_secret_or_altered_body'
  | 'timestamp_out_of_tolerance'
  | 'malformed_header'
  | 'unsupported';

export type Verdict = {
  platform: string | null;
  scheme: string;
  verdict: 'valid' | 'invalid' | 'unchecked';
  reason: Reason;
  /** What a valid verdict proves: that the payload is unchanged, or only that the sender knows the secret. */
  proves: 'payload' | 'origin' | null;
};

export type HandshakeAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** A signing secret that the handshake delivered, to be registered. */
  learnedSecret?: { platform: string; secret: string };
};
